import { el } from "../../../widget/src/shared/dom.js";
import { hostsOf, safeHref } from "../../../widget/src/markdown/href.js";
import { t, word } from "../strings.js";
import { show } from "./figures.js";

const MOST = 200;
const CODES = ["routing", "reason", "class", "label", "verdict", "sample", "by"];

/**
 * The numbers behind a chart, or another table.
 * @param {string[]} columns
 * @param {Record<string, any>[]} rows
 * @param {boolean} open
 * @param {string} name of what they are about
 * @param {string} title what opens it
 */
export function table(columns, rows, open, name, title = t("numbers")) {
  const shown = columns.filter((name) => name !== "url" && name !== "article_id" || !columns.includes("title"));
  const numeric = (/** @type {string} */ name) => rows.some((row) => typeof row[name] === "number");
  return el("details", { open }, el("summary", { text: title }),
    el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": t("numbers_of", { name }) }, el("table", {},
      el("thead", {}, el("tr", {}, ...shown.map((name) => el("th", { scope: "col", class: numeric(name) ? "number" : null, text: word("column", name) })))),
      el("tbody", {}, ...rows.slice(0, MOST).map((row) => el("tr", {}, ...shown.map((name) => el("td", { class: numeric(name) ? "number" : name === "day" ? "day" : null }, cell(row, name)))))))),
    rows.length > MOST && el("p", { class: "hint", text: t("rows_cut", { n: MOST, all: rows.length }) }));
}

/** @param {Record<string, any>} row @param {string} name */
function cell(row, name) {
  const value = row[name];
  if (name === "title" && typeof row.url === "string") {
    const href = safeHref(row.url, new Set(hostsOf([row.url])));
    if (href) return el("a", { href, target: "_blank", rel: "noopener noreferrer", text: String(value) });
  }
  if (name === "signs") return String(value).split(" ").map((sign) => word("sign", sign)).join(", ");
  if (name === "conversation") return el("a", { href: `#/queue/${encodeURIComponent(value)}`, text: String(value) });
  return CODES.includes(name) && typeof value === "string" ? word(name === "class" ? "label" : name, value) : show(name, value);
}
