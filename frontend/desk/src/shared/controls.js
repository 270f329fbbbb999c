import { el } from "../../../widget/src/shared/dom.js";
import { icon } from "../../../widget/src/shared/icon.js";
import { word } from "../strings.js";

let serial = 0;
/** @param {string} name @returns {string} an id no other element has */
export const fresh = (name) => `${name}-${++serial}`;

/**
 * @param {string} text
 * @param {() => void} click
 * @param {Record<string, any>} [props]
 * @param {string} [path] an icon before the text
 */
export const button = (text, click, props = {}, path) =>
  el("button", { type: "button", class: "plain", click, ...props }, path && icon(path), el("span", { text }));

/** @param {string} label @param {string} path @param {() => void} click @param {Record<string, any>} [props] */
export const iconButton = (label, path, click, props = {}) =>
  el("button", { type: "button", class: "icon-button", "aria-label": label, title: label, click, ...props }, icon(path));

/**
 * A labelled choice.
 * @param {string} label
 * @param {[string, string][]} options value and text
 * @param {string} value
 * @param {(value: string) => void} changed
 * @param {Record<string, any>} [props]
 */
export function select(label, options, value, changed, props = {}) {
  const id = fresh("select");
  const field = el("select", { id, change: () => changed(field.value), ...props },
    ...options.map(([code, text]) => el("option", { value: code, text, selected: code === value })));
  return { element: el("div", { class: "labelled" }, el("label", { for: id, text: label }), field), field };
}

/**
 * A labelled line to write in.
 * @param {string} label
 * @param {Record<string, any>} [props]
 */
export function input(label, props = {}) {
  const id = fresh("input");
  const field = el("input", { id, ...props });
  return { element: el("div", { class: "labelled" }, el("label", { for: id, text: label }), field), field };
}

/** @param {string} text @param {string} [kind] */
export const chip = (text, kind = "") => el("span", { class: `chip ${kind}`, text });

/** Why a person is asked for or should look, unless the class says so already. @param {{ reason?: string | null, label?: string | null, concern?: string | null, priority?: number }} conversation */
export const reasonChip = ({ reason, label, concern, priority }) => [
  ...(priority && priority > 2 ? [chip(word("priority", "urgent"), "care")] : []),
  ...(concern && concern !== label ? [chip(word("concern", concern))] : []), ...(reason && reason !== label ? [chip(word("reason", reason))] : []),
];

/**
 * Remembers which row of a list has the focus, before the list is drawn anew.
 * @param {HTMLElement} list
 * @param {HTMLElement} otherwise
 * @returns {() => void} puts the focus on the row that is there now, or on `otherwise` where there is nothing to act on
 */
export function placeIn(list, otherwise) {
  const at = [...list.children].findIndex((row) => row.contains(document.activeElement));
  return () => {
    const row = list.children[Math.min(at, list.childElementCount - 1)];
    /** @type {HTMLElement} */ (row?.querySelector("button, a") ?? otherwise).focus();
  };
}
