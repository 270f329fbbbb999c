/** @import {Translate} from "../types" */

/**
 * Wording for a part that is fetched later: the visitor's or the operator's where there is one, English otherwise.
 * @param {Translate} t
 * @param {Record<string, string>} english
 * @returns {Translate}
 */
export function wordsOver(t, english) {
  return (key, values = {}) => {
    const said = t(key, values);
    return said === key ? (english[key] ?? key).replace(/\{(\w+)\}/g, (whole, name) => String(values[name] ?? whole)) : said;
  };
}
