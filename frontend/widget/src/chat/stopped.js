/** @import {Context, Entry} from "../types" */
import { el } from "../shared/dom.js";
import { renderMarkdown } from "../markdown/render.js";
import { tool } from "./actions.js";
import { AGAIN } from "./icons.js";
import { createMessage } from "./message.js";

/**
 * An answer the visitor stopped: what had been written, without links or sources, and a way to have it after all.
 * @param {Context} context
 * @param {Entry & { kind: "stopped" }} entry
 */
export function createStopped(context, { text, at, turnId }) {
  const { t, actions } = context;
  const written = text && el("div", { class: "body markdown", dir: "auto" }, renderMarkdown(text, { hosts: new Set(), cite: () => null }));
  return createMessage(context, { by: "assistant", at, routing: "stopped" },
    el("div", { class: "bubble" }, written || null, el("p", { class: "said", text: t("stopped") })),
    el("div", { class: "tools-row" }, tool(t("regenerate"), AGAIN, () => actions.regenerate(turnId), "again")));
}
