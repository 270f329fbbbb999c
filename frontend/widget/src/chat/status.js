import { el } from "../shared/dom.js";

/** What is going on right now, for eyes and for screen readers. */
export function createStatus() {
  const words = el("span");
  const element = el("p", { class: "status", role: "status" }, words);
  return {
    element,
    /** @param {string} text @param {boolean} [busy] shown, with dots that move @param {boolean} [still] without them */
    say(text, busy = false, still = false) {
      element.classList.toggle("busy", busy);
      element.classList.toggle("still", still);
      words.textContent = text;
    },
  };
}
