/** @import {Translate} from "./types" */
import en from "./strings.json";

/** @type {Record<string, string>} */
const table = en;

/** @type {Translate} A key that nobody worded shows itself. */
export const t = (key, values = {}) =>
  (table[key] ?? key).replace(/\{(\w+)\}/g, (whole, name) => String(values[name] ?? whole));

/** @param {string} prefix @param {string | null | undefined} code @returns {string} the code's words, or the code made readable */
export const word = (prefix, code) =>
  code ? table[`${prefix}_${code}`] ?? code.replaceAll("_", " ").replace(/^./, (first) => first.toUpperCase()) : "";
