/** @import {Desk, View} from "../types" */
import { el } from "../../../widget/src/shared/dom.js";
import { button, input } from "../shared/controls.js";
import { word } from "../strings.js";
import { figures } from "./figures.js";
import { plot } from "./plots.js";
import { table } from "./table.js";

const NAMES = ["doubts", "volume", "deflection", "times", "csat", "grades", "gaps", "articles", "refusals", "cost"];
/** Columns on the page, where there are too many to read; the CSV has them all. @type {Record<string, string[]>} */
const SHORT = { doubts: ["question", "signs", "confidence", "conversation"], gaps: ["question", "questions", "visitors", "verdict", "nearest_title"] };
const SPANS = [7, 30, 90];
const DAY_MS = 86_400_000;

/** @typedef {{ from?: string, to?: string, figures: Record<string, any>, columns: string[], rows: Record<string, any>[], n: number, notes?: string[], breakdowns?: Record<string, Record<string, any>[]> }} Report */

/** @param {number} ms @returns {string} 2026-11-01 */
const day = (ms) => {
  const date = new Date(ms);
  return new Date(ms - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 10);
};

/** Every report over a range of days. @param {Desk} desk @returns {View} */
export function reportsPage(desk) {
  const { t, api } = desk;
  const from = input(t("from"), { type: "date", value: day(Date.now() - 29 * DAY_MS), change: load });
  const to = input(t("to"), { type: "date", value: day(Date.now()), change: load });
  const spans = SPANS.map((days) => button(t("last_days", { n: days }), () => {
    from.field.value = day(Date.now() - (days - 1) * DAY_MS);
    to.field.value = day(Date.now());
    load();
  }));
  const cards = NAMES.map((name) => ({ name, body: el("div", { class: "report-body" }), link: el("a", { class: "plain", download: `${name}.csv`, text: t("csv"), "aria-label": t("csv_of", { name: t(`report_${name}`) }) }) }));
  /** @type {(() => void)[]} */
  let drawn = [];
  let turn = 0;

  function load() {
    turn += 1;
    clear();
    for (const card of cards) void fill(card, turn);
  }

  function clear() {
    for (const one of drawn) one();
    drawn = [];
  }

  /** @param {typeof cards[number]} card @param {number} asked */
  async function fill({ name, body, link }, asked) {
    const query = { from: from.field.value, to: to.field.value };
    link.href = api.url(`reports/${name}.csv`, query);
    body.replaceChildren(el("p", { class: "hint", text: t("loading") }));
    try {
      const report = /** @type {Report} */ (await api.get(`reports/${name}`, query));
      if (asked !== turn) return;
      const rows = report.rows ?? [];
      if (!rows.length && !report.n) return void body.replaceChildren(el("p", { class: "hint", text: t("report_empty") }));
      const chart = await plot(name, report, desk);
      if (asked !== turn) return;
      body.replaceChildren(figures(name, report.figures ?? {}), ...(chart ? [chart.element] : []),
        ...(report.notes ?? []).map((note) => el("p", { class: "hint", text: note })), ...(rows.length ? [table(SHORT[name] ?? report.columns ?? Object.keys(rows[0] ?? {}), rows, !rows.some((row) => "day" in row) && !chart, word("report", name))] : []),
        ...Object.entries(report.breakdowns ?? {}).filter(([, parts]) => parts.length).map(([by, parts]) =>
          table(Object.keys(parts[0] ?? {}), parts, false, `${word("report", name)}, ${t(`by_${by}`)}`, t(`by_${by}`))));
      if (chart) drawn.push(chart.start());
    } catch (error) {
      if (asked !== turn) return;
      body.replaceChildren(el("p", { class: "hint", text: t("report_failed") }), button(t("try_again"), () => void fill({ name, body, link }, turn)));
      if (/** @type {any} */ (error).status === 401) desk.fail(error);
      else if (/** @type {any} */ (error).status === 422 || /** @type {any} */ (error).status === 400) body.firstElementChild?.replaceChildren(/** @type {Error} */ (error).message || t("report_failed"));
    }
  }

  load();
  return {
    element: el("div", { class: "page" }, el("header", { class: "page-header" }, el("h1", { text: t("page_reports") }),
      el("div", { class: "range", role: "group", "aria-label": t("range") }, ...spans, from.element, to.element)),
    el("div", { class: "reports" }, ...cards.map(({ name, body, link }) =>
      el("section", { class: "card", "data-report": name }, el("header", {}, el("h2", { text: word("report", name) }), name === "grades" && el("a", { class: "plain", href: "#/grades", text: t("grade_answers") }), link),
        el("p", { class: "hint", text: t(`report_${name}_means`) }), body)))),
    close: () => { turn += 1; clear(); },
  };
}
