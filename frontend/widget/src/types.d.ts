/** Shapes shared by the widget's modules: what the server sends, and what the pieces hand each other. */

declare global {
  const BUILD_ID: string;
  interface Window {
    handrail?: HandrailCommand;
  }
}

export interface HandrailCommand {
  (name: string, ...values: unknown[]): unknown;
  q?: ArrayLike<unknown>[];
  build?: string;
}

export type Routing =
  | "answered" | "partially_answered" | "low_confidence" | "followup" | "cannot_answer" | "high_stakes"
  | "out_of_scope" | "irrelevant" | "nonsense" | "handed_off" | "unavailable";

export type Offer = "none" | "link" | "button";

/** `quotes`: the passage's own words that support what cites it. */
export interface Citation { index: number; title: string; url: string; excerpt: string; quotes: string[]; places: unknown[] }
export interface Source { title: string; url: string }

/** A whole section. Offsets count code points: of `markdown` for `answering` and `foldAt`, of the answer for `span`. */
export interface Piece {
  markdown: string;
  /** Title of the article, and headings of the section. */
  heading: string;
  answering: [number, number] | null;
  /** Where it is folded; null shows all. */
  foldAt: number | null;
  steps: number;
  citation: number | null;
  span: [number, number] | null;
}

/** A section that looks close to the question. */
export interface Card { piece: Piece; open: boolean }

/** A turn's result with every field present, whatever the server left out. */
export interface Reply {
  answer: string;
  routing: Routing | "unknown";
  refusalReason: string;
  disclaimer: string;
  /** Why the answer is not in the visitor's language. */
  notice: string;
  citations: Citation[];
  sources: Source[];
  /** As the server sent them; read where they are drawn. Absent from what an earlier version kept. */
  pieces?: unknown[];
  closest?: unknown[];
  suggestions: string[];
  offer: Offer;
  escalationReason: string;
  conversationId: string;
  turnId: string;
  tokensIn: number;
  tokensOut: number;
  costUsd: number;
}

export interface Config {
  brandName: string;
  assistant: string;
  accent: string;
  lang: string;
  disclosure: string;
  welcome: string;
  suggestions: string[];
  topics: string[];
  person: { available: boolean; expectation: string };
  maxQuestion: number;
  linkHosts: string[];
  strings: Record<string, string>;
  /** The language of the chat's own words. */
  pageLang: string;
  /** Whether tokens and cost stand under each answer. */
  meter: boolean;
  /** Whether a transcript can be sent by e-mail. */
  mail: boolean;
}

/** One part of a streamed turn; fields that its type does not have are empty. */
export interface Part { type: string; id: string; delta: string; data: Record<string, any> }

export type Rating = "up" | "down";

export type Entry =
  | { kind: "visitor"; text: string; at: number; turnId: string; fork?: string; seq?: number }
  | { kind: "reply"; reply: Reply; at: number; takenBack?: boolean; rating?: Rating }
  | { kind: "stopped"; text: string; at: number; turnId: string }
  | { kind: "person"; by: "agent" | "system"; name: string; text: string; at: number; seq?: number }
  | { kind: "handoff"; receipt: Receipt; at: number };

export interface Receipt { reference: string; message: string; sent: string }

/** The versions of a conversation from one question on; the current one is in the session's entries. */
export interface Fork { current: number; versions: Entry[][] }

export interface Live {
  start(): void;
  stop(): void;
  typing(words: string): void;
}

/** What the part that talks to people may touch. */
export interface LiveParts {
  add(entry: Entry): void;
  say(words: string, busy?: boolean, still?: boolean): void;
  handler(person: boolean): void;
  place(node: HTMLElement | null): void;
  redraw(): void;
  log: HTMLElement;
}

/** What the menu's part may touch. `goTo` shows another conversation. */
export interface MoreParts {
  log: HTMLElement;
  foot: HTMLElement;
  goTo(conversation: Partial<Session>): void;
  say(words: string, busy?: boolean): void;
  focus(): void;
}

export interface More {
  /** Lines of the menu; `choose` closes it and does what was chosen. */
  items(choose: (act: () => void) => void): HTMLElement[];
  /** What the chat draws for a message as the server keeps it. */
  entries(message: Record<string, any>): Entry[];
  /** The form behind the pencil of a question. */
  edit(question: { text: string, longest: number, send: (question: string) => void, close: () => void }): HTMLFormElement;
  /** What the answer took; null where it took nothing. */
  meter(reply: Reply): HTMLElement | null;
  /** The form behind a thumb down. */
  reasons(send: (reason: string, words: string) => void, close: () => void): HTMLFormElement;
}

export interface Pieces {
  /**
   * Puts an answer's sections, or the cards that look closest, in the place of its text. Its sources get what they show when
   * they are opened: marks on the words that support the answer, and the pages they stand on.
   */
  lay(body: HTMLElement, reply: Reply, policy: import("./markdown/render.js").Policy): void;
}

