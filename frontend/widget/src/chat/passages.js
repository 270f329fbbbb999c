/** @import {Context, Reply} from "../types" */
import { el } from "../shared/dom.js";
import { renderMarkdown } from "../markdown/render.js";
import { articleLink } from "./sources.js";

/**
 * The cited passages, one fold each, which open on the passage itself.
 * @param {Context} context
 * @param {Reply} reply
 * @param {"full" | "plain"} style "plain" has no links to the articles
 */
export function createPassages({ t }, { citations }, style) {
  /** @type {Map<number, HTMLDetailsElement>} */
  const folds = new Map();
  for (const { index, title, url, excerpt } of citations) {
    if (folds.has(index)) continue;
    folds.set(index, el("details", {},
      el("summary", {}, el("span", { class: "number", text: index }), el("span", { text: title, dir: "auto" })),
      el("div", { class: "excerpt markdown", dir: "auto" }, renderMarkdown(excerpt, { hosts: new Set(), cite: (n) => `[${n}]` })),
      style === "full" && el("p", { class: "open" }, articleLink(url, t("open_article"), t))));
  }
  const element = folds.size
    ? el("div", { class: "passages", role: "group", "aria-label": t("passages") },
      el("p", { class: "label", text: t("passages") }), ...folds.values())
    : null;
  return { element, cite };

  /** @param {number} index @returns {HTMLElement | string} a button that opens its passage, or the text when there is none */
  function cite(index) {
    const fold = folds.get(index);
    if (!fold) return `[${index}]`;
    const title = citations.find((citation) => citation.index === index)?.title ?? "";
    return el("button", { type: "button", class: "cite", text: index, "aria-label": t("source_n", { n: index, title }), click: () => reveal(fold) });
  }
}

/** @param {HTMLDetailsElement} fold */
function reveal(fold) {
  fold.open = true;
  fold.querySelector("summary")?.focus({ preventScroll: true });
  fold.scrollIntoView({ block: "nearest", behavior: matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth" });
}
