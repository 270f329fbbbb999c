/** @import {Desk} from "./types" */

const SEQUENCE_MS = 1200;

/** Single keys that do things, unless one is writing, a dialog is open or they are switched off. */
export function createKeys() {
  /** @type {Set<Record<string, () => void>>} */
  const tables = new Set();
  let first = "";
  let timer = 0;
  /** @type {Desk | null} */
  let desk = null;

  /** @param {KeyboardEvent} event */
  function pressed(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || event.defaultPrevented) return;
    const target = /** @type {HTMLElement} */ (event.target);
    const writing = target.matches?.("input, textarea, select, [contenteditable]");
    if (document.querySelector("dialog[open]")) return;
    if (writing) {
      if (event.key === "Escape") target.blur();
      return;
    }
    if (!desk?.preferences.get("shortcuts") && event.key !== "Escape") return;
    const key = first ? `${first} ${event.key}` : event.key;
    first = "";
    const action = [...tables].reverse().map((table) => table[key]).find(Boolean);
    if (action) {
      event.preventDefault();
      action();
    } else if ([...tables].some((table) => Object.keys(table).some((name) => name.startsWith(`${event.key} `)))) {
      first = event.key;
      clearTimeout(timer);
      timer = window.setTimeout(() => void (first = ""), SEQUENCE_MS);
    }
  }

  return {
    /** @param {Desk} started */
    start(started) {
      desk = started;
      document.addEventListener("keydown", pressed);
    },
    stop: () => document.removeEventListener("keydown", pressed),
    /** @param {Record<string, () => void>} table @returns {() => void} unbinds it; what was bound last wins */
    bind(table) {
      tables.add(table);
      return () => void tables.delete(table);
    },
  };
}
