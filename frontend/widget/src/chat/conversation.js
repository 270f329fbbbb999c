/** @import {Context} from "../types" */
import { post } from "./post.js";
import { readReply } from "./read-reply.js";
import { uuid } from "./uuid.js";

/**
 * Asking: from the visitor's words to a reply, a wait, or another try.
 * @param {Context} context
 * @param {{ log: ReturnType<typeof import("./log.js").createLog>, status: ReturnType<typeof import("./status.js").createStatus>,
 *   composer: ReturnType<typeof import("./composer.js").createComposer>, notice: ReturnType<typeof import("./notice.js").createNotice>,
 *   header: ReturnType<typeof import("./header.js").createHeader> }} parts
 */
export function createConversation(context, { log, status, composer, notice, header }) {
  const { t, session, options, visitor, signal } = context;
  let asking = false;
  let era = 0;

  /** @param {string} question */
  function ask(question) {
    if (asking) return composer.restore(question);
    const turnId = uuid();
    const entry = { kind: /** @type {const} */ ("visitor"), text: question, at: Date.now(), turnId };
    session.entries.push(entry);
    context.save();
    const node = log.add(entry);
    context.emit("message", { question });
    void send(question, turnId, () => {
      session.entries.splice(session.entries.indexOf(entry), 1);
      context.save();
      node.remove();
    });
  }

  /** @param {string} turnId */
  function retry(turnId) {
    const entry = session.entries.find((candidate) => candidate.kind === "visitor" && candidate.turnId === turnId);
    if (entry?.kind === "visitor" && !asking) void send(entry.text, turnId, () => {});
  }

  /** @param {string} question @param {string} turnId @param {() => void} takeBack */
  async function send(question, turnId, takeBack) {
    const sentIn = era;
    asking = true;
    notice.hide();
    log.clearFailures();
    composer.setBusy(true);
    status.say(t("looking"), true);
    const body = { question, turn_id: turnId, conversation_id: session.conversationId || undefined,
      lang: visitor.context.lang || (options.lang === "auto" ? undefined : options.lang), filters: visitor.context.filters };
    const result = await post(`${options.base}ask`, body, signal);
    if (signal.aborted || sentIn !== era) return;
    asking = false;
    composer.setBusy(false);
    status.say(result.ok ? t("answer_ready") : "");
    if (result.ok) return answered(result.value);
    if (result.kind === "failed") return log.fail(turnId, result.offline);
    takeBack();
    composer.restore(question);
    if (result.kind === "limited") notice.limited(result.retryAt);
    else notice.show(result.message || t("rejected"), true);
  }

  /** @param {unknown} value */
  function answered(value) {
    const reply = readReply(value);
    session.conversationId = reply.conversationId || session.conversationId;
    const entry = { kind: /** @type {const} */ ("reply"), reply, at: Date.now() };
    session.entries.push(entry);
    context.save();
    log.add(entry);
    header.setHandler(reply.routing === "handed_off");
    context.emit("answer", { routing: reply.routing });
  }

  return {
    ask,
    retry,
    /** Shows the kept conversation; a question that never got its answer can be tried again. */
    resume() {
      log.redraw();
      const last = session.entries.at(-1);
      const replies = session.entries.flatMap((entry) => (entry.kind === "reply" ? [entry.reply.routing] : []));
      header.setHandler(replies.at(-1) === "handed_off");
      if (last?.kind === "visitor") log.fail(last.turnId, false);
    },
    /** Forgets a turn that is still on its way. */
    forget() {
      era++;
      asking = false;
      composer.setBusy(false);
      status.say("");
      notice.hide();
    },
  };
}
