/** @import {Translate} from "../types" */
import { el } from "../shared/dom.js";

const REASONS = ["wrong", "incomplete", "unrelated", "unclear", "other"];
let serial = 0;

/**
 * What was wrong with an answer.
 * @param {Translate} t
 * @param {(reason: string, words: string) => void} send
 * @param {() => void} close
 * @returns {HTMLFormElement}
 */
export function createReasons(t, send, close) {
  const id = `handrail-reasons-${++serial}`;
  const words = el("textarea", { id: `${id}-words`, rows: 2, maxlength: 1000, dir: "auto" });
  const form = el("form", { class: "rating", submit: (/** @type {Event} */ event) => {
    event.preventDefault();
    const chosen = /** @type {HTMLInputElement | null} */ (form.querySelector("input:checked"));
    send(chosen?.value ?? "other", words.value.trim());
  }, keydown: (/** @type {KeyboardEvent} */ event) => {
    if (event.key !== "Escape" || event.isComposing) return;
    event.preventDefault();
    event.stopPropagation();
    close();
  } },
  el("fieldset", {}, el("legend", { text: t("bad_why") }), ...REASONS.map((reason) =>
    el("label", {}, el("input", { type: "radio", name: id, value: reason }), el("span", { text: t(`bad_${reason}`) })))),
  el("label", { for: words.id, text: t("bad_detail") }), words, el("button", { type: "submit", class: "plain", text: t("bad_send") }));
  return form;
}
