"""The limiters that the settings ask for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from redis.asyncio import Redis
from redis.exceptions import RedisError

from handrail.accounts.keyspace import Keyspace, keyspace_of
from handrail.accounts.limits import Allowed, Denied, Limiter
from handrail.accounts.limits.budget import Budget, InProcessBudget, allowances
from handrail.accounts.limits.in_process import InProcessLimiter
from handrail.accounts.limits.kept import Kept, KeptBudget, KeptLimiter
from handrail.accounts.limits.rules import Rule, handoff_rules, message_rules, question_rules, read_rules
from handrail.accounts.limits.shared import SLOT, RedisLimiter
from handrail.accounts.limits.shared_budget import RedisBudget, SpareBudget
from handrail.accounts.limits.spare import SpareLimiter
from handrail.accounts.redis_client import connect
from handrail.accounts.redis_trouble import trouble_of
from handrail.accounts.visitor_token import load_secret
from handrail.records.daily_counts import DailyCounts
from handrail.records.database import Database
from handrail.settings import Settings


class Reads:
    """Reads weigh on the process that serves them, so each counts for itself, and none waits for Redis."""

    def __init__(self, settings: Settings, clock: Callable[[], float]) -> None:
        self._visitor, self._address = (InProcessLimiter(rules, clock) for rules in read_rules(settings))

    async def hit(self, address: str, visitor_id: str | None) -> Allowed | Denied:
        """Count a read of a visitor at an address."""
        verdict = await self._visitor.hit(visitor_id) if visitor_id is not None else Allowed()
        return verdict if isinstance(verdict, Denied) else await self._address.hit(address)


@dataclass(frozen=True, slots=True)
class Limits:
    """One limiter each for questions, for requests for a person, for messages to one, and for reads; and budgets."""

    questions: Limiter
    budget: Budget
    """What answers to questions may cost."""
    handoffs: Limiter
    messages: Limiter
    reads: Reads
    keys: Keyspace
    redis: Redis | None = None
    counts: DailyCounts | None = None
    """Of days, where they are in the records."""
    asking: Redis | None = None
    """Of questions alone: however many of them wait for a connection, hand-offs and the desk have others."""

    async def problem(self) -> str | None:
        """What is wrong with the shared counters, for readiness; None when all is well."""
        if self.redis is None:
            return None
        try:
            await self.redis.get(self.keys.key(SLOT, "ready"))
        except (RedisError, OSError) as error:
            return f"Redis {trouble_of(error) or 'fails'}"
        return None

    async def close(self) -> None:
        for redis in (self.redis, self.asking):
            if redis is not None:
                await redis.aclose()


def build_limits(settings: Settings, clock: Callable[[], float], database: Database) -> Limits:
    """Shared counters where `limits.redis_url` is set, else counters in this process, and of days in the records.

    With Redis or the records away, a demo or a public server fails closed, because its worst-case spend must hold;
    otherwise, and for requests for a person always, each process goes on counting for itself. Raises SettingsError for
    a URL that is none, and for budgets that no turn fits into.
    """
    questions, handoffs, messages = question_rules(settings), handoff_rules(settings), message_rules(settings)
    keys, reads, budgets = keyspace_of(settings), Reads(settings, clock), allowances(settings)
    if settings.limits.redis_url is None:
        handed, said = (InProcessLimiter(rules, clock) for rules in (handoffs, messages))
        given = settings.desk.secret
        secret = load_secret(settings.storage.data_dir, given.get_secret_value() if given else None)
        counts = DailyCounts(database, keys.tenant)
        kept = Kept(counts, secret, clock, settings.server.must_count)
        return Limits(KeptLimiter(kept, questions), KeptBudget(kept, budgets), handed, said, reads, keys, counts=counts)
    redis, asking = connect(settings.limits.redis_url), connect(settings.limits.redis_url)

    def spared(name: str, rules: Sequence[Rule]) -> Limiter:
        return SpareLimiter(RedisLimiter(redis, keys, name, rules, clock), InProcessLimiter(rules, clock))

    asked = RedisLimiter(asking, keys, "questions", questions, clock)
    shared = RedisBudget(asking, keys, budgets, clock)
    return Limits(
        asked if settings.server.must_count else SpareLimiter(asked, InProcessLimiter(questions, clock)),
        shared if settings.server.must_count else SpareBudget(shared, InProcessBudget(budgets, clock)),
        spared("handoffs", handoffs),
        spared("messages", messages),
        reads,
        keys,
        redis,
        asking=asking,
    )
