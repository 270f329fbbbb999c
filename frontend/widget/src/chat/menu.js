/** @import {Context, More} from "../types" */
import { el } from "../shared/dom.js";
import { icon } from "../shared/icon.js";
import { MORE } from "./icons.js";

/**
 * What is rarely wanted, behind one button; most of it is fetched when it is opened.
 * @param {Context} context
 * @param {{ more: () => Promise<More | null>, restart: () => void }} handlers
 */
export function createMenu({ t }, { more, restart }) {
  const button = el("button", { type: "button", class: "icon-button", "aria-label": t("menu"), "aria-expanded": "false",
    click: () => set(list.hidden === true) }, icon(MORE));
  const again = item(t("restart"), () => choose(restart));
  const list = el("ul", { class: "menu-list", hidden: true }, again);

  /** @param {boolean} open */
  function set(open) {
    list.hidden = !open;
    button.setAttribute("aria-expanded", String(open));
    if (open) void more().then((found) => list.replaceChildren(again, ...(found?.items(choose) ?? [])));
  }

  /** @param {() => void} act */
  function choose(act) {
    set(false);
    button.focus();
    act();
  }

  const element = el("div", { class: "menu", focusout: (/** @type {FocusEvent} */ event) => {
    if (event.relatedTarget && !element.contains(/** @type {Node} */ (event.relatedTarget))) set(false);
  } }, button, list);
  return {
    element,
    /** @returns {boolean} whether it was open, and Escape has thus been used */
    dismiss() {
      if (list.hidden) return false;
      set(false);
      button.focus();
      return true;
    },
  };
}

/** @param {string} text @param {() => void} click @returns {HTMLElement} */
const item = (text, click) => el("li", {}, el("button", { type: "button", text, click }));
