/** @import {Context, Entry, Part} from "../types" */
import { branchAt, placeOf, switchTo } from "./branches.js";
import { follow } from "./follow.js";
import { createPainting } from "./painting.js";
import { readReply } from "./read-reply.js";
import { uuid } from "./uuid.js";
import { knownOf } from "./visitor.js";

// A question that is older than this was given up by whoever asked it.
const FRESH_MS = 120_000;

/**
 * Asking: from the visitor's words to a reply, a wait, or another try.
 * @param {Context} context
 * @param {{ log: ReturnType<typeof import("./log.js").createLog>, status: ReturnType<typeof import("./status.js").createStatus>,
 *   composer: ReturnType<typeof import("./composer.js").createComposer>, notice: ReturnType<typeof import("./notice.js").createNotice>,
 *   header: ReturnType<typeof import("./header.js").createHeader>, live: ReturnType<typeof import("./lazy.js").createLiveLoader> }} parts
 */
export function createConversation(context, { log, status, composer, notice, header, live }) {
  const { t, config, session, options, visitor, signal } = context;
  /** @type {{ turnId: string, life: AbortController, painting: ReturnType<typeof createPainting> } | null} the turn on its way */
  let running = null;

  /** @param {string} question @param {string} [fork] */
  function ask(question, fork) {
    if (running) return composer.restore(question);
    const turnId = uuid();
    const entry = { kind: /** @type {const} */ ("visitor"), text: question, at: Date.now(), turnId, ...(fork && { fork }) };
    const follows = lastTurn();
    // Ours from the first word on: a person may be asked for before the first answer is there.
    session.conversationId ||= uuid();
    session.entries.push(entry);
    context.save();
    const node = log.add(entry);
    context.emit("message", { question });
    void send(question, turnId, { follows }, () => {
      session.entries.splice(session.entries.indexOf(entry), 1);
      context.save();
      node.remove();
    });
  }

  /** @returns {string | null} the turn that was answered last on this branch */
  function lastTurn() {
    const last = session.entries.findLast((entry) => entry.kind === "reply");
    return last?.kind === "reply" ? last.reply.turnId : null;
  }

  /** @param {string} turnId @param {string} [question] asks a turn's question again, or another in its place */
  function again(turnId, question) {
    const place = placeOf(session, turnId);
    const entry = session.entries[place];
    if (running || entry?.kind !== "visitor") return;
    const words = question ?? entry.text;
    const fork = branchAt(session, place);
    log.redraw();
    ask(words, fork);
  }

  /** @param {string} turnId */
  function retry(turnId) {
    const entry = session.entries[placeOf(session, turnId)];
    if (entry?.kind === "visitor" && !running) void send(entry.text, turnId, { follows: lastTurn() }, () => {});
  }

  /** @param {string} question @param {string} turnId @param {{ follows?: string | null, resume?: boolean, fresh?: boolean }} how @param {() => void} takeBack */
  async function send(question, turnId, { follows, resume, fresh }, takeBack) {
    const mine = (running = { turnId, life: new AbortController(), painting: createPainting(context, log) });
    const stop = () => mine.life.abort();
    signal.addEventListener("abort", stop, { once: true });
    notice.hide();
    log.clearFailures();
    composer.setBusy(true, () => void halt());
    status.say(t("looking"), true);
    // Fetched while the answer is: it is complete when screen readers hear it.
    void context.pieces();
    const body = { question, turn_id: turnId, conversation_id: session.conversationId, follows,
      lang: visitor.context.lang || (options.lang === "auto" ? config.pageLang : options.lang), filters: visitor.context.filters, ...knownOf(visitor) };
    const result = await follow(options.base, body, { signal: mine.life.signal, part, resume, fresh, auth: context.auth, say: (key) => status.say(t(key), true) });
    signal.removeEventListener("abort", stop);
    if (signal.aborted || running !== mine) return;
    running = null;
    mine.painting.end();
    composer.setBusy(false);
    status.say(result.ok ? t("answer_ready") : "");
    if (result.ok) return answered(result.value, turnId, mine.painting);
    if (result.kind === "stopped" || mine.life.signal.aborted) return stopped(turnId, mine.painting.text);
    if (result.kind === "failed") return log.fail(turnId, result.offline);
    takeBack();
    composer.restore(question);
    if (result.kind === "limited") notice.limited(result.retryAt);
    else notice.show(result.message || t("rejected"), true);
  }

  /** @param {Part} part */
  function part(part) {
    running?.painting.take(part);
    const words = part.type === "data-stage" ? t(`stage_${part.data.name}`) : "";
    if (words && !words.startsWith("stage_")) status.say(words, true);
  }

  /** The server is told to stop; whether it hears it or not, nothing more is shown. */
  async function halt() {
    if (!running) return;
    const { turnId, life } = running;
    life.abort();
    await context.post("chat/stop", { turn_id: turnId });
  }

  /** @param {Entry} entry */
  function keep(entry) {
    session.entries.push(entry);
    context.save();
    log.add(entry);
  }

  /** @param {string} turnId @param {string} text what had been written by then */
  function stopped(turnId, text) {
    keep({ kind: "stopped", text, at: Date.now(), turnId });
    composer.focus();
    composer.flush();
  }

  /** @param {unknown} value @param {string} turnId @param {{ takenBack: boolean, withdrawn: boolean }} painted */
  function answered(value, turnId, { takenBack, withdrawn }) {
    const reply = { ...readReply(value), turnId };
    session.conversationId = reply.conversationId || session.conversationId;
    // What a person took over, or a failing provider left, was not wrong.
    const lost = reply.routing === "cannot_answer" && (takenBack || withdrawn);
    keep({ kind: "reply", reply, at: Date.now(), takenBack: reply.citations.length > 0 ? takenBack : lost });
    const handedOff = reply.routing === "handed_off";
    header.setHandler(handedOff && session.state !== "queued");
    session.live ||= handedOff;
    live.start();
    context.emit("answer", { routing: reply.routing });
    composer.flush();
  }

  function forget() {
    const gone = running;
    running = null;
    gone?.life.abort();
    gone?.painting.end();
    live.stop();
    composer.setBusy(false);
    status.say("");
    notice.hide();
  }

  return {
    ask,
    retry,
    again,
    forget,
    /** @param {string} turnId @param {number} version */
    showVersion(turnId, version) {
      const place = placeOf(session, turnId);
      if (running || place < 0) return;
      switchTo(session, place, version);
      context.save();
      log.redraw();
    },
    /** Shows the kept conversation; a question that is still without its answer is followed, asked again, or can be tried again. */
    resume() {
      log.redraw();
      const last = session.entries.at(-1);
      const replies = session.entries.flatMap((entry) => (entry.kind === "reply" ? [entry.reply.routing] : []));
      header.setHandler(session.state ? session.state === "person" : replies.at(-1) === "handed_off");
      if (last) live.start();
      if (last?.kind === "visitor") void send(last.text, last.turnId, { follows: lastTurn(), resume: true, fresh: Date.now() - last.at < FRESH_MS }, () => {});
    },
  };
}
