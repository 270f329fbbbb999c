/** Shapes shared by the desk's modules: what the server sends, and what the pieces hand each other. */

export type State = "bot" | "queued" | "person" | "handed_back" | "resolved";
export type Role = "agent" | "lead" | "admin";
export interface Person { id: string; name: string }
export interface Me extends Person { email: string; role: Role }
export interface Colleague extends Person { online: boolean; role?: Role; email?: string; active?: boolean }

/** One line of the queue. Times are seconds since the epoch. */
export interface Item {
  id: string;
  reference: string | null;
  state: State;
  label: string | null;
  reason: string | null;
  lang: string | null;
  subject: string | null;
  last_text: string | null;
  last_author: string | null;
  queued_at: number | null;
  updated_at: number;
  owner: Person | null;
  version: number;
  unread: number;
  generation: number;
  concern: string | null;
  priority: number;
}

/** Since when the assistant is paused for all visitors, in seconds since the epoch, and who paused it; empty for the command line. */
export interface Pause { since: number; by: string }

export interface Counts { queued: number; worth: number; mine: number; person: number; resolved: number }
export interface Page { items: Item[]; next: string | null; counts: Counts }

export interface Filters {
  view: string;
  label: string;
  reason: string;
  lang: string;
  owner: string;
  q: string;
  sort: "waiting" | "updated";
}

export interface Message {
  id: string;
  seq: number;
  author: "visitor" | "assistant" | "agent" | "system";
  name?: string | null;
  user_id?: string | null;
  text: string;
  kind: "message" | "announcement" | "event";
  turn_id?: string | null;
  at: number;
  /** Only here: a reply of ours on its way, or one that did not arrive. */
  sending?: "now" | "failed";
}

export interface Note { id: string; user_id: string; name?: string | null; text: string; at: number }
/** A line of a past that only the visitor's page told us of. */
export interface Claimed { said_by: "visitor" | "assistant"; text: string }
export interface Passage { id?: string; title: string; url: string; excerpt: string; score: number | null }
export interface Claim { id?: string; text: string; support: string; score?: number | null; citations?: number[] }

export interface Turn {
  turn_id: string;
  question: string;
  routing: string;
  label: string | null;
  refusal_reason: string | null;
  confidence: number | null;
  passages: Passage[];
  claims: Claim[];
  meta?: Record<string, unknown>;
  /** Absent from older servers. */
  closest?: Card[];
  /** Whether its trace can be opened by this user. */
  traced?: boolean;
}

/** How a turn came about. Times are milliseconds, but for `at`. */
export interface Trace {
  trace_id: string;
  turn_id: string;
  conversation_id: string;
  at: number;
  ms: number | null;
  kb: string;
  kb_version: string;
  settings: string;
  input: { text: string; history: { question: string; answer: string; routing: string }[] };
  stages: Stage[];
  outcome: {
    routing: string; label?: string; label_probability?: number; refusal_reason?: string | null; confidence?: number; answer?: string;
    degraded?: string[]; error?: string | null;
  };
  answered_by: { provider: string | null; model: string | null; tokens: { input: number; output: number; cached: number | null }; cost_usd: number };
}

export interface Stage {
  name: string;
  ms: number | null;
  input: unknown;
  output: unknown;
  values: Record<string, unknown>;
  stages: Stage[];
  model?: string;
  prompt?: { name: string; origin: string; version: string; digest: string };
  tokens?: Record<string, number>;
  error?: string;
}

export interface Sense { text: string; label: string; probability: number; by: string; prior: number; probabilities: Record<string, number> }

/** What was found for one request. */
export interface Found {
  text: string;
  query: string;
  label: string;
  band: string;
  probability: number;
  unlisted: string[];
  sections: { id: string; title: string; url: string; probability: number; signals: Record<string, number> }[];
  passages: { id: string; title: string; url: string; excerpt: string; final: number; dense: number; keyword: number; fused: number; late: number | null }[];
}

