/** @import {Translate} from "../types" */
import { el } from "../shared/dom.js";

/**
 * The visitor's own question, to be put in other words.
 * @param {Translate} t
 * @param {{ text: string, longest: number, send: (question: string) => void, close: () => void }} question
 */
export function createEdit(t, { text, longest, send, close }) {
  const words = el("textarea", { rows: 2, maxlength: longest, dir: "auto", "aria-label": t("edit") });
  words.value = text;
  const form = el("form", { class: "edit-form", submit: (/** @type {Event} */ event) => {
    event.preventDefault();
    const question = words.value.trim();
    if (question) send(question);
  }, keydown: (/** @type {KeyboardEvent} */ event) => {
    if (event.isComposing) return;
    if (event.key === "Enter" && event.target === words && !event.shiftKey) {
      event.preventDefault();
      form.requestSubmit();
    }
    if (event.key !== "Escape") return;
    event.preventDefault();
    event.stopPropagation();
    close();
  } }, words, el("p", { class: "choices" },
    el("button", { type: "submit", class: "plain", text: t("edit_send") }),
    el("button", { type: "button", class: "link", text: t("edit_cancel"), click: close })));
  return form;
}
