/** @import {Context, Part} from "../types" */
import { el } from "../shared/dom.js";
import { renderMarkdown } from "../markdown/render.js";
import { createMessage } from "./message.js";
import { list, record } from "./shape.js";

/**
 * An answer while it is being written. It stands outside the live region: screen readers hear the finished message once.
 * @param {Context} context
 * @param {{ painting: (node: HTMLElement | null) => void }} log
 */
export function createPainting(context, log) {
  /** @type {Map<string, string>} */
  const pieces = new Map();
  const body = el("div", { class: "body markdown", dir: "auto" });
  const note = el("p", { class: "taken-back", text: context.t("replaced"), hidden: true });
  const element = createMessage(context, { by: "assistant", at: Date.now(), routing: "writing" }, el("div", { class: "bubble" }, body, note));
  let drafted = "";
  let asked = 0;

  const painting = {
    /** Whether a sentence was taken back because no article supports it. */
    takenBack: false,
    /** Whether all of it was. */
    withdrawn: false,
    get text() {
      return [...pieces.values()].join("").trim();
    },
    /** @param {Part} part */
    take({ type, id, delta, data }) {
      if (type === "start") pieces.clear();
      else if (type === "text-start") pieces.set(id, "");
      else if (type === "text-delta") pieces.set(id, (pieces.get(id) ?? "") + delta);
      else if (type === "data-verification") for (const claim of list(data.claims)) replace(record(claim));
      else if (type === "data-draft") drafted = data.text;
      else return;
      asked ||= requestAnimationFrame(paint);
    },
    end() {
      cancelAnimationFrame(asked);
      log.painting(null);
    },
  };
  return painting;

  /** @param {{ id?: string, support?: string, replacement?: unknown }} claim */
  function replace({ id = "", support, replacement }) {
    if (replacement == null || !pieces.has(id)) return;
    pieces.set(id, `${replacement}`);
    if (support === "withdrawn") painting.withdrawn = true;
    else painting.takenBack = true;
  }

  function paint() {
    asked = 0;
    body.replaceChildren(renderMarkdown(painting.text, { hosts: new Set(), cite: (n) => el("span", { class: "cite", text: n }) }));
    // Words that nothing has checked yet: plain text, and no part of what has been written.
    body.append(el("em", { text: drafted }));
    note.hidden = !painting.takenBack;
    log.painting(body.textContent || painting.takenBack ? element : null);
  }
}
