/** @import {Translate} from "../types" */
import en from "../lang/en.json";

/**
 * The widget's wording, with the operator's own over it. A key that nobody worded shows itself.
 * @param {Record<string, string>} overrides
 * @returns {Translate}
 */
export function createTranslate(overrides) {
  /** @type {Record<string, string>} */
  const table = { ...en, ...overrides };
  return (key, values = {}) =>
    (table[key] ?? key).replace(/\{(\w+)\}/g, (whole, name) => String(values[name] ?? whole));
}
