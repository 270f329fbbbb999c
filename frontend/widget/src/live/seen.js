/** @import {Context} from "../types" */
import { el } from "../shared/dom.js";

/**
 * Says under the visitor's last message that a person has seen it, until somebody answers.
 * @param {Context} context
 * @param {HTMLElement} log
 * @param {string} words
 */
export function createSeen({ session, signal }, log, words) {
  const mark = el("p", { class: "said seen", text: words });
  let upTo = 0;

  function show() {
    const { entries } = session;
    const last = entries.findLast((entry) => entry.kind !== "reply" || entry.reply.routing !== "handed_off");
    const seen = last?.kind === "visitor" && Number(last.seq) <= upTo;
    const node = seen ? [...log.querySelectorAll(".message.visitor")].pop() : null;
    const atEnd = log.scrollHeight - log.scrollTop - log.clientHeight < 8;
    if (!node) mark.remove();
    else if (mark.parentNode !== node) node.append(mark);
    if (atEnd) log.scrollTop = log.scrollHeight;
  }

  // Messages come and go without a word to this part.
  const observer = new MutationObserver(show);
  observer.observe(/** @type {Node} */ (log.querySelector("[role=log]")), { childList: true });
  signal.addEventListener("abort", () => observer.disconnect());
  return {
    /** @param {unknown} seq what the person has seen */
    until(seq) {
      upTo = Number(seq) || 0;
      show();
    },
  };
}
