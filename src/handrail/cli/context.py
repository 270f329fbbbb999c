"""`handrail context`: what a host page may pass about its customer."""

from __future__ import annotations

import time
from typing import Annotated

import typer

from handrail.cli import results, settings_for
from handrail.errors import PermanentError, SettingsError

app = typer.Typer(help="Signed customer context.", no_args_is_help=True)


@app.command()
def sign(
    values: Annotated[
        list[str],
        typer.Argument(metavar="KEY=VALUE…", help="Facts about the customer, such as plan=Studio tenure_months=14."),
    ],
    minutes: Annotated[float, typer.Option(min=0.1, max=1440, help="How long the token is valid.")] = 60,
    conversation: Annotated[str | None, typer.Option(help="Only valid for this conversation.")] = None,
) -> None:
    """Print a context token for trying out a policy. In production your own server signs them (docs/hand-off.md)."""
    from handrail.accounts.customer import cleaned, signed

    secret = settings_for().customer.secret
    if secret is None:
        raise SettingsError("customer.secret is not set. Set HANDRAIL__CUSTOMER__SECRET")
    given = dict(_pair(value) for value in values)
    kept = cleaned(given)
    if kept.keys() != given.keys():
        raise PermanentError(f"not short plain values: {', '.join(sorted(given.keys() - kept.keys()))}")
    until = time.time() + 60 * minutes
    results.print(
        signed.sign(secret.get_secret_value(), kept, until, conversation), markup=False, soft_wrap=True, highlight=False
    )


def _pair(text: str) -> tuple[str, str | float]:
    key, given, value = text.partition("=")
    if not given:
        raise PermanentError(f"expected KEY=VALUE, got {text!r}")
    try:
        return key, float(value)
    except ValueError:
        return key, value
