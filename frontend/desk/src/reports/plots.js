/** @import {Desk} from "../types" */
/** @import {Report} from "./page.js" */
import { el } from "../../../widget/src/shared/dom.js";
import { duration, percent } from "../format.js";
import { word } from "../strings.js";
import { show } from "./figures.js";

/** @typedef {{ x: number[], names?: string[] | undefined, series: { name: string, values: (number | null)[], band?: [(number | null)[], (number | null)[]] }[], unit: (value: number) => string, whole?: boolean, bars?: boolean, stacked?: boolean, range?: [number, number] | undefined }} Data */

const count = (/** @type {number} */ value) => value.toLocaleString("en");
const when = (/** @type {string} */ day) => Date.parse(`${day}T00:00:00`) / 1000;
const MOST_DAYS = 1000;

/** Every day of a report, also those on which nothing happened. @param {Report} report @returns {string[]} 2026-11-01, … */
function daysOf({ from, to, rows }) {
  const days = [...new Set(rows.map((row) => String(row.day)))].sort();
  const [first, last] = [from ?? days[0] ?? "", to ?? days.at(-1) ?? ""];
  const all = [];
  for (const at = new Date(`${first}T12:00:00Z`); all.length < MOST_DAYS; at.setUTCDate(at.getUTCDate() + 1)) {
    const day = at.toISOString().slice(0, 10);
    if (day > last) return all;
    all.push(day);
  }
  return days;
}

/** @param {Report} report @param {[string, string][]} columns and their names @param {(value: number) => string} unit @returns {Data} */
function byDay(report, columns, unit) {
  const days = daysOf(report);
  const rows = new Map(report.rows.map((row) => [row.day, row]));
  return { x: days.map(when), series: columns.map(([column, name]) => ({ name, values: days.map((day) => rows.get(day)?.[column] ?? null) })), unit };
}

/** Turns per day, piled by one column. @param {Report} report @param {string} column @param {string} prefix @returns {Data} */
function piled(report, column, prefix) {
  const { rows } = report;
  const days = daysOf(report);
  /** @type {Map<string, number>} */
  const totals = new Map();
  for (const row of rows) totals.set(row[column] ?? "", (totals.get(row[column] ?? "") ?? 0) + row.turns);
  const codes = [...totals].sort((a, b) => b[1] - a[1]).map(([code]) => code);
  const named = codes.slice(0, codes.length > 6 ? 5 : 6);
  const series = named.map((code) => ({ name: word(prefix, code) || "–", values: days.map((day) => sum(rows, (row) => row.day === day && (row[column] ?? "") === code)) }));
  if (codes.length > 6) series.push({ name: word("cause", "other"), values: days.map((day) => sum(rows, (row) => row.day === day && !named.includes(row[column] ?? ""))) });
  return { x: days.map(when), series, unit: count, whole: true, bars: true, stacked: true };
}

/** A line with its interval for each who grades. @param {Report} report @returns {Data} */
function graded(report) {
  const days = daysOf(report);
  const lines = [...new Set(report.rows.map((row) => `${row.sample}_${row.by}`))].sort().reverse();
  return {
    x: days.map(when), unit: (value) => value.toFixed(1), whole: true, range: [1, 5],
    series: lines.map((line) => {
      const rows = new Map(report.rows.filter((row) => `${row.sample}_${row.by}` === line).map((row) => [row.day, row]));
      const values = (/** @type {string} */ column) => days.map((day) => rows.get(day)?.[column] ?? null);
      return { name: word("graded", line), values: values("mean"), band: [values("low"), values("high")] };
    }),
  };
}

/** @param {Record<string, any>[]} rows @param {(row: Record<string, any>) => boolean} keep */
const sum = (rows, keep) => rows.reduce((total, row) => total + (keep(row) ? row.turns : 0), 0);

/** @param {string} name @param {Report} report @param {string} by @returns {Data | null} */
function dataOf(name, report, by) {
  const { rows } = report;
  if (!rows.length) return null;
  switch (name) {
    case "volume":
      return piled(report, by, by === "class" ? "label" : "routing");
    case "deflection":
      return byDay(report, [["rate", word("column", "rate")]], percent);
    case "times":
      return byDay(report, [["first_response_median_s", word("figure", "first_response")], ["resolution_median_s", word("figure", "resolution")]], duration);
    case "csat":
      return { x: rows.map((_, i) => i), names: rows.map((row) => String(row.score)), series: [{ name: word("column", "answers"), values: rows.map((row) => row.answers) }], unit: count, whole: true, bars: true };
    case "refusals": {
      const reasons = Object.entries(report.figures.by_reason ?? {}).slice(0, 6);
      if (!reasons.length) return null;
      return { x: reasons.map((_, i) => i), names: reasons.map(([reason]) => word("reason", reason)), series: [{ name: word("column", "turns"), values: reasons.map(([, n]) => Number(n)) }], unit: count, whole: true, bars: true };
    }
    case "grades":
      return graded(report);
    case "cost":
      return byDay(report, [["cost_usd", word("column", "cost_usd")]], (value) => show("usd", value));
    default:
      return null;
  }
}

/**
 * The report's chart, where it has one: made now, drawn once it is on the page.
 * @param {string} name
 * @param {Report} report
 * @param {Desk} desk
 */
export async function plot(name, report, desk) {
  const first = dataOf(name, report, "routing");
  if (!first?.series.some(({ values }) => values.some((value) => value !== null && (value || name !== "cost")))) return null;
  const charts = /** @type {typeof import("./charts.js")} */ (await import(new URL(`charts.js?v=${BUILD_ID}`, document.baseURI).href));
  const place = el("div", { class: "chart", role: "img", "aria-label": desk.t("chart_of", { name: word("report", name) }) });
  const legend = el("ul", { class: "legend" });
  const switches = name === "volume" ? ["routing", "class"].map((by) => el("button", { type: "button", "aria-pressed": String(by === "routing"), "data-by": by, text: desk.t(`by_${by}`), click: () => paint(by) })) : [];
  let stop = () => {};

  /** @param {string} by */
  function paint(by) {
    stop();
    const data = /** @type {Data} */ (dataOf(name, report, by));
    for (const one of switches) one.setAttribute("aria-pressed", String(one.dataset.by === by));
    legend.replaceChildren(...(data.series.length > 1 ? data.series.map((one, i) => el("li", {}, el("span", { class: `swatch swatch-${(i % 6) + 1}` }), one.name)) : []));
    stop = charts.draw(place, data);
  }

  return {
    element: el("div", {}, switches.length > 0 && el("div", { class: "views", role: "group", "aria-label": desk.t("chart_by") }, ...switches), place, legend),
    start: () => { paint("routing"); return () => stop(); },
  };
}
