import { el } from "../shared/dom.js";

/**
 * A labelled row of buttons, each of which asks its own text.
 * @param {string} label
 * @param {string[]} questions
 * @param {(question: string) => void} ask
 * @returns {HTMLElement | null} null when there is nothing to suggest
 */
export function createChips(label, questions, ask) {
  if (!questions.length) return null;
  const chips = questions.map((question) =>
    el("li", {}, el("button", { type: "button", class: "chip", text: question, dir: "auto", click: () => ask(question) })));
  return el("ul", { class: "chips", "aria-label": label }, ...chips);
}
