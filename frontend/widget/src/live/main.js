/** @import {Context, Entry, Live} from "../types" */
import styles from "./live.css";
import { sheet } from "../shared/sheet.js";
import { createEventReader } from "../chat/sse.js";
import { record, text } from "../chat/shape.js";
import { createRatingForm } from "./rating-form.js";

const FIRST_WAIT_MS = 1000;
const LONGEST_WAIT_MS = 20_000;
const TYPING_EVERY_MS = 3000;
const WITH_PEOPLE = ["queued", "person"];

/**
 * The conversation with people: their messages as they come, who is there, and how it ended.
 * @param {Context} context
 * @param {{ add: (entry: Entry) => void, say: (words: string, busy?: boolean) => void, handler: (person: boolean) => void, place: (node: HTMLElement | null) => void }} parts
 * @returns {Live}
 */
export function createLive(context, { add, say, handler, place }) {
  const { t, session, options, signal, auth } = context;
  /** @type {AbortController | null} */
  let life = null;
  let state = "";
  let told = 0;
  const looks = sheet(styles);
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let hush;
  const url = (/** @type {string} */ path) => `${options.base}conversations/${encodeURIComponent(session.conversationId)}${path}`;

  async function start() {
    if (life && !life.signal.aborted) return;
    life = new AbortController();
    const mine = life;
    signal.addEventListener("abort", () => mine.abort(), { once: true });
    for (let wait = FIRST_WAIT_MS; !mine.signal.aborted; wait = Math.min(wait * 2, LONGEST_WAIT_MS)) {
      try {
        const response = await fetch(url(`/events?after=${session.seen}`), { headers: await auth(), credentials: "omit", signal: mine.signal });
        if (response.status === 404 || response.status === 401) break;
        if (response.ok && response.body) {
          wait = FIRST_WAIT_MS;
          const read = createEventReader(({ data }) => take(record(JSON.parse(data))));
          const reader = response.body.getReader();
          for (let part = await reader.read(); !part.done; part = await reader.read()) read(part.value);
        }
      } catch {
        // The connection went; what was missed comes with the next one.
      }
      if (!mine.signal.aborted) await new Promise((resolve) => { setTimeout(resolve, wait); });
    }
    mine.abort();
  }

  /** @param {Record<string, any>} event */
  function take(event) {
    if (event.type === "message") message(event);
    else if (event.type === "state") changed(event);
    else if (event.type === "typing" && event.author === "agent") typed(event);
  }

  /** @param {Record<string, any>} event */
  function message({ seq, author, name, text: words, at }) {
    if (!(seq > session.seen)) return;
    session.seen = seq;
    if ((author === "agent" || (author === "system" && !receiptSaysIt(words))) && text(words)) {
      say("");
      add({ kind: "person", by: author, name: text(name), text: words, at: Number(at) * 1000 || Date.now() });
      if (author === "agent") context.emit("answer", { routing: "person" });
    }
    context.save();
    void send("/read", { seq });
  }

  /** @param {string} words a hand-off is announced once: the receipt in the conversation has its reference already */
  function receiptSaysIt(words) {
    return session.entries.some((entry) => entry.kind === "handoff" && entry.receipt.reference && words.includes(entry.receipt.reference));
  }

  /** @param {Record<string, any>} event */
  function changed(event) {
    state = text(event.state);
    handler(state === "person");
    const wait = Number(event.expected_wait_s);
    const minutes = new Intl.NumberFormat(context.config.lang, { style: "unit", unit: "minute", unitDisplay: "long" }).format(Math.max(1, Math.ceil(wait / 60)));
    say(state === "queued" ? text(event.text) || [t("waiting"), wait && t("wait_expected", { time: minutes })].filter(Boolean).join(" ") : "", state === "queued");
    const form = state === "resolved" && event.generation ? createRatingForm(context, { send, reopen }) : null;
    place(form);
    if (form) dress(form);
  }

  /** @param {HTMLElement} form brings its looks along */
  function dress(form) {
    const root = form.getRootNode();
    if (root instanceof ShadowRoot && !root.adoptedStyleSheets.includes(looks)) root.adoptedStyleSheets = [...root.adoptedStyleSheets, looks];
  }

  /** @param {Record<string, any>} event */
  function typed({ name, on }) {
    clearTimeout(hush);
    say(on === false ? "" : t("typing", { name: text(name, t("team_plain")) }), on !== false);
    hush = setTimeout(() => say(""), 6000);
  }

  /** @param {string} path @param {object} body @returns {Promise<boolean>} */
  async function send(path, body) {
    try {
      const response = await fetch(url(path), { method: "POST", credentials: "omit", headers: { "Content-Type": "application/json", ...(await auth()) },
        body: JSON.stringify(body), signal });
      return response.ok;
    } catch {
      return false;
    }
  }

  async function reopen() {
    if (await send("/reopen", {})) place(null);
  }

  return {
    start: () => void start(),
    stop: () => life?.abort(),
    typing(words) {
      if (!WITH_PEOPLE.includes(state) || !words || Date.now() - told < TYPING_EVERY_MS) return;
      told = Date.now();
      void send("/typing", { on: true });
    },
  };
}

