"""One tree of small models: every tunable with its bounds and meaning."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import Field, SecretStr

from handrail.settings.answering import Generate, Guidance, Prompts, Suggest, Verify
from handrail.settings.base import Line, Probability, Section, advanced
from handrail.settings.decisions import Decide
from handrail.settings.fitted import fitted
from handrail.settings.people import Alerts, Customer, Hours, Oidc
from handrail.settings.providers import Drift, Judge, Llm
from handrail.settings.serving import Limits, Observe, Server, Storage, Stream
from handrail.settings.sources import Source


class Brand(Section):
    name: Line = Field("our company", min_length=1, max_length=60, description="The company the assistant speaks for.")
    assistant: Line = Field(
        "Assistant", min_length=1, max_length=60, description="Name shown above the assistant's messages."
    )
    accent: str = Field("#0b6e5f", pattern=r"^#[0-9a-fA-F]{6}$", description="Accent colour of the widget.")
    disclosure: str = Field(
        "You are chatting with an AI assistant. It answers from our help articles and can make mistakes.",
        min_length=20,
        description="AI disclosure shown before the first message. You can reword it but not remove it.",
    )
    welcome: str = Field("Hi! What can I help you with?", min_length=1, description="Greeting shown in an empty chat.")
    suggestions: list[str] = Field([], max_length=6, description="Questions offered as chips in an empty chat.")
    topics: list[str] = Field(
        [], max_length=12, description="Topics offered when a message asks nothing, or nothing the articles cover."
    )
    covers: str = Field(
        "",
        max_length=2000,
        description="A short text that says what the help articles cover. Default: their titles.",
    )
    link_hosts: list[str] = Field([], description="Hosts that links in answers may point to, besides cited articles.")
    person_available: bool = Field(True, description="Whether anybody reads requests for a person.")
    person_expectation: str = Field(
        "A person replies within one working day.", description="What visitors who ask for a person are told to expect."
    )
    strings: dict[str, str] = Field({}, description="Wording overrides for the widget, by string key.")
    meter: bool = advanced(
        False, description="Show tokens and cost under each answer. For operators, not for visitors."
    )


class Knowledge(Section):
    kb: str = Field(
        "sample", pattern=r"^[a-z0-9][a-z0-9_-]{1,40}$", description="Knowledge base that answers questions."
    )
    lang: Literal["ar", "de", "en", "es", "fr", "it", "nl", "pt", "ru"] | None = Field(
        None, description="Language of the articles, for stemming and stop words. Default: detected."
    )
    merge_below_tokens: int = fitted(
        "knowledge.merge_below_tokens",
        ge=0,
        le=200,
        description="Paragraphs shorter than this are merged with their neighbour.",
    )
    split_above_tokens: int = fitted(
        "knowledge.split_above_tokens", ge=60, le=480, description="Paragraphs longer than this are split at sentences."
    )
    overlap_tokens: int = fitted(
        "knowledge.overlap_tokens",
        ge=0,
        le=150,
        description="Whole sentences repeated between the parts of a split paragraph, up to this many tokens.",
    )
    url_base: str = Field(
        "",
        description="Base URL for articles that name no URL; their path is appended. Without it, such articles have "
        "no links.",
    )
    max_article_bytes: int = advanced(
        2_000_000,
        ge=1000,
        le=50_000_000,
        description="Largest article file, in bytes. Larger files are skipped and reported.",
    )
    page_images: bool = advanced(
        True,
        description="Keep pictures of the pages of PDF and parsed documents, so that an opened source shows where on "
        "its page it stands. Takes about 60 KB a page in `storage.data_dir`.",
    )
    sync_every_minutes: int = advanced(
        0,
        ge=0,
        le=100_000,
        description="How often the server runs `handrail sync` for `knowledge.kb`, in minutes. 0: never.",
    )
    desk_folders: list[Path] = advanced(
        [],
        description="Folders on the server that leads may name as sources at the desk, with what is in them.",
    )
    desk_private_network: bool = advanced(
        False,
        description="Whether sources declared at the desk may have addresses that aren't on the public internet.",
    )


class Models(Section):
    embedder: str = advanced(
        "bge-small-en-v1.5-int8", description="Local model name, or `st:<model>` with the torch extra."
    )
    reranker: str = advanced(
        "ms-marco-MiniLM-L12-v2-int8", description="Local model name, `st:<model>` with the torch extra, or `none`."
    )
    late: str = advanced(
        "answerai-colbert-small-v1-int8",
        description="Late-interaction encoder, which compares a question with passages word by word, or `none`.",
    )
    foreign: str = advanced(
        "multilingual-e5-small-q4",
        description="Encoder for messages in other languages: it classifies them and finds passages for them. It also "
        "detects crises and requests for a person in any language. `none` turns it off.",
    )
    reader: bool = advanced(
        True,
        description="Estimate whether each passage answers the question, for ranking and for the gate.",
    )
    folder: Path | None = advanced(
        None, description="A folder that already contains the weights. Default: the user's cache folder."
    )
    threads: int = advanced(2, ge=1, le=64, description="Texts each model processes in parallel, one CPU thread each.")
    embed_max_tokens: int = advanced(
        384, ge=32, le=512, description="Passages are truncated to this many tokens for the embedder."
    )
    rerank_max_tokens: int = fitted(
        "models.rerank_max_tokens",
        ge=32,
        le=512,
        description="Token limit for query and passage together, in the cross-encoder. It reads two words per five "
        "tokens of a passage, so that code is not cut off.",
    )
    batch_size: int = advanced(
        8,
        ge=1,
        le=256,
        description="Texts per call of an `st:` model. Up to four times as many waiting texts are processed together.",
    )
    queue_limit: int = advanced(
        4096, ge=1, le=100_000, description="Texts that may wait for a model before new work gets 'busy'."
    )
    busy_above: int = advanced(
        48,
        ge=0,
        le=100_000,
        description="If more pairs than this wait for the cross-encoder, turns submit fewer. 0 means never.",
    )
    remember: int = advanced(
        20_000,
        ge=0,
        le=1_000_000,
        description="Results per model kept in memory for repeated texts. 0 keeps none.",
    )


class Retrieval(Section):
    dense_k: int = fitted("retrieval.dense_k", ge=1, le=200, description="Passages taken from dense search.")
    keyword_k: int = fitted(
        "retrieval.keyword_k", ge=0, le=200, description="Passages taken from keyword search. 0 turns it off."
    )
    dense_weight: Probability = fitted(
        "retrieval.dense_weight",
        description="Weight of dense search in a passage's score. The rest is keyword search. Questions with an "
        "error code or similar rely mostly on keywords anyway.",
    )
    article_weight: Probability = fitted(
        "retrieval.article_weight",
        description="Share of the fused score that depends on how well the whole article fits the query.",
    )
    article_keyword_weight: Probability = fitted(
        "retrieval.article_keyword_weight",
        description="Weight of keyword search in the fit of whole articles. The rest is vector similarity.",
    )
    late_weight: Probability = fitted(
        "retrieval.late_weight",
        description="Share of the fused score that depends on late interaction. 0 turns it off.",
    )
    figure_weight: Probability = fitted(
        "retrieval.figure_weight",
        description="Times the probability that what a machine says of a figure answers. 1 weighs it like text.",
    )
    rerank_depth: int = fitted(
        "retrieval.rerank_depth",
        ge=0,
        le=100,
        description="Sections that the cross-encoder reads together with the question. 0 turns it off.",
    )
    canonical_weight: float = fitted(
        "retrieval.canonical_weight",
        ge=1.0,
        le=2.0,
        description="Factor on the odds that a section answers, for articles with `tier: canonical`.",
    )
    raw_weight: float = fitted(
        "retrieval.raw_weight", gt=0.0, le=1.0, description="The same for articles with `tier: raw`."
    )
    machine_weight: float = fitted(
        "retrieval.machine_weight", gt=0.0, le=1.0, description="The same for articles with `tier: machine`."
    )
    outdated_weight: float = fitted(
        "retrieval.outdated_weight",
        gt=0.0,
        le=1.0,
        description="The same for articles that are deprecated or superseded.",
    )
    related: bool = advanced(
        True, description="Name articles beside an answer that are linked from it, come next or replace it."
    )
    top_k: int = advanced(5, ge=1, le=50, description="Passages kept after ranking.")
    max_per_article: int = advanced(3, ge=1, le=20, description="Passages kept per article.")


class Classify(Section):
    mode: Literal["local", "llm", "cascade"] = advanced(
        "local",
        description="`cascade` asks the LLM only when the local encoders are unsure. Without an LLM it behaves like "
        "`local`.",
    )
    unsure_below: Probability = fitted(
        "classify.unsure_below", description="Local probability below which the cascade asks the LLM."
    )
    static_above: Probability = fitted(
        "classify.static_above",
        description="A fixed reply needs at least this probability. Below it, the message is treated as a question.",
    )
    asked_above: Probability = fitted(
        "classify.asked_above",
        description="What is left of a sentence after a secret or a contact was taken out asks for something from this "
        "probability. Below it, the sentence only says what was taken out, and is left out of the search.",
    )
    called_above: Probability = fitted(
        "classify.called_above",
        description="Words beside a phone number ask for a person from this probability. Below it, they only say where "
        "somebody can be reached.",
    )


class Memory(Section):
    window_tokens: int = advanced(
        800,
        ge=0,
        le=8000,
        description="Token limit for earlier questions and answers that a turn can use. 0 turns the memory off.",
    )
    ttl_s: int = advanced(
        3600, ge=60, le=2_592_000, description="Seconds that a conversation is remembered after its last turn."
    )
    max_conversations: int = advanced(
        5000, ge=1, le=1_000_000, description="Conversations remembered at once in a process without Redis."
    )
    rewrite: Literal["auto", "local", "llm", "off"] = advanced(
        "auto",
        description="What makes follow-ups standalone. `auto` is `local`; `llm` asks the LLM, one more call for a "
        "message that may be a follow-up.",
    )


class Rewrite(Section):
    llm: bool = advanced(False, description="Let the LLM expand short queries, if one is configured: one more call.")
    decompose: bool = advanced(
        False,
        description="Let the LLM read messages of 30 words and more as up to five questions, each looked up for "
        "itself: one more call. For whole cases that need several articles.",
    )


class Gates(Section):
    answered: Probability | None = advanced(
        None,
        description="Probability at or above which a section is shown as the answer. Default: the value fitted to "
        "the knowledge base, or the one that ships.",
    )
    closest: Probability | None = advanced(
        None,
        description="Probability at or above which a section is shown as a closest match. Below it, the visitor is "
        "asked for details. Default: the fitted value.",
    )
    calibration: Path | None = advanced(
        None, description="Another calibration file. Default: the knowledge base's own, or the one that ships."
    )


class HighStakes(Section):
    policy_file: Path | None = Field(
        None, description="Your written retention policy (TOML). Without one, no offer is ever made."
    )


Urgency = Literal["urgent", "high", "normal", "off"]


class Desk(Section):
    secret: SecretStr | None = advanced(
        None,
        description="Signs visitor tokens. Default: generated once and kept in data_dir. Environment variable: "
        "HANDRAIL__DESK__SECRET.",
    )
    session_hours: int = advanced(12, ge=1, le=720, description="Hours after which agents must sign in again.")
    retention_days: int = Field(
        180,
        ge=0,
        le=36_500,
        description="Days that conversations are kept after their last message. 0 deletes them an hour after it, "
        "unless a person is involved.",
    )
    trace_days: int = advanced(
        30,
        ge=0,
        le=36_500,
        description="Days that traces are kept, which show how each answer came about. They are deleted with their "
        "conversation in any case. 0 keeps none.",
    )
    reopen_days: int = advanced(
        7, ge=0, le=365, description="Days during which a resolved conversation can be reopened."
    )
    crisis_priority: Urgency = advanced(
        "urgent", description="Priority of conversations in which somebody may be in danger. `off`: no alert."
    )
    high_stakes_priority: Urgency = advanced("high", description="The same for questions with high stakes.")
    unanswered_priority: Urgency = advanced("normal", description="The same for two questions without an answer.")
    messages_per_minute: int = advanced(
        30, ge=0, le=1000, description="Messages per IP address and minute while a person answers. 0 means unlimited."
    )
    second_factor: Literal["optional", "required"] = advanced(
        "optional",
        description="With 'required', who signs in with a password and has no second factor can only set one up. "
        "Company accounts have theirs at their provider.",
    )
    sign_in_failures: int = advanced(
        5,
        ge=1,
        le=100,
        description="Wrong passwords per account and IP address in 15 minutes before sign-in is blocked. For all "
        "accounts from one IP address, four times as many.",
    )
    sign_in_failures_of_account: int = advanced(
        50,
        ge=5,
        le=10_000,
        description="Wrong passwords per account in 15 minutes from all addresses together. Browsers that have "
        "signed in before are counted separately.",
    )


class Settings(Section):
    """The whole tree. Build it with `load_settings`, which explains what is wrong."""

    server: Server = Server()
    stream: Stream = Stream()
    brand: Brand = Brand()
    knowledge: Knowledge = Knowledge()
    models: Models = Models()
    retrieval: Retrieval = Retrieval()
    classify: Classify = Classify()
    memory: Memory = Memory()
    rewrite: Rewrite = Rewrite()
    gates: Gates = Gates()
    generate: Generate = Generate()
    suggest: Suggest = Suggest()
    guidance: Guidance = Guidance()
    prompts: Prompts = Prompts()
    verify: Verify = Verify()
    decisions: Decide = Decide()
    llm: Llm = Llm()
    high_stakes: HighStakes = HighStakes()
    customer: Customer = Customer()
    hours: Hours = Hours()
    alerts: Alerts = Alerts()
    limits: Limits = Limits()
    storage: Storage = Storage()
    observe: Observe = Observe()
    desk: Desk = Desk()
    oidc: Oidc = Oidc()
    judge: Judge = Judge()
    drift: Drift = Drift()
    sources: list[Source] = Field([], max_length=200)
