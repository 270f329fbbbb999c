"""`handrail context`: what a host page may pass about its customer."""

from __future__ import annotations

import time
from typing import Annotated

import typer

from handrail.cli import results, settings_for
from handrail.errors import PermanentError, SettingsError

app = typer.Typer(help="Signed context of customers.", no_args_is_help=True)


@app.command()
def sign(
    values: Annotated[list[str], typer.Argument(metavar="KEY=VALUE…", help="Such as plan=Studio tenure_months=14.")],
    minutes: Annotated[float, typer.Option(min=0.1, max=1440, help="How long it is good for.")] = 60,
    conversation: Annotated[str | None, typer.Option(help="Good for this conversation only.")] = None,
) -> None:
    """Print a context token, to try a policy with; your own server signs them for your pages (docs/hand-off.md)."""
    from handrail.accounts.customer import cleaned, signed

    secret = settings_for().customer.secret
    if secret is None:
        raise SettingsError("customer.secret is not set; HANDRAIL__CUSTOMER__SECRET sets it")
    given = dict(_pair(value) for value in values)
    kept = cleaned(given)
    if kept.keys() != given.keys():
        raise PermanentError(f"not plain short values: {', '.join(sorted(given.keys() - kept.keys()))}")
    until = time.time() + 60 * minutes
    results.print(
        signed.sign(secret.get_secret_value(), kept, until, conversation), markup=False, soft_wrap=True, highlight=False
    )


def _pair(text: str) -> tuple[str, str | float]:
    key, given, value = text.partition("=")
    if not given:
        raise PermanentError(f"write KEY=VALUE, not {text!r}")
    try:
        return key, float(value)
    except ValueError:
        return key, value
