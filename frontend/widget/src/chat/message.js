/** @import {Context} from "../types" */
import { el } from "../shared/dom.js";
import { stamp } from "./clock.js";

/**
 * The frame of one message: who says it, when, and what.
 * @param {Context} context
 * @param {{ by: "visitor" | "assistant" | "team", at: number, routing?: string, name?: string }} about
 * @param {...(Node | null)} body
 * @returns {HTMLElement}
 */
export function createMessage(context, { by, at, routing, name = "" }, ...body) {
  const { t, config } = context;
  const date = new Date(at);
  return el("article", { class: `message ${by}`, "data-routing": routing, tabindex: -1 },
    el("p", { class: "byline" },
      el("span", { class: "author", text: name || authorOf(context, by) }),
      by === "assistant" && el("abbr", { class: "ai", title: t("ai_label"), text: t("ai_badge") }),
      el("time", { datetime: date.toISOString(), text: stamp(date, config.lang) })),
    ...body);
}

/** @param {Context} context @param {"visitor" | "assistant" | "team"} by @returns {string} */
export function authorOf({ t, config }, by) {
  if (by === "visitor") return t("you");
  if (by === "assistant") return config.assistant || t("assistant");
  return config.brandName ? t("team", { brand: config.brandName }) : t("team_plain");
}
