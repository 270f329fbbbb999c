"""`python -m eval.bench_reports`: how long each report takes over many conversations, on SQLite or any database.

Writes made-up conversations into a new database (a temporary folder, or `--url`), then times every report as the desk
asks for it. Prints milliseconds, of the clock and of the processor; nothing of it is kept.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from sqlalchemy import insert

from handrail.desk.reports.build import REPORTS, quantile
from handrail.desk.reports.period import period
from handrail.records.database import Database, open_database
from handrail.records.desk_tables import ConversationRow, FeedbackRow
from handrail.records.learning_tables import CitedRow, TurnFactRow
from handrail.records.reports import ReportRecords
from handrail.settings import Storage
from handrail.types import ANSWERING, Label, RefusalReason, Routing

TENANT = "bench"
DAY_S = 86_400.0
TURNS = 3
ARTICLES = 400
BATCH = 1000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--conversations", type=int, default=10_000)
    parser.add_argument("--days", type=int, default=90)
    parser.add_argument("--repeats", type=int, default=20)
    parser.add_argument("--url", help="SQLAlchemy URL of an empty database; default is SQLite in a temporary folder.")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        storage = Storage(data_dir=Path(folder), database_url=chosen.url)
        found = asyncio.run(measure(storage, chosen.conversations, chosen.days, chosen.repeats))
    sys.stdout.write(json.dumps(found, indent=2) + "\n")


async def measure(storage: Storage, conversations: int, days: int, repeats: int) -> dict[str, Any]:
    database = await open_database(storage)
    now = time.time()
    try:
        await _fill(database, conversations, days, now)
        records = ReportRecords(database, TENANT)
        first = time.strftime("%Y-%m-%d", time.gmtime(now - days * DAY_S))
        when = period(first, None, "Europe/Berlin", now)
        results: dict[str, Any] = {}
        for name, build in REPORTS.items():
            taken, spent = [], []
            for _ in range(repeats):
                start, cpu = time.perf_counter(), time.process_time()
                await build(records, when, now)
                taken.append(1000 * (time.perf_counter() - start))
                spent.append(1000 * (time.process_time() - cpu))
            taken.sort()
            results[name] = {
                "p50_ms": round(statistics.median(taken), 1),
                "p95_ms": round(quantile(taken, 0.95), 1),
                "cpu_p50_ms": round(statistics.median(spent), 1),
            }
        return {"conversations": conversations, "turns": conversations * TURNS, "repeats": repeats, "reports": results}
    finally:
        await database.close()


async def _fill(database: Database, conversations: int, days: int, now: float) -> None:
    chance = random.Random(20)  # noqa: S311
    for start in range(0, conversations, BATCH):
        rows: dict[type[Any], list[dict[str, Any]]] = {
            ConversationRow: [],
            TurnFactRow: [],
            CitedRow: [],
            FeedbackRow: [],
        }
        for number in range(start, min(start + BATCH, conversations)):
            _conversation(rows, chance, number, now - chance.random() * days * DAY_S)
        async with database.transaction() as session:
            for table, values in rows.items():
                if values:
                    await session.execute(insert(table), values)


def _conversation(rows: dict[type[Any], list[dict[str, Any]]], chance: random.Random, number: int, at: float) -> None:
    asked = chance.random() < 0.3
    rows[ConversationRow].append(
        {
            "tenant": TENANT, "id": f"c{number}", "visitor_id": f"v{chance.randrange(number + 1)}", "lang": "en",
            "state": "resolved" if asked else "bot", "version": 0, "generation": int(asked), "told_generation": 0,
            "last_seq": 0, "subject": "", "last_text": "", "last_author": "visitor", "created_at": at,
            "updated_at": at, "context": {}, "visitor_read_seq": 0, "agent_read_seq": 0,
            "queued_at": at + 60 if asked else None, "taken_at": at + 200 if asked else None,
            "first_response_at": at + 260 if asked else None, "resolved_at": at + 3000 if asked else None,
            "csat": chance.randint(1, 5) if asked and chance.random() < 0.4 else None,
        }
    )  # fmt: skip
    for turn in range(TURNS):
        routing = chance.choice(list(Routing))
        turn_id, moment = f"t{number}-{turn}", at + 40 * turn
        refused = None if routing in ANSWERING else str(chance.choice(list(RefusalReason)))
        rows[TurnFactRow].append(
            {
                "tenant": TENANT, "turn_id": turn_id, "conversation_id": f"c{number}", "at": moment,
                "routing": str(routing), "label": str(chance.choice(list(Label))), "refusal_reason": refused,
                "cost_usd": 0.001, "input_tokens": 900, "output_tokens": 80,
            }
        )  # fmt: skip
        for article in chance.sample(range(ARTICLES), 2) if routing in ANSWERING else ():
            cited = {
                "tenant": TENANT,
                "turn_id": turn_id,
                "article_id": f"a{article}",
                "title": "T",
                "url": "",
                "at": moment,
            }
            rows[CitedRow].append(cited)
        if chance.random() < 0.1:
            rating = {
                "tenant": TENANT,
                "turn_id": turn_id,
                "conversation_id": f"c{number}",
                "rating": "up",
                "at": moment,
            }
            rows[FeedbackRow].append(rating)


if __name__ == "__main__":
    main()
