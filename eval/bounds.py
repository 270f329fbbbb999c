"""What a command may spend on language models, as far as the prices that are set let it be known."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator
from urllib.parse import urlsplit

from eval.spending import Spending
from handrail.errors import PermanentError
from handrail.settings import Llm, LlmProvider, Settings

PRICES = "llm.usd_per_million_input and llm.usd_per_million_output"
JUDGE_PRICES = "judge.usd_per_million_input and judge.usd_per_million_output"


def bounded(settings: Settings, usd: float | None, tokens: int | None) -> tuple[Spending, list[str]]:
    """The bounds, and what has to be said about them before anything is asked.

    Raises PermanentError where somebody may be billed and nothing could stop that.
    """
    notes = list(_unknown(settings)) if usd is not None else []
    if tokens is None and _billed(settings):
        if usd is None:
            raise PermanentError("say how much may be spent: --budget USD or --max-tokens N")
        if notes:
            raise PermanentError(f"--budget can't be kept: {'; '.join(notes)}. Set the prices, or add --max-tokens N")
    if notes:
        stop = f"stops at {tokens:,} tokens" if tokens is not None else "without --max-tokens, nothing stops it"
        notes.append(f"tokens are counted instead; {stop}")
    return Spending(usd, tokens), notes


def priced(settings: Settings) -> bool:
    """Whether every model that may be asked has a price."""
    return not list(_unknown(settings))


def _unknown(settings: Settings) -> Iterator[str]:
    llm, judge = settings.llm, settings.judge
    asked: list[Llm | LlmProvider] = [llm, *llm.fallbacks]
    unpriced = [one.name for one in asked if not one.usd_per_million_input and not one.usd_per_million_output]
    if unpriced:
        yield f"the cost of {', '.join(unpriced)} can't be known, because {PRICES} aren't set"
    if judge.configured and not judge.usd_per_million_input and not judge.usd_per_million_output:
        yield f"the cost of the judge can't be known, because {JUDGE_PRICES} aren't set"


def _billed(settings: Settings) -> bool:
    """Whether anybody asked is elsewhere: a server on this machine or its network costs nothing per token."""
    asked = [settings.llm.base_url, *(one.base_url for one in settings.llm.fallbacks)]
    asked += [settings.judge.base_url] if settings.judge.configured else []
    return not all(_near(url) for url in asked)


def _near(url: str | None) -> bool:
    host = (urlsplit(url).hostname or "") if url else ""
    try:
        return ipaddress.ip_address(host).is_private
    except ValueError:
        return bool(host) and "." not in host
