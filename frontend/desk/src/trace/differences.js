/** @import {Comparison, Difference} from "../types" */
import { el } from "../../../widget/src/shared/dom.js";
import { t, word } from "../strings.js";
import { said, shown, words } from "./values.js";

/** @type {Record<string, string>} What is told in codes, and where their words stand. */
const CODES = { routing: "routing", label: "label", refusal_reason: "reason", label_by: "trace_by" };

/** What is different now, stage by stage. @param {Comparison} told @returns {HTMLElement[]} */
export function differences(told) {
  const setup = told.setup.map(({ what, before, after }) => el("p", { text: t(`changed_${what}`, { before: said(before), after: said(after) }) }));
  if (told.same) return [...setup, el("p", {}, el("strong", { text: t("trace_same") }))];
  const names = [...new Set(told.differences.map((one) => one.stage))];
  return [...setup, ...names.map((name) => el("section", {}, el("h3", { text: word("stage", name) }),
    el("div", { class: "scroll", tabindex: 0, role: "group", "aria-label": word("stage", name) }, el("table", {},
      el("thead", {}, el("tr", {}, ...["trace_what", "trace_before", "trace_now"].map((title) => el("th", { scope: "col", text: t(title) })))),
      el("tbody", {}, ...told.differences.filter((one) => one.stage === name).flatMap(rows))))))];
}

/** @param {Difference} one @returns {HTMLElement[]} one row for each entry of what has several */
function rows({ what, before, after }) {
  const name = word("differs", what);
  if (isTable(before) && isTable(after)) {
    return [...new Set([...Object.keys(before), ...Object.keys(after)])].map((key) => row(`${name}: ${key}`, before[key], after[key]));
  }
  const prefix = CODES[what];
  return [prefix ? row(name, word(prefix, String(before ?? "")), word(prefix, String(after ?? ""))) : row(name, before, after)];
}

/** @param {string} name @param {unknown} before @param {unknown} after */
const row = (name, before, after) =>
  el("tr", {}, el("th", { scope: "row", text: name }), ...[before, after].map((value) => el("td", {}, value === undefined ? words(t("trace_not_there")) : shown(value))));

/** @param {unknown} value @returns {value is Record<string, unknown>} */
const isTable = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
