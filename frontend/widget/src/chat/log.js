/** @import {Context, Entry} from "../types" */
import { el } from "../shared/dom.js";
import { createFailure } from "./failure.js";
import { authorOf, createMessage } from "./message.js";
import { pinToEnd } from "./pin.js";
import { createReceipt } from "./receipt.js";
import { createReply } from "./reply.js";
import { createWelcome } from "./welcome.js";

/** @param {Context} context the conversation as it is read: greeting, messages, and what went wrong */
export function createLog(context) {
  const element = el("div", { class: "log", role: "log", "aria-label": context.t("log"), tabindex: 0 });
  pinToEnd(element, context.signal);
  const still = matchMedia("(prefers-reduced-motion: reduce)");

  /** @param {Entry} entry @returns {HTMLElement} */
  function render(entry) {
    if (entry.kind === "reply" && saysItAgain(entry)) {
      return el("p", { class: "delivered", text: context.t("delivered", { team: authorOf(context, "team") }) });
    }
    if (entry.kind === "reply") return createReply(context, entry.reply, entry.at);
    if (entry.kind === "handoff") return createReceipt(context, entry.receipt, entry.at);
    const text = el("div", { class: "bubble", dir: "auto" }, el("p", { text: entry.text }));
    return createMessage(context, { by: "visitor", at: entry.at }, text);
  }

  /** @param {Entry & { kind: "reply" }} entry whether the visitor was told before, in these words, that a person is on it */
  function saysItAgain({ reply, at }) {
    const before = context.session.entries.findLast((one) => one.kind === "reply" && one.at < at);
    return before?.kind === "reply" && reply.routing === "handed_off" && before.reply.routing === "handed_off"
      && (!reply.answer || reply.answer === before.reply.answer);
  }

  /** @param {HTMLElement} node brings its end into view, or its start when it is taller than the log */
  function show(node) {
    const tall = node.offsetHeight > element.clientHeight - 24;
    const top = tall ? node.offsetTop - 12 : element.scrollHeight;
    element.scrollTo({ top, behavior: still.matches ? "auto" : "smooth" });
  }

  /** @param {HTMLElement} node */
  function append(node) {
    element.append(node);
    show(node);
    return node;
  }

  const log = {
    element,
    /** @param {Entry} entry */
    add(entry) {
      if (entry.kind === "visitor") for (const chips of element.querySelectorAll(".chips")) chips.remove();
      return append(render(entry));
    },
    /** @param {string} turnId @param {boolean} offline */
    fail: (turnId, offline) => void append(createFailure(context, turnId, offline)),
    clearFailures() {
      for (const failure of element.querySelectorAll(".failure")) failure.remove();
    },
    redraw() {
      element.replaceChildren(createWelcome(context));
      for (const entry of context.session.entries) log.add(entry);
    },
    settle: () => element.scrollTo({ top: element.scrollHeight }),
  };
  return log;
}
