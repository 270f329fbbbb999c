/** @import {Context, Live, LiveParts} from "../types" */
import english from "../lang/en.live.json";
import rating from "../styles/rating.css";
import styles from "./live.css";
import { el } from "../shared/dom.js";
import { sheet } from "../shared/sheet.js";
import { wordsOver } from "../shared/words-over.js";
import { createEventReader } from "../chat/sse.js";
import { record, text } from "../chat/shape.js";
import { withPeople } from "../chat/session.js";
import { createAnnounced } from "./announced.js";
import { createOthers } from "./others.js";
import { createRatingForm } from "./rating-form.js";
import { createSeen } from "./seen.js";
import { chime } from "./sound.js";
import { watchView } from "./view.js";

const FIRST_WAIT_MS = 1000;
const LONGEST_WAIT_MS = 20_000;
const TYPING_EVERY_MS = 3000;

/**
 * The conversation with people: their messages as they come, who is there, and how it ended.
 * @param {Context} context
 * @param {LiveParts} parts
 * @returns {Live}
 */
export function createLive(context, { add, say, handler, place, redraw, log }) {
  const { session, options, signal, auth } = context;
  const t = wordsOver(context.t, english);
  /** @type {AbortController | null} */
  let life = null;
  let told = 0;
  const looks = sheet(rating + styles);
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let hush;
  const url = (/** @type {string} */ path) => `${options.base}conversations/${encodeURIComponent(session.conversationId)}${path}`;
  const root = log.getRootNode();
  if (root instanceof ShadowRoot) root.adoptedStyleSheets = [...root.adoptedStyleSheets, looks];
  const speaker = el("p", { class: "speaker", dir: "auto" });
  log.parentNode?.querySelector(".who")?.append(speaker);
  const seen = createSeen(context, log, t("seen"));
  const inView = watchView(log, signal, look);
  const others = createOthers(context, add);
  const announced = createAnnounced(context, redraw);

  /** @param {boolean} seen whether the visitor looks: what the assistant holds is only followed meanwhile */
  function look(seen) {
    if (seen) caughtUp();
    if (seen) void start();
    else if (!withSomebody()) life?.abort();
  }

  /** Whether a person has had it, or is waited for. */
  const withSomebody = () => session.live || withPeople(session);

  async function start() {
    announced.once();
    if (!session.conversationId || (life && !life.signal.aborted) || !(withSomebody() || inView())) return;
    life = new AbortController();
    const mine = life;
    signal.addEventListener("abort", () => mine.abort(), { once: true });
    const missed = session.entries.filter((entry) => entry.kind === "person" && entry.by === "agent" && Number(entry.seq) > session.read).length;
    if (missed && !session.open) context.emit("unread", missed);
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
    else if (event.type === "read" && event.author === "agent") seen.until(event.seq);
  }

  /** @param {Record<string, any>} event */
  function message(event) {
    const { id, seq, author, name, text: words, at } = event;
    if (!(seq > session.seen)) return;
    session.seen = seq;
    placed(text(id), seq);
    others.hear(event);
    if ((author === "agent" || (author === "system" && !announced.already(text(id), words))) && text(words)) {
      say("");
      add({ kind: "person", by: author, name: text(name), text: words, at: Number(at) * 1000 || Date.now(), seq });
      if (author === "agent") context.emit("answer", { routing: "person" });
      if (author === "agent" && session.sound) chime();
    }
    context.save();
    if (inView()) caughtUp();
  }

  /** @param {string} id @param {number} seq the visitor's own message has its number: what was written before it stands before it */
  function placed(id, seq) {
    const { entries } = session;
    const at = entries.findLastIndex((entry) => entry.kind === "visitor" && entry.turnId === id);
    const own = entries[at];
    if (own?.kind !== "visitor") return;
    own.seq = seq;
    const before = entries.findLastIndex((entry) => entry.kind === "person" && Number(entry.seq) < seq);
    if (before < at) return;
    entries.splice(before + 1, 0, own);
    entries.splice(at, 1);
    redraw();
  }

  /** What has come is before the visitor's eyes. */
  function caughtUp() {
    if (session.read >= session.seen || !withSomebody()) return;
    session.read = session.seen;
    context.save();
    void send("/read", { seq: session.read });
  }

  /** @param {Record<string, any>} event */
  function changed(event) {
    session.state = text(event.state);
    session.live ||= event.generation > 0;
    context.save();
    handler(session.state === "person");
    speaker.textContent = session.state === "person" ? text(record(event.agent).name) : "";
    invite(withPeople(session));
    seen.until(event.read);
    const wait = Number(event.expected_wait_s);
    const minutes = new Intl.NumberFormat(context.config.lang, { style: "unit", unit: "minute", unitDisplay: "long" }).format(Math.max(1, Math.ceil(wait / 60)));
    const queued = session.state === "queued";
    say(queued ? text(event.text) || [t("waiting"), wait && t("wait_expected", { time: minutes })].filter(Boolean).join(" ") : "", queued, queued);
    place(session.state === "resolved" && event.generation ? createRatingForm({ ...context, t }, { send, reopen }) : null);
  }

  /** @param {boolean} people whom the visitor writes to */
  function invite(people) {
    log.classList.toggle("people", people);
    log.parentNode?.querySelector(".composer textarea")?.setAttribute("placeholder", t(people ? "write" : "placeholder"));
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
    else say(t("reopen_failed"));
  }

  return {
    start: () => void start(),
    stop() {
      life?.abort();
      invite(false);
      place(null);
      seen.until(0);
    },
    typing(words) {
      if (!withPeople(session) || !words || Date.now() - told < TYPING_EVERY_MS) return;
      told = Date.now();
      void send("/typing", { on: true });
    },
  };
}
