/** @import {Context} from "../types" */
import { el } from "../shared/dom.js";

/**
 * Stands where the answer would be when the connection was lost. Trying again sends the same turn, so nothing runs twice.
 * @param {Context} context
 * @param {string} turnId
 * @param {boolean} offline
 * @returns {HTMLElement}
 */
export function createFailure({ t, actions, config }, turnId, offline) {
  return el("div", { class: "failure", "data-turn": turnId },
    el("p", { text: t(offline ? "failed_offline" : "failed") }),
    el("p", { class: "choices" },
      el("button", { type: "button", class: "plain", text: t("retry"), click: () => actions.retry(turnId) }),
      config.person.available && el("button", { type: "button", class: "link", text: t("person"), click: () => actions.person("connection") })));
}
