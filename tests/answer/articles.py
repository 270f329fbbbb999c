"""Articles as evidence, cut into passages by the real chunker."""

from __future__ import annotations

from collections.abc import Sequence

from handrail.knowledge import Article
from handrail.types import Evidence, Hit
from tests.knowledge.articles import article, chunker

DOMAIN = article(
    """With this method you change two records. Your e-mail keeps working.

## Step 1: Add the domain

1. Go to **Settings > Domains**.
2. Enter the domain:
   - without `www`
   - in small letters
3. Choose **DNS records**.

Keep this page open. It shows the values you need.

## Step 2: Change the records

1. Sign in to your provider.
2. Add these two records:

| Type | Value |
| --- | --- |
| A | `203.0.113.20` |
| CNAME | `sites.example` |

3. Save.

> **Note:** Some providers want an empty field here. Both are fine.

## Step 3: Check the connection

1. Return to **Settings > Domains**.
2. Select **Check now**.

DNS changes take up to 48 hours. They usually take less than 2. See [Certificates](certificates.md).
""",
    "domains:connect",
    "Connect a domain",
)

PLANS = article(
    """This article lists what each plan costs.

## Prices

All prices are in euros and exclude VAT.

| Plan | Price |
| --- | --- |
| Free | EUR 0 |
| Solo | EUR 14 |
| Studio | EUR 32 |

A yearly plan is charged once. It also includes a domain for the first year.

## Who can change it

You can do this when you are one of these:

- Owner of the account
- Administrator with the billing role
""",
    "billing:plans",
    "Compare the plans",
)


def evidence(query: str, *articles: Article, merge: int = 50) -> Evidence:
    """Every passage of the articles in reading order, the first one best, as near one another as found ones are."""
    cut = chunker(merge_below_tokens=merge)
    passages = [passage for one in articles for passage in cut.passages(one)]
    return Evidence(query, [Hit(passage, final=max(0.8 - 0.05 * rank, 0.3)) for rank, passage in enumerate(passages)])


def near(query: str, text: str) -> float:
    """A logit from shared words, as a cross-encoder would find them."""
    wanted = set(query.lower().split())
    return 10.0 * len(wanted & set(text.lower().replace(".", " ").split())) / len(wanted) - 5.0


def score(pairs: Sequence[tuple[str, str]]) -> list[float]:
    return [near(query, text) for query, text in pairs]
