/** @import {Translate} from "../types" */
import { el } from "../shared/dom.js";

/**
 * Says how much room is left, from four fifths of the limit on, and how much is too much.
 * @param {string} id
 * @param {number} max
 * @param {Translate} t
 */
export function createCounter(id, max, t) {
  const element = el("p", { id, class: "counter", hidden: true });
  return {
    element,
    /** @param {number} length @returns {boolean} whether it is over the limit */
    show(length) {
      const over = length > max;
      element.hidden = length < max * 0.8;
      element.classList.toggle("over", over);
      element.setAttribute("role", over ? "alert" : "note");
      element.textContent = over ? t("too_long", { over: length - max }) : element.hidden ? "" : t("counter", { n: length, max });
      return over;
    },
  };
}
