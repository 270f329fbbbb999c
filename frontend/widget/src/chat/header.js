/** @import {Context} from "../types" */
import { el } from "../shared/dom.js";
import { icon } from "../shared/icon.js";
import { CLOSE, EXPAND, PERSON, SHRINK } from "./icons.js";
import { createMenu } from "./menu.js";
import { authorOf } from "./message.js";

/**
 * Who one is talking to, and the ways out: a person, until one is there, and the door.
 * @param {Context} context
 * @param {{ titleId: string, inline: boolean, close: () => void, expand: (wide: boolean) => void,
 *   more: () => Promise<import("../types").More | null>, restart: () => void }} handlers
 */
export function createHeader(context, { titleId, inline, close, expand, more, restart }) {
  const { t, actions, config } = context;
  const menu = createMenu(context, { more, restart });
  const handler = el("p", { class: "handler" });
  const wide = el("button", { type: "button", class: "icon-button wide", "aria-label": t("full_screen"), "aria-pressed": "false", click: toggle },
    icon(EXPAND), icon(SHRINK));

  const person = config.person.available && el("button", { type: "button", class: "person", click: () => actions.person("visitor_request") },
    icon(PERSON), el("span", { text: t("person") }));

  function toggle() {
    const on = wide.getAttribute("aria-pressed") !== "true";
    wide.setAttribute("aria-pressed", String(on));
    wide.setAttribute("aria-label", t(on ? "full_screen_leave" : "full_screen"));
    expand(on);
  }

  const header = {
    element: el("header", { role: "none" },
      el("div", { class: "who" }, el("h2", { id: titleId, text: authorOf(context, "assistant"), dir: "auto" }), handler),
      person,
      el("div", { class: "tools" }, menu.element, !inline && wide,
        !inline && el("button", { type: "button", class: "icon-button", "aria-label": t("close"), click: close }, icon(CLOSE)))),
    menu,
    /** @param {boolean} taken whether a person has taken over: the label is never wrong about that */
    setHandler(taken) {
      handler.textContent = t(taken ? "person_label" : "ai_label");
      handler.classList.toggle("by-person", taken);
      if (person) person.hidden = taken;
    },
  };
  header.setHandler(false);
  return header;
}