export interface Difference { stage: string; what: string; before: unknown; after: unknown }
export interface Comparison { same: boolean; differences: Difference[]; setup: { what: string; before: unknown; after: unknown }[] }

/** A section that looked close to the question; `open` when the visitor saw its text at once. */
export interface Card { title: string; section: string; open: boolean; piece: { markdown: string } }

export interface Feedback { turn_id: string; rating: "up" | "down"; reason?: string | null; comment?: string | null }
export interface Similar { id: string; reference?: string | null; subject: string; resolve_cause?: string | null; last_text?: string | null; score?: number | null; updated_at?: number }

export interface Conversation extends Item {
  concern_turn_id: string | null;
  resolve_cause?: string | null;
  csat?: number | null;
  csat_comment?: string | null;
  visitor_read_seq?: number;
  agent_read_seq?: number;
  first_response_at?: number | null;
}

export interface Detail {
  conversation: Conversation;
  messages: Message[];
  /** Absent from older servers. */
  claimed?: Claimed[];
  notes: Note[];
  turns: Turn[];
  feedback: Feedback[];
  visitor: { context: Record<string, unknown> | null; email: string | null; online?: boolean; other_conversations: Item[] };
}

export interface Canned { id: string; title: string; text: string }
export interface Draft { text: string; citations: { index: number; title: string; url: string }[] }

/** A file of articles that waits for approval. */
export interface Upload { id: string; name: string; size: number; by: string; at: number }
/** One that visitors get answers from. */
export interface ArticleFile extends Omit<Upload, "id"> { version: number; versions: number[]; articles: string[]; tags: string[] }
export interface UploadPreview extends Upload {
  articles: { id: string; title: string; url: string; for_agents: boolean; planted: boolean; sections: { heading: string; text: string }[] }[];
  notes: string[];
  suggested_tags: string[];
  planted: boolean;
  replaces: boolean;
}

export interface Source {
  id: string;
  kind: string;
  where: string;
  locale: string;
  folder: string;
  branch: string;
  url_base: string;
  active: boolean;
  declared: "config" | "desk";
  has_token: boolean;
  articles: number;
}

interface Synced {
  finished: number; error?: string; stopped?: string; added?: string[]; changed?: string[]; removed?: string[]; quarantined?: string[];
  suspicious?: Record<string, string>; unread?: Record<string, string>;
}

export interface SyncState {
  items: Source[];
  folders: string[];
  every_minutes: number;
  running: boolean;
  stopping: boolean;
  last: Synced | null;
  preview: (Synced & { source: string }) | null;
}

export type Translate = (key: string, values?: Record<string, string | number>) => string;

export interface Api {
  get(path: string, query?: Record<string, string | number | null | undefined>): Promise<any>;
  post(path: string, body?: unknown): Promise<any>;
  put(path: string, body?: unknown): Promise<any>;
  remove(path: string): Promise<any>;
  url(path: string, query?: Record<string, string | number | null | undefined>): string;
  upload(path: string, query: Record<string, any>, file: File, stop: AbortSignal, progress: (share: number) => void): Promise<any>;
  setCsrf(token: string): void;
}

export type Preference = "sound" | "shortcuts" | "away";

export interface Preferences {
  get(name: Preference): boolean;
  set(name: Preference, value: boolean): void;
}

/** What every part of the signed-in desk can reach. */
export interface Desk {
  t: Translate;
  api: Api;
  me: Me;
  brand: string;
  people: Map<string, Colleague>;
  preferences: Preferences;
  on(name: string, listener: (detail: any) => void): () => void;
  emit(name: string, detail?: unknown): void;
  /** Says it politely to assistive technology and shows it for a while. */
  say(text: string, kind?: "" | "bad"): void;
  /** Shows what went wrong in words; a lost session goes back to the sign-in. */
  fail(error: unknown): void;
  keys(bindings: Record<string, () => void>): () => void;
}

/** One page of the desk: its element, and what to undo when it is left. */
export interface View { element: HTMLElement; close?(): void; route?(rest: string[]): void }