export interface Pages {
  /** Puts the pages that a cited passage stands on into its source; they are fetched when that is opened. */
  show(fold: HTMLDetailsElement, citation: Citation, turnId: string): void;
}

export interface Session {
  /** What tells the server who the visitor is, and until when (milliseconds since the epoch). */
  token: string;
  tokenUntil: number;
  /** Number of the last message of the conversation that was seen. */
  seen: number;
  /** Number of the last message that was in view. */
  read: number;
  /** Who answers, as the server says: `bot`, `queued`, `person`, `handed_back` or `resolved`; empty before it has said so. */
  state: string;
  /** Whether a message of a person is heard. */
  sound: boolean;
  /** Whether a person is, or may be, in the conversation. */
  live: boolean;
  forks: Record<string, Fork>;
  conversationId: string;
  entries: Entry[];
  open: boolean;
  handoffKey: string;
}

export interface Options {
  /** Where the server's endpoints are, with a trailing slash. */
  base: string;
  script: string;
  widget: string;
  lang: string;
  theme: string;
  accent: string;
  label: string;
  launcher: boolean;
}

export interface Visitor {
  user: { name?: string; email?: string };
  /** `data` is shown to people at the desk; `token` is signed by the host's server. */
  context: { filters?: Record<string, unknown>; lang?: string; data?: Record<string, unknown>; token?: string };
}

export interface Bus {
  on(name: string, listener: (detail: unknown) => void): () => void;
  emit(name: string, detail?: unknown): void;
}

export type Translate = (key: string, values?: Record<string, string | number>) => string;

/** What every part of one mounted chat can reach. */
export interface Context {
  t: Translate;
  config: Config;
  options: Options;
  visitor: Visitor;
  session: Session;
  save(): void;
  /** Tells screen readers, without a trace on the page. */
  say(words: string): void;
  emit: Bus["emit"];
  /** Headers that say who the visitor is. */
  auth(): Promise<Record<string, string>>;
  /** POSTs to the server as the visitor; `path` without a leading slash. */
  post(path: string, body: object): Promise<Result<unknown>>;
  /** The part of the chat that most visitors never need; null when it cannot be fetched. */
  more(): Promise<More | null>;
  /** The part that draws whole sections; null when it cannot be fetched. */
  pieces(): Promise<Pieces | null>;
  /** An answer as it is written in a letter; `cite` says what stands for a citation, nothing without it. */
  plain(reply: Reply, cite?: (index: number) => string | null): string;
  /** Aborted when the chat is taken off the page; every outside listener and timer hangs on it. */
  signal: AbortSignal;
  actions: Actions;
}

/** What a button inside a message may ask for. */
export interface Actions {
  ask(question: string): void;
  person(reason: string): void;
  retry(turnId: string): void;
  /** Answers the same question again, as another version. */
  regenerate(turnId: string): void;
  /** Asks `question` in place of the turn's, as another version. */
  edit(turnId: string, question: string): void;
  showVersion(turnId: string, version: number): void;
  rate(entry: Entry & { kind: "reply" }, rating: Rating, reason: string, comment: string): Promise<boolean>;
}

export type Result<T> =
  | { ok: true; value: T }
  | { ok: false; kind: "stopped" }
  | { ok: false; kind: "limited"; retryAt: Date }
  | { ok: false; kind: "rejected"; code: string; message: string; challenge?: unknown }
  /** `wait`: milliseconds after which the server wants to be asked again. */
  | { ok: false; kind: "failed"; offline: boolean; wait?: number };

export interface Chat {
  open(focus: boolean): void;
  close(): void;
  reset(): void;
  person(): void;
  /** Puts the newest message in view again, after the host element was moved. */
  settle(): void;
  destroy(): void;
}

export interface MountArguments {
  root: ShadowRoot;
  inline: boolean;
  rawConfig: unknown;
  /** The wording of the visitor's language, or null for English. */
  words: Record<string, string> | null;
  options: Options;
  visitor: Visitor;
  emit: Bus["emit"];
  /** The configuration as it is now. */
  fetchConfig(): Promise<any>;
  onClose(): void;
}

export type Inline =
  | string
  | { type: "strong" | "em"; children: Inline[] }
  | { type: "link"; href: string; children: Inline[] }
  | { type: "code"; text: string }
  | { type: "cite"; index: number }
  | { type: "break" };

export type Block =
  | { type: "paragraph"; inline: Inline[] }
  | { type: "heading"; level: number; inline: Inline[] }
  | { type: "code"; text: string }
  | { type: "quote"; blocks: Block[] }
  | { type: "list"; ordered: boolean; start: number; items: Block[][] }
  | { type: "table"; head: Inline[][]; rows: Inline[][][] };
