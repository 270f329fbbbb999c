import { el } from "../../../widget/src/shared/dom.js";
import { duration, percent } from "../format.js";
import { t, word } from "../strings.js";

/** The headline figures of each report, in the order they are shown. @type {Record<string, string[]>} */
const SHOWN = {
  doubts: ["answers", "contradicted", "thumb_down", "repeated"],
  volume: ["conversations", "turns"],
  deflection: ["rate", "rate_with_an_answer", "counted", "asked_for_a_person", "came_back"],
  times: ["requests", "waiting", "first_response", "resolution"],
  csat: ["mean", "satisfied", "n", "response_rate"],
  grades: ["mean", "good", "graded", "by_people", "of_golden_set"],
  gaps: ["gaps", "questions"],
  articles: ["articles", "cited"],
  refusals: ["refused", "rate"],
  cost: [
    "cost_usd", "per_turn_usd", "per_conversation_usd", "turns", "input_tokens", "output_tokens",
    "month_to_date_usd", "month_forecast_usd", "month_forecast_low_usd", "month_forecast_high_usd", "month_budget_usd",
  ],
};

/** @param {string} name of the figure or column @param {any} value @returns {string} */
export function show(name, value) {
  if (value === null || value === undefined) return "–";
  if (typeof value === "object") return "median_s" in value ? show("median_s", value.median_s) : "";
  if (typeof value !== "number") return typeof value === "boolean" ? t(value ? "yes" : "no") : String(value);
  if (/_s$/.test(name)) return duration(value);
  if (/usd/.test(name)) return `$${value.toLocaleString("en", { maximumFractionDigits: value < 1 ? 4 : 2 })}`;
  if (/rate|share|satisfied|good/.test(name)) return percent(value);
  return value.toLocaleString("en", { maximumFractionDigits: 2 });
}

/** @param {string} report @param {Record<string, any>} found */
export function figures(report, found) {
  const names = (SHOWN[report] ?? []).filter((name) => name in found);
  return el("dl", { class: "figures" }, ...names.map((name) =>
    el("div", {}, el("dt", { text: word("figure", name) }), el("dd", { text: show(name, found[name]) }))));
}
