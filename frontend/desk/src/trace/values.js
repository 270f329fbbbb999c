import { el } from "../../../widget/src/shared/dom.js";
import { score } from "../format.js";
import { word } from "../strings.js";

/** @param {unknown} value @returns {value is Record<string, unknown>} */
const isTable = (value) => typeof value === "object" && value !== null && !Array.isArray(value);

/** @param {[string, string | Node][]} rows those without a value are left out */
export const facts = (rows) =>
  el("dl", { class: "verdict" }, ...rows.filter(([, value]) => value !== "").map(([name, value]) =>
    el("div", {}, el("dt", { text: name }), el("dd", { dir: "auto" }, value))));

/** @param {string} text as it is stored, line by line */
export const words = (text) => el("p", { class: "words", dir: "auto", text });

/** Any recorded value: texts, numbers, lists and tables of them. @param {unknown} value @returns {Node} */
export function shown(value) {
  if (Array.isArray(value)) {
    if (!value.length) return words("–");
    return el("ul", { class: "values" }, ...value.map((one) => el("li", {}, shown(one))));
  }
  if (isTable(value)) return facts(Object.entries(value).map(([name, one]) => [name, isTable(one) || Array.isArray(one) ? shown(one) : said(one)]));
  return words(said(value));
}

/** @param {unknown} value */
export function said(value) {
  if (value === null || value === undefined || value === "") return "–";
  if (typeof value === "number") return Number.isInteger(value) ? String(value) : score(value);
  if (typeof value === "boolean") return word("trace", value ? "yes" : "no");
  return String(value);
}
