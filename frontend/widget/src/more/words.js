/** @import {Translate} from "../types" */
import en from "../lang/en.more.json";

/**
 * Wording for the parts that are fetched later: the visitor's or the operator's where there is one, English otherwise.
 * @param {Translate} t
 * @returns {Translate}
 */
export function wordsOver(t) {
  /** @type {Record<string, string>} */
  const english = en;
  return (key, values = {}) => {
    const said = t(key, values);
    return said === key ? (english[key] ?? key).replace(/\{(\w+)\}/g, (whole, name) => String(values[name] ?? whole)) : said;
  };
}
