"""What a turn gives back, field by field."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, Field

from api.fields import Probability
from handrail.types import Label, Offer, RefusalReason, Routing


class PageImage(BaseModel):
    """The picture of a page: `GET /pages/{name}?turn_id=…`, as the visitor whose answer cites it."""

    name: str = Field(examples=["65900369e646072bd1a2-3"])
    width: int = Field(ge=1, description="In pixels.", examples=[1200])
    height: int = Field(ge=1, description="In pixels.", examples=[1698])


class Place(BaseModel):
    """Where something stands in the document that an article was read from."""

    page: int = Field(ge=1, examples=[3])
    box: list[Probability] | None = Field(
        None,
        description="Left, top, right and bottom as shares of the page's width and height, from its upper left corner.",
        min_length=4,
        max_length=4,
        examples=[[0.1, 0.25, 0.9, 0.4]],
    )
    image: PageImage | None = Field(None, description="Null where there is no picture of the page.")


class Citation(BaseModel):
    """A numbered proof: `[index]` in the answer points here."""

    index: int = Field(ge=1, examples=[1])
    id: str = Field(
        description="Id of the passage, stable while its article keeps its shape.", examples=["domains:connect/2"]
    )
    title: str = Field(description="Title of the article.", examples=["Connect a domain"])
    url: str = Field(examples=["https://help.example.com/domains/connect#steps"])
    excerpt: str = Field(description="The passage itself.", examples=["Open Settings and choose Domains."])
    score: Probability = Field(description="Calibrated probability that the passage holds the answer.", examples=[0.93])
    support: Literal["supported", "unsupported", "unverified"] = Field(
        description="What checking the claims against the passage found; the weakest of them."
    )
    quote: str | None = Field(
        None,
        description="The exact words of the excerpt that support the first claim citing it.",
        examples=["choose Domains"],
    )
    quotes: list[str] = Field(
        [], description="All supporting words, in reading order; each is found literally in the excerpt."
    )
    places: list[Place] = Field(
        [],
        description="Where the passage stands in its document, one place a page; of a row of a table, its cells. Empty "
        "for articles without pages.",
    )


class Claim(BaseModel):
    """One statement of the answer, and what checking it found."""

    id: str = Field(description="Stable within the turn, also while it streams.", examples=["c1"])
    text: str = Field(description="Markdown, without citation marks.", examples=["Open **Settings**."])
    citations: list[int] = Field(description="Indexes of the citations it rests on.", examples=[[1]])
    support: Literal["supported", "unsupported", "unverified"]
    score: Probability | None = Field(
        description="Calibrated probability that its passages state it; null while unverified.", examples=[0.97]
    )
    quote: str | None = Field(None, description="The exact supporting words.", examples=["Open Settings"])


Range = Annotated[list[Annotated[int, Field(ge=0)]], Field(min_length=2, max_length=2)]
"""Start and end, counted in Unicode code points; the end is exclusive."""


class Piece(BaseModel):
    """A whole section of an article, or a whole procedure, as it is shown."""

    markdown: str = Field(
        description="All of it, including what a client may fold, without the citation mark.",
        examples=["1. Open **Settings**.\n2. Choose **Domains**."],
    )
    title: str = Field(description="Title of the article.", examples=["Connect a domain"])
    section: str = Field(
        description="Headings of the section, outermost first, joined by ` › `; empty for the opening of an article.",
        examples=["Before you start › Steps"],
    )
    id: str = Field(description="Id of the passage that its citation opens.", examples=["domains:connect/2"])
    article_id: str = Field(examples=["domains:connect"])
    url: str = Field(examples=["https://help.example.com/domains/connect#steps"])
    answering: Range | None = Field(
        None, description="Range of the sentence in `markdown` that answers the question.", examples=[[3, 21]]
    )
    collapsed_after: int | None = Field(
        None, ge=0, description="Offset in `markdown` from which a client may fold it; null shows all.", examples=[None]
    )
    steps: int = Field(0, ge=0, description="Numbered steps in all of it.", examples=[2])
    citation: int | None = Field(None, ge=1, description="Index of its citation; null in a card.", examples=[1])
    span: Range | None = Field(
        None,
        description="Range of the piece in `answer`, citation mark included; null in a card.",
        examples=[[0, 49]],
    )


class Card(BaseModel):
    """A section that looks close to the question, without the claim that it answers it."""

    title: str = Field(description="Title of the article.", examples=["Connect a domain"])
    section: str = Field(description="As in its piece.", examples=["Steps"])
    article_id: str = Field(examples=["domains:connect"])
    url: str = Field(examples=["https://help.example.com/domains/connect#steps"])
    open: bool = Field(description="Whether its text is shown from the start; `answer` then holds it, too.")
    piece: Piece


class AskedFor(BaseModel):
    """One of the requests of a message, and what became of it."""

    text: str = Field(
        description="The request by itself; card numbers, IBANs and access tokens are taken out.",
        examples=["How do I connect my domain?"],
    )
    label: Label
    routing: Routing
    citations: list[int] = Field(description="Indexes of the citations that answer it.", examples=[[1]])


class Related(BaseModel):
    """An article that belongs beside what is shown, by what the articles say of each other."""

    id: str = Field(description="Id of the article.", examples=["domains:renew"])
    title: str = Field(examples=["Renew a domain"])
    url: str = Field(description="Empty where the article has none.", examples=["https://help.example.com/renew"])
    relation: Literal["superseded_by", "next", "related", "link"] = Field(
        description="How the shown article names it; `superseded_by` stands in its place."
    )


class Source(BaseModel):
    """An article to link below the answer."""

    title: str = Field(examples=["Connect a domain"])
    url: str = Field(examples=["https://help.example.com/domains/connect"])


class Escalation(BaseModel):
    """How a person is offered beside the answer."""

    offer: Offer = Field(description="`none`, an inline `link`, or a `button`.")
    reason: str | None = Field(description="Why, for programs.", examples=[None, "high_stakes"])


class Classification(BaseModel):
    """What kind of message it was taken for."""

    label: Label
    probability: Probability = Field(examples=[0.97])
    by: str = Field(description="`local`, `llm`, `decision` or `rule`.", examples=["local"])


class Tokens(BaseModel):
    """LLM tokens the turn took; zero without an LLM."""

    input: int = Field(ge=0, examples=[0])
    output: int = Field(ge=0, examples=[0])
    cached: int = Field(0, ge=0, description="Input tokens that the provider had read before.", examples=[0])


class Attempt(BaseModel):
    """One call of a language model."""

    task: str = Field(description="What it was asked for.", examples=["answer"])
    provider: str = Field(examples=["llm"])
    model: str = Field(examples=["gpt-5-mini"])
    outcome: Literal["ok", "failed", "stalled", "rejected", "skipped", "over_budget"] = Field(
        description="`failed` may work later, `rejected` needs other settings or was declined, `skipped` is left alone "
        "for a while after failures."
    )
    ms: float = Field(ge=0, examples=[812.4])
    reason: str | None = Field(
        None, description="Why, where it did not go well: such as `timeout` or `not_json`.", examples=["timeout"]
    )


class ModelUsage(BaseModel):
    tokens: Tokens
    cost_usd: float = Field(ge=0, description="In US dollars.")


class Meta(BaseModel):
    """How the answer came about."""

    classification: Classification
    provider: str = Field(description="What wrote the answer; `static` for fixed replies.", examples=["extractive"])
    model: str | None = Field(description="Model of that provider, where it has one.", examples=[None])
    cached: bool = Field(False, description="Whether the answer was written for an earlier turn, and no model asked.")
    kb_version: str = Field("", description="Version of the articles in use.", examples=["8ed2ec0b2437033f"])
    attempts: list[Attempt] = Field(description="Calls of language models, in order; empty without one.")
    degraded: list[str] = Field(
        description="What the turn went on without because it failed or took too long, such as `rewrite`, `verify`, "
        "`decisions` (a decision model; the local one decided), `index` (all passages in memory were compared instead) "
        "or `answer` (quoted from the articles instead); "
        "`assistant` when only a person was left.",
        examples=[[]],
    )
    degraded_reasons: dict[str, str] = Field(
        description="Why, for each part in `degraded`: such as `unreachable`, `timeout`, `not_json`, `request_refused` "
        "or `failed`.",
        examples=[{}],
    )
    retrieved: int = Field(ge=0, description="Passages found.", examples=[5])
    filters: dict[str, str | list[str]] = Field(
        description="The filters that were applied; a list where a key was given several values.",
        examples=[{"project_key": "store"}],
    )
    latency_ms: dict[str, float] = Field(description="Milliseconds per stage, and `total`.", examples=[{"total": 90}])
    tokens: Tokens
    cost_usd: float = Field(ge=0, description="Price of the LLM tokens, in US dollars.", examples=[0.0])
    models: dict[str, ModelUsage] = Field(
        {}, description="Tokens and price of each language model that was asked, by its name.", examples=[{}]
    )


class AskResponse(BaseModel):
    """The outcome of a turn. A refusal is a result too, and comes with status 200."""

    answer: str = Field(
        description="Markdown with `[n]` behind each claim.",
        examples=["Open **Settings** and choose **Domains** [1]."],
    )
    routing: Routing = Field(description="What the visitor should see; the widget has one look for each.")
    refused: bool = Field(description="True when this is not an answer; `refusal_reason` says why.")
    refusal_reason: RefusalReason | None = Field(description="For programs; never localised.")
    disclaimer: str | None = Field(description="To be shown above the answer, set apart.")
    notice: str | None = Field(
        None,
        description="To be shown above the answer: why it is not in the visitor's language. Never a doubt about it.",
    )
    lang: str = Field(
        "en", description="Language of the reply's own words: the visitor's, found from the message.", examples=["de"]
    )
    citations: list[Citation]
    sources: list[Source] = Field(description="Articles to link, best first; at most two.")
    suggestions: list[str] = Field(description="Chips to offer.", examples=[["How do I renew a domain?"]])
    escalation: Escalation
    confidence: Probability = Field(
        description="Calibrated probability that the articles hold the answer.", examples=[0.93]
    )
    claims: list[Claim] = Field([], description="What the answer is made of, in order.")
    factuality: Probability | None = Field(
        None,
        description="Share of the drafted claims that their passages support, removed ones included; null where none "
        "was checked.",
        examples=[1.0],
    )
    pieces: list[Piece] = Field(
        [],
        description="The whole sections that the answer is made of, in order; empty where a language model wrote it. "
        "`answer` holds all of them.",
    )
    closest: list[Card] = Field(
        [],
        description="Up to three sections that look closest, best first, where no clear answer was found. To be shown "
        "below the disclaimer, in place of `answer`.",
    )
    related: list[Related] = Field(
        [], description="Up to four articles one step away from those that are shown; none of these was read for it."
    )
    requests: list[AskedFor] = Field(
        [], description="What the message asks, in order; empty for one that asks for nothing."
    )
    conversation_id: str = Field(description="Send it with the next question.", examples=["c-8f14e45f"])
    turn_id: str = Field(examples=["0b8f3a52-4a55-4f0e-9d39-3f3b2c1f5a11"])
    trace_id: str = Field(description="Finds this turn in the traces.", examples=["4bf92f3577b34da6a3ce929d0e0e4736"])
    meta: Meta
