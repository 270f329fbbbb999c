/** @import {Place} from "./mark.js" */
import { el } from "../shared/dom.js";
import { lettersOf } from "./mark.js";

/**
 * Hides what comes after the first `count` letters.
 * @param {HTMLElement} root
 * @param {number} count
 * @returns {HTMLElement[]} what is hidden
 */
export function foldAfter(root, count) {
  const { node, offset } = /** @type {Place} */ (lettersOf(root).places[count - 1]);
  const hidden = [];
  node.splitText(offset + 1);
  for (let within = /** @type {Node} */ (node); within !== root; within = /** @type {Node} */ (within.parentNode)) {
    for (let next = within.nextSibling; next; next = next.nextSibling) {
      if (!(next instanceof HTMLElement)) {
        const words = el("span", { text: next.nodeValue });
        next.replaceWith(words);
        next = words;
      }
      hidden.push(/** @type {HTMLElement} */ (next));
    }
  }
  for (const part of hidden) part.hidden = true;
  return hidden;
}
