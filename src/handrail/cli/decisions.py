"""`handrail decisions`: typed questions asked, served and calibrated."""

from __future__ import annotations

import asyncio
import gc
import json
from collections import defaultdict
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from importlib import import_module
from ipaddress import ip_address
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from handrail.cli import KB, Json, loading, notes, results, settings_for
from handrail.errors import PermanentError, SettingsError
from handrail.observe import log_format
from handrail.settings import Settings

if TYPE_CHECKING:
    from handrail.decide.calibration import Map, Maps
    from handrail.decide.decider import Decided
    from handrail.decide.local import LocalDecisionModel

PORT = 8401
AT_ONCE = 8
"""Rows that are decided side by side while calibrating."""

app = typer.Typer(help="Typed questions that one model answers with probabilities.", no_args_is_help=True)


@app.command()
def ask(
    name: Annotated[str, typer.Argument(help="Decision, such as route, supported or answers.")],
    state: Annotated[
        str, typer.Option("--state", help="A JSON object with the inputs, or plain text if there is only one.")
    ],
    kb: KB = None,
    as_json: Json = False,
) -> None:
    """Decide one question with the model that the settings name for it.

    Example: handrail decisions ask supported --state '{"claim": "…", "passage": "…"}'
    """
    settings = settings_for(kb)
    verdict = asyncio.run(_decided(settings, name, state))
    if verdict is None:
        raise PermanentError(
            f"no model can decide {name!r}: the local model has no head for it, and no other model answered"
        )
    shown = dict(sorted(verdict.probabilities.items(), key=lambda both: -both[1]))
    if as_json:
        found = {"decision": name, "version": verdict.version, "by": verdict.by, "answer": verdict.top}
        print(json.dumps({**found, "probabilities": shown}))  # noqa: T201
        return
    results.print(f"{name} v{verdict.version} by {verdict.by}: {verdict.top}")
    for label, probability in shown.items():
        results.print(f"  {probability:.3f}  {label}")


@app.command()
def serve(
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port; 0 picks a free one.")] = PORT,
    kb: KB = None,
) -> None:
    """Serve only the local model, as `POST /v1/systemone` on its own port, until interrupted.

    Callers need the key in decisions.serve_key. Without one, it listens on this machine only.
    """
    settings = settings_for(kb)
    key = settings.decisions.serve_key.get_secret_value() if settings.decisions.serve_key is not None else None
    if key is None and not _this_machine(host):
        raise SettingsError(
            "set decisions.serve_key (HANDRAIL__DECISIONS__SERVE_KEY) to accept connections from other machines"
        )
    asyncio.run(_serve(settings, host, port, key))


