/** @import {Citation} from "../types" */
import { markQuote } from "./mark.js";

/**
 * What sources show when they are opened: marks on the words that support the answer.
 * @param {HTMLDetailsElement[]} folds one for each index that is cited, in order
 * @param {Citation[]} citations
 * @param {(fold: HTMLDetailsElement, citation: Citation) => void} paged called for those with pictures of their pages
 */
export function fillFolds(folds, citations, paged) {
  /** @type {Set<number>} */
  const seen = new Set();
  for (const citation of citations) {
    const fold = seen.has(citation.index) ? null : folds[seen.size];
    seen.add(citation.index);
    if (!fold) continue;
    const passage = /** @type {HTMLElement} */ (fold.querySelector(".excerpt"));
    fold.addEventListener("toggle", () => citation.quotes.forEach((words) => markQuote(passage, words)), { once: true });
    if (citation.places?.some((/** @type {any} */ place) => place?.image)) paged(fold, citation);
  }
}
