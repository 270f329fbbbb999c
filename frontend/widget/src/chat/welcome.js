/** @import {Context} from "../types" */
import { el } from "../shared/dom.js";
import { icon } from "../shared/icon.js";
import { createChips } from "./chips.js";
import { SPARK } from "./icons.js";

/** @param {Context} context @returns {HTMLElement} the greeting with the AI disclosure; the chips go after the first question */
export function createWelcome({ t, config, actions }) {
  return el("div", { class: "welcome" },
    el("p", { class: "greeting", dir: "auto", text: config.welcome || t("welcome") }),
    el("p", { class: "disclosure", dir: "auto" }, icon(SPARK), el("span", { text: config.disclosure || t("disclosure") })),
    createChips(t("suggestions"), config.suggestions, actions.ask));
}
