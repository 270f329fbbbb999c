/** @import {Context} from "../types" */
import { el } from "../shared/dom.js";
import { icon } from "../shared/icon.js";
import { MORE } from "./icons.js";

/**
 * What is rarely wanted, behind one button.
 * @param {Context} context
 * @param {{ download: () => void, restart: () => void }} handlers
 */
export function createMenu({ t }, { download, restart }) {
  const button = el("button", { type: "button", class: "icon-button", "aria-label": t("menu"), "aria-expanded": "false",
    click: () => set(list.hidden === true) }, icon(MORE));
  const list = el("ul", { class: "menu-list", hidden: true },
    el("li", {}, el("button", { type: "button", text: t("download"), click: () => choose(download) })),
    el("li", {}, el("button", { type: "button", text: t("restart"), click: () => choose(restart) })));

  /** @param {boolean} open */
  function set(open) {
    list.hidden = !open;
    button.setAttribute("aria-expanded", String(open));
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
