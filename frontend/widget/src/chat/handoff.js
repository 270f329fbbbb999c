/** @import {Context} from "../types" */
import { when } from "./clock.js";
import { createPatience } from "./patience.js";
import { withPeople } from "./session.js";
import { readPerson } from "./config.js";
import { record, text } from "./shape.js";
import { uuid } from "./uuid.js";
import { knownOf } from "./visitor.js";

/** What the server takes of one line. */
const MOST_CHARS = 10_000;

/**
 * Getting a person: the form, what is sent, and the one receipt per conversation.
 * @param {Context} context
 * @param {{ log: ReturnType<typeof import("./log.js").createLog>, form: ReturnType<typeof import("./handoff-form.js").createForm>,
 *   composer: ReturnType<typeof import("./composer.js").createComposer>, status: ReturnType<typeof import("./status.js").createStatus>,
 *   live: ReturnType<typeof import("./lazy.js").createLiveLoader>, fetchConfig: () => Promise<any> }} parts
 */
export function createHandoff(context, { log, form, composer, status, live, fetchConfig }) {
  const { t, config, session, visitor, signal } = context;
  let reason = "";
  let sending = false;
  let era = 0;
  /** @type {AbortController | null} ends the wait for a server that is busy */
  let wait = null;

  /** @param {string} why machine-readable */
  function open(why) {
    reason = why;
    if (!withPeople(session)) {
      form.open(visitor.user.email ?? "");
      // Who is there may have changed since the chat was opened.
      return void fetchConfig().then((now) => now && form.expect(readPerson(now)));
    }
    // Asked for already: show that receipt again rather than record a second request.
    const receipt = /** @type {HTMLElement | undefined} */ ([...log.element.querySelectorAll("[data-routing=handoff]")].pop());
    receipt?.scrollIntoView({ block: "nearest" });
    receipt?.focus({ preventScroll: true });
  }

  /** @param {string} email @param {string} message */
  async function submit(email, message) {
    if (sending || withPeople(session)) return;
    const sentIn = era;
    sending = true;
    form.setBusy(true);
    session.conversationId ||= uuid();
    const body = bodyOf(email, message);
    wait = new AbortController();
    let told = false;
    const patience = createPatience(wait.signal, () => status.say(t("still_trying"), (told = true)));
    let result;
    do result = await context.post("handoff", body);
    while (await patience(result));
    if (signal.aborted || sentIn !== era) return;
    sending = false;
    if (told) status.say("");
    form.setBusy(false);
    if (!result.ok) {
      if (result.kind === "limited") return form.fail(t("limited_form", { when: when(result.retryAt, config.lang, t) }));
      return form.fail((result.kind === "rejected" && result.message) || t("form_failed"));
    }
    const value = record(result.value);
    session.conversationId = text(value.conversation_id, session.conversationId);
    if (!withPeople(session)) session.state = "queued";
    session.handoffKey = uuid();
    const receipt = { reference: text(value.reference), message: text(value.message), sent: message };
    const entry = { kind: /** @type {const} */ ("handoff"), receipt, at: Date.now() };
    session.entries.push(entry);
    context.save();
    form.close();
    log.add(entry);
    composer.focus();
    live.start();
    context.emit("handoff", { reference: receipt.reference });
  }

  /** @param {string} email @param {string} message */
  function bodyOf(email, message) {
    const last = session.entries.findLast((entry) => entry.kind === "visitor" || entry.kind === "handoff");
    const transcript = session.entries.flatMap((entry) => {
      if (entry.kind === "visitor") return [{ author: "visitor", text: entry.text }];
      if (entry.kind === "person") return [];
      if (entry.kind === "stopped") return entry.text ? [{ author: "assistant", text: entry.text }] : [];
      return entry.kind === "reply" && entry.reply.answer ? [{ author: "assistant", text: entry.reply.answer.slice(0, MOST_CHARS) }] : [];
    });
    return {
      conversation_id: session.conversationId,
      // Without a turn, the form's own id: a request repeated after a lost connection is still one request, and one
      // that is made after the last was dealt with is another.
      turn_id: last?.kind === "visitor" ? last.turnId : session.handoffKey,
      reason: reason || "visitor_request", email: email || undefined, message: message || undefined, transcript, lang: config.lang, ...knownOf(visitor),
    };
  }

  return {
    open,
    submit,
    /** The form was closed: what still waits to be sent is not. */
    left: () => wait?.abort(),
    forget() {
      era++;
      sending = false;
      form.setBusy(false);
      form.close();
    },
  };
}
