/** @import {Context, Entry} from "../types" */
import { el } from "../shared/dom.js";
import { createFailure } from "./failure.js";
import { authorOf, createMessage } from "./message.js";
import { pinToEnd } from "./pin.js";
import { createReceipt } from "./receipt.js";
import { createQuestion } from "./question.js";
import { createReply } from "./reply.js";
import { createStopped } from "./stopped.js";
import { createWelcome } from "./welcome.js";

/** @param {Context} context the conversation as it is read: greeting, messages, and what went wrong */
export function createLog(context) {
  const messages = el("div", { class: "messages", role: "log", "aria-label": context.t("log") });
  const writing = el("div", { class: "writing" });
  const after = el("div", { class: "writing" });
  const element = el("div", { class: "log", tabindex: 0, role: "group", "aria-label": context.t("log") }, messages, writing, after);
  pinToEnd(element, context.signal);
  const still = matchMedia("(prefers-reduced-motion: reduce)");

  /** @param {Entry} entry @returns {HTMLElement} */
  function render(entry) {
    if (entry.kind === "stopped") editable(entry.turnId);
    if (entry.kind === "reply" && entry.reply.routing !== "handed_off") editable(entry.reply.turnId);
    if (entry.kind === "reply" && saysItAgain(entry)) {
      return el("p", { class: "delivered", text: context.t("delivered", { team: authorOf(context, "team") }) });
    }
    if (entry.kind === "reply") return createReply(context, entry);
    if (entry.kind === "handoff") return createReceipt(context, entry.receipt, entry.at);
    if (entry.kind === "stopped") return createStopped(context, entry);
    if (entry.kind === "person") return createPerson(entry);
    return createQuestion(context, entry);
  }

  /** @param {string} turnId whose question may be put in other words: one that went to a person may not */
  function editable(turnId) {
    for (const edit of /** @type {NodeListOf<HTMLElement>} */ (messages.querySelectorAll(".edit"))) edit.hidden &&= edit.dataset.turn !== turnId;
  }

  /** @param {Entry & { kind: "person" }} entry what a person wrote, or what is said about who is there */
  function createPerson({ by, name, text, at }) {
    if (by === "system") return el("p", { class: "event", dir: "auto", text });
    return createMessage(context, { by: "team", at, routing: "person", name }, el("div", { class: "bubble", dir: "auto" }, el("p", { class: "words", text })));
  }

  /** @param {Entry & { kind: "reply" }} entry whether the visitor was told before, by an event, a receipt or a reply, that a person is on it */
  function saysItAgain({ reply: { routing, answer }, at }) {
    return routing === "handed_off" && context.session.entries.some((one) => one.kind === "person" ? one.text === answer
      : one.kind === "handoff" ? receiptSays(one.receipt, answer)
      : one.kind === "reply" && one.at < at && one.reply.routing === routing && (!answer || one.reply.answer === answer));
  }

  /** @param {import("../types").Receipt} receipt @param {string} answer has its reference, and after it nothing new */
  function receiptSays({ reference, message }, answer) {
    const rest = reference && answer.split(reference)[1];
    return rest ? message.includes(rest.replace(/^[.\s]+/, "")) : false;
  }

  /** @param {HTMLElement} node brings its end into view, or its start when it is taller than the log */
  function show(node) {
    const tall = node.offsetHeight > element.clientHeight - 24;
    const top = tall ? node.offsetTop - 12 : element.scrollHeight;
    element.scrollTo({ top, behavior: still.matches ? "auto" : "smooth" });
  }

  /** @param {HTMLElement} node */
  function append(node) {
    messages.append(node);
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
    fail(turnId, offline) {
      editable(turnId);
      append(createFailure(context, turnId, offline));
    },
    clearFailures() {
      for (const failure of element.querySelectorAll(".failure")) failure.remove();
    },
    redraw() {
      messages.replaceChildren(createWelcome(context));
      for (const entry of context.session.entries) log.add(entry);
    },
    /** @param {HTMLElement | null} node an answer on its way, or null when it has come; it moves the page only at its end */
    painting(node) {
      const near = element.scrollHeight - element.scrollTop - element.clientHeight < 48;
      if (node && node.parentNode === writing) return near && log.settle();
      writing.replaceChildren(...(node ? [node] : []));
      if (node) show(node);
    },
    /** @param {HTMLElement | null} node stands behind all messages, such as the question how it was */
    afterword(node) {
      after.replaceChildren(...(node ? [node] : []));
      if (node) show(node);
    },
    settle: () => element.scrollTo({ top: element.scrollHeight }),
  };
  return log;
}
