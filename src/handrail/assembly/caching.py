"""The answer cache as the settings ask for it, and stages that use it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from hashlib import sha256

from handrail.accounts.keyspace import keyspace_of
from handrail.answer.cache import Store
from handrail.answer.cache.in_process import InProcessStore
from handrail.answer.cache.turns import AnswerCache
from handrail.assembly.observing import about
from handrail.settings import Settings
from handrail.turn.stages import Stages
from handrail.verify.local import LocalVerifier

MOST_ANSWERS = 2_000
MOST_TURNS = 20_000
"""Turns of which is known which answer they gave, for when a visitor rates it."""
HOUR_S = 3600


def build_cache(settings: Settings, clock: Callable[[], float]) -> AnswerCache | None:
    """Shared through Redis where REDIS_URL is set, else in this process; None without a model, or where it is off.

    Raises SettingsError for a URL that is none.
    """
    ttl_s = round(settings.generate.cache_hours * HOUR_S)
    if not ttl_s or not settings.llm.configured:
        return None
    if settings.limits.redis_url is None:
        return AnswerCache(InProcessStore(ttl_s, MOST_ANSWERS, clock), InProcessStore(ttl_s, MOST_TURNS, clock))
    from handrail.accounts.redis_client import connect
    from handrail.answer.cache.shared import RedisStore

    url, keys = settings.limits.redis_url, keyspace_of(settings)

    def store(name: str, most: int) -> Store:
        return RedisStore(connect(url), keys, name, ttl_s, most, clock)

    return AnswerCache(store("answers", MOST_ANSWERS), store("answered", MOST_TURNS))


def with_cache(stages: Stages, settings: Settings, generation: str, cache: AnswerCache | None) -> Stages:
    """The stages, asking no model about an answer that was given before.

    The local verifier checks such an answer again: that costs nothing.
    """
    if cache is None or not stages.writes:
        return stages
    from handrail.answer.cache.stages import CachedAnswerer, CachedCritic, CachedVerifier
    from handrail.answer.llm import LlmAnswerer

    answer, verify, critique = stages.answer, stages.verify, stages.critique
    if not isinstance(answer.primary, LlmAnswerer):
        return stages
    answerer = CachedAnswerer(answer.primary, cache, made_by(settings, generation))
    if verify is not None and not isinstance(verify.primary, LocalVerifier):
        verify = replace(verify, primary=CachedVerifier(verify.primary))
    if critique is not None:
        critique = replace(critique, primary=CachedCritic(critique.primary))
    return replace(stages, answer=replace(answer, primary=answerer), verify=verify, critique=critique)


def made_by(settings: Settings, generation: str) -> str:
    """A digest of what an answer depends on besides its prompt."""
    policy = settings.high_stakes.policy_file
    told = [*about(settings, generation).values(), policy.read_text(encoding="utf-8") if policy else ""]
    return sha256("\0".join(told).encode()).hexdigest()