@app.command()
def calibrate(
    file: Annotated[Path, typer.Option("--file", help='Rows {"decision", "state": {…}, "label"}, one a line.')],
    kb: KB = None,
    reset: Annotated[
        bool, typer.Option("--reset", help="Delete the fitted maps for the decisions in the file.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Fit a calibration map for each decision in a labelled file, for the model that the settings name for it.

    Needs 200 rows per decision. A map is applied only if it wins in cross-validation.
    """
    settings = settings_for(kb)
    fitted = asyncio.run(_calibrated(settings, _rows(file), reset=reset))
    if as_json:
        print(json.dumps({"kb": settings.knowledge.kb, "decisions": fitted}, indent=1))  # noqa: T201
        return
    for name, row in fitted.items():
        results.print(f"{name}: {row['how']}")
        if "loss_before" in row:
            results.print(
                f"  {row['n']} rows, log loss {row['loss_before']:.3f} before, {row['loss_after']:.3f} after "
                f"({row['kind']}, cross-validated)"
            )


async def _decided(settings: Settings, name: str, state: str) -> Decided | None:
    from handrail.assembly.deciding import build_decider
    from handrail.decide.decider import Ask
    from handrail.decide.questions import load_decisions

    decision = load_decisions()[name]
    inputs = _inputs(state, decision.inputs)
    decision.rendered(inputs)
    async with _local(settings) as local:
        decider = build_decider(settings, local)
        try:
            return (await decider.decide([Ask(name, inputs)]))[0]
        finally:
            await decider.aclose()


def _inputs(state: str, needed: Sequence[str]) -> dict[str, object]:
    try:
        found = json.loads(state)
    except ValueError:
        found = None
    if isinstance(found, dict):
        return found
    if len(needed) == 1:
        return {needed[0]: state}
    raise PermanentError(f"--state must be a JSON object with: {', '.join(needed)}")


@asynccontextmanager
async def _local(settings: Settings, maps: Maps | None = None) -> AsyncIterator[LocalDecisionModel]:
    """The local model over the knowledge base of the settings."""
    from handrail.assembly import build_parts
    from handrail.assembly.deciding import local_decisions

    with loading():
        parts = await asyncio.to_thread(build_parts, settings)
    try:
        yield await asyncio.to_thread(local_decisions, settings, parts, maps)
    finally:
        parts.close()


async def _serve(settings: Settings, host: str, port: int, key: str | None) -> None:
    import uvicorn

    from handrail.cli.serve import listen

    listener = listen(host, port)
    async with _local(settings) as local:
        listener.listen()  # who reads the address below is not turned away
        # Named by text: the product never imports the HTTP layer.
        served = import_module("api.decisions").create_app(local, key, settings.server)
        notes.print(
            f"System One on [bold]http://{host}:{listener.getsockname()[1]}/v1/systemone[/]  "
            f"(decides {', '.join(local.names)}; Ctrl+C stops)"
        )
        log_format.configure(settings.observe)
        config = uvicorn.Config(
            served,
            log_config=None,
            log_level="warning",
            access_log=False,
            server_header=False,
            proxy_headers=False,
            http="api.connections:Patient",
        )
        gc.collect()
        gc.freeze()
        await uvicorn.Server(config).serve(sockets=[listener])


def _this_machine(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _rows(file: Path) -> dict[str, list[tuple[dict[str, object], str]]]:
    """States and labels by decision. Raises PermanentError naming the line."""
    from handrail.decide.questions import load_decisions

    decisions = load_decisions()
    found: dict[str, list[tuple[dict[str, object], str]]] = defaultdict(list)
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise PermanentError(f"{file}: {error}") from None
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            row: Mapping[str, Any] = json.loads(line)
            decision = decisions[row["decision"]]
            decision.rendered(row["state"])
            if row["label"] not in decision.options:
                raise PermanentError(f"no such label. Labels are: {', '.join(decision.options)}")
        except (ValueError, KeyError, TypeError, PermanentError) as error:
            raise PermanentError(f"{file}, line {number}: {error}") from None
        found[decision.name].append((dict(row["state"]), row["label"]))
    if not found:
        raise PermanentError(f"{file} holds no rows")
    return found


async def _calibrated(
    settings: Settings, rows: Mapping[str, Sequence[tuple[dict[str, object], str]]], *, reset: bool
) -> dict[str, dict[str, Any]]:
    from handrail.assembly.deciding import build_decider, maps_file
    from handrail.decide.calibration import Maps, fit, load_maps
    from handrail.decide.decider import Ask
    from handrail.decide.questions import load_decisions
    from handrail.settings.decisions import LOCAL

    maps, decisions, path, told = load_maps(maps_file(settings)), load_decisions(), maps_file(settings), {}
    # Everything is asked of the model that is to be fitted, whatever the local one says of it.
    always = settings.model_copy(update={"decisions": settings.decisions.model_copy(update={"ask": "always"})})
    async with _local(settings, Maps()) as local:
        decider = build_decider(always, local, Maps())
        try:
            for name, labelled in rows.items():
                decision, model = decisions[name], settings.decisions.model_of(name)
                fitted_to = local.fingerprint if model == LOCAL else model
                if reset:
                    maps = maps.replaced(decision, fitted_to, None)
                    told[name] = {"how": "reset"}
                    continue
                said, labels = [], []
                for start in range(0, len(labelled), AT_ONCE):
                    some = labelled[start : start + AT_ONCE]
                    for verdict, (_, label) in zip(
                        await decider.decide([Ask(name, state) for state, _ in some]), some, strict=True
                    ):
                        if verdict is not None and verdict.by == model:
                            said.append(verdict.probabilities)
                            labels.append(label)
                kept, best = fit(decision, fitted_to, said, labels)
                maps = maps.replaced(decision, fitted_to, kept)
                told[name] = _told(kept, best)
        finally:
            await decider.aclose()
    maps.save(path)
    return told


def _told(kept: Map | None, best: Map) -> dict[str, Any]:
    figures = {"kind": best.kind, "n": best.n, "loss_before": best.loss_before, "loss_after": best.loss_after}
    how = "unchanged: no map improves on the model" if kept is None else f"mapped ({kept.kind})"
    return {"how": how, **figures}
