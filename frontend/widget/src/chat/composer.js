/** @import {Context} from "../types" */
import { el } from "../shared/dom.js";
import { icon } from "../shared/icon.js";
import { createCounter } from "./counter.js";
import { SEND, STOP } from "./icons.js";

let serial = 0;

/**
 * Where the visitor writes. What was typed is only ever cleared by sending it.
 * @param {Context} context
 * @param {(question: string) => void} send
 * @param {(words: string) => void} typed
 */
export function createComposer({ t, config }, send, typed) {
  const id = `handrail-composer-${++serial}`;
  const counter = createCounter(`${id}-counter`, config.maxQuestion, t);
  const input = el("textarea", {
    id, rows: 1, placeholder: t("placeholder"), dir: "auto", enterkeyhint: "send", "aria-describedby": counter.element.id,
    input: () => { waiting = false; changed(); typed(input.value); }, keydown,
  });
  const button = el("button", { type: "submit", class: "send", "aria-label": t("send") }, icon(SEND));
  const halt = el("button", { type: "button", class: "send halt", "aria-label": t("stop"), title: t("stop"), hidden: true, click: () => stop() }, icon(STOP));
  let stop = () => {};
  let busy = false;
  let waiting = false;

  /** @param {KeyboardEvent} event Enter confirms an input method's choice before it sends anything */
  function keydown(event) {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing || event.keyCode === 229) return;
    event.preventDefault();
    submit();
  }

  function changed() {
    input.style.height = "auto";
    input.style.height = `${Math.min(input.scrollHeight, 160)}px`;
    const over = counter.show(input.value.length);
    input.setAttribute("aria-invalid", String(over));
    button.setAttribute("aria-disabled", String(busy || over || !input.value.trim()));
  }

  function submit() {
    const question = input.value.trim();
    if (!question || input.value.length > config.maxQuestion) return input.focus();
    // Kept for when the turn before it is over, unless more is typed or that turn's words come back.
    if (busy) return void (waiting = true);
    composer.write("");
    send(question);
  }

  const composer = {
    element: el("form", { class: "composer", novalidate: true, submit: (/** @type {Event} */ event) => { event.preventDefault(); submit(); } },
      el("label", { for: id, class: "hidden", text: t("composer") }),
      el("div", { class: "field" }, input, button, halt), counter.element),
    focus: () => input.focus({ preventScroll: true }),
    /** @param {string} text */
    write(text) {
      input.value = text;
      waiting = false;
      changed();
    },
    /** @param {string} question puts back what could not be sent, before anything typed since */
    restore: (question) => composer.write(input.value.trim() ? `${question}\n${input.value}` : question),
    /** Sends what was meant to be sent while a turn was under way. */
    flush() {
      if (waiting) submit();
    },
    /** @param {boolean} value @param {() => void} [onStop] */
    setBusy(value, onStop) {
      const focused = halt.matches(":focus");
      busy = value;
      if (busy) waiting = false;
      stop = onStop ?? (() => {});
      button.hidden = Boolean(onStop);
      halt.hidden = !onStop;
      if (focused && halt.hidden) composer.focus();
      changed();
    },
  };
  changed();
  return composer;
}
