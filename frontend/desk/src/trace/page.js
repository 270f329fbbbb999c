/** @import {Comparison, Desk, Trace, View} from "../types" */
import { el } from "../../../widget/src/shared/dom.js";
import { Failure } from "../api.js";
import { iso, score, stamp } from "../format.js";
import { button } from "../shared/controls.js";
import { word } from "../strings.js";
import { differences } from "./differences.js";
import { stages } from "./stages.js";
import { facts, words } from "./values.js";

/** How one answer came about, stage by stage, and whether it would come about the same now. @param {Desk} desk @param {string[]} rest @returns {View} */
export function tracePage(desk, rest) {
  const { t, api } = desk;
  const body = el("div", { class: "trace" });
  const back = el("a", { class: "plain", href: "#/queue", text: t("back_to_conversation") });
  const title = el("h1", { text: t("trace_title"), tabindex: -1 });
  let wanted = "";

  /** @param {string[]} path */
  async function route([id = ""]) {
    wanted = id;
    body.replaceChildren(el("p", { class: "hint", role: "status", text: t("loading") }));
    try {
      /** @type {Trace} */
      const trace = (await api.get(`traces/${id}`)).trace;
      if (id !== wanted) return;
      back.href = `#/queue/${encodeURIComponent(trace.conversation_id)}`;
      body.replaceChildren(overview(trace), again(id), el("ol", { class: "stages" }, ...stages(trace.stages)));
    } catch (error) {
      if (id !== wanted) return;
      const gone = error instanceof Failure && error.status === 404;
      body.replaceChildren(el("p", { class: "hint", role: "status", text: t(gone ? "trace_gone" : "trace_failed") }));
      if (!gone) desk.fail(error);
    }
  }

  /** @param {Trace} trace */
  function overview(trace) {
    const { outcome, answered_by: by } = trace;
    const tokens = t("trace_tokens_of", { input: by.tokens.input, output: by.tokens.output });
    return el("section", { class: "card" }, el("header", {}, el("h2", { text: t("trace_result") }), el("time", { class: "hint", datetime: iso(trace.at), text: stamp(trace.at) })),
      facts([
        [t("question"), trace.input.text], [t("routing"), word("routing", outcome.routing)],
        [t("class"), outcome.label ? `${word("label", outcome.label)} (${score(outcome.label_probability)})` : ""],
        [t("refused_because"), word("reason", outcome.refusal_reason)],
        [t("confidence"), outcome.confidence === undefined ? "" : score(outcome.confidence)],
        [t("trace_without"), (outcome.degraded ?? []).join(", ")], [t("trace_error"), outcome.error ?? ""],
        [t("trace_by"), [by.provider, by.model].filter(Boolean).join(" ")],
        [t("trace_tokens"), by.tokens.input ? tokens + (by.tokens.cached ? t("trace_cached", { n: by.tokens.cached }) : "") : ""],
        [t("trace_cost"), by.cost_usd ? `$${by.cost_usd.toFixed(4)}` : ""],
        [t("trace_time"), trace.ms === null ? "" : t("trace_ms", { n: Math.round(trace.ms) })],
        [t("trace_kb"), `${trace.kb} ${trace.kb_version}`], [t("trace_settings"), trace.settings], [t("trace_id"), trace.trace_id],
      ]),
      outcome.answer && el("details", {}, el("summary", { text: t("trace_answer") }), words(outcome.answer)),
      trace.input.history.length > 0 && el("details", {}, el("summary", { text: t("trace_history") }),
        el("ol", { class: "numbered" }, ...trace.input.history.map((past) => el("li", {}, words(past.question || past.answer), el("span", { class: "hint", text: word("routing", past.routing) }))))));
  }

  /** @param {string} id */
  function again(id) {
    const result = el("div", { class: "differences", role: "status" });
    const run = button(t("trace_again"), () => void replay());
    async function replay() {
      run.disabled = true;
      result.replaceChildren(el("p", { class: "hint", text: t("trace_running") }));
      try {
        /** @type {Comparison} */
        const told = await api.post(`traces/${id}/replay`);
        result.replaceChildren(...differences(told));
      } catch (error) {
        result.replaceChildren();
        desk.fail(error);
      }
      run.disabled = false;
      run.focus();
    }
    return el("section", { class: "card" }, el("header", {}, el("h2", { text: t("trace_today") }), run), el("p", { class: "hint", text: t("trace_today_means") }), result);
  }

  void route(rest);
  return {
    element: el("div", { class: "page narrow" }, el("header", { class: "page-header" }, title, back), body),
    route: (path) => void route(path),
  };
}
