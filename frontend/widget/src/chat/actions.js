/** @import {Context, Entry} from "../types" */
import { el } from "../shared/dom.js";
import { icon } from "../shared/icon.js";
import { createRating } from "./rating.js";
import { AGAIN, COPY } from "./icons.js";

/**
 * What can be done with a finished reply.
 * @param {Context} context
 * @param {Entry & { kind: "reply" }} entry
 * @returns {HTMLElement}
 */
export function createActions(context, entry) {
  const { t, actions, say, plain } = context;
  const { reply } = entry;
  const copy = tool(t("copy_answer"), COPY, async () => {
    try {
      await navigator.clipboard.writeText(plain(reply));
      copy.setAttribute("title", t("copied"));
      say(t("copied"));
    } catch {
      // The page may forbid the clipboard; the words can still be selected.
    }
  });
  const rating = createRating(context, entry);
  return el("div", { class: "actions" },
    el("div", { class: "tools-row", role: "group" }, copy, tool(t("regenerate"), AGAIN, () => actions.regenerate(reply.turnId), "again"), ...rating.buttons),
    rating.form);
}

/**
 * @param {string} label
 * @param {string} path
 * @param {() => void} click
 * @param {string} [name]
 */
export function tool(label, path, click, name = "") {
  return el("button", { type: "button", class: `tool ${name}`.trim(), "aria-label": label, title: label, click }, icon(path));
}
