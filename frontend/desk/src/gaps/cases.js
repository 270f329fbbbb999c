/** @import {Desk} from "../types" */
import { el } from "../../../widget/src/shared/dom.js";
import { stamp } from "../format.js";
import { button, chip, fresh, input, placeIn, select } from "../shared/controls.js";
import { openDialog } from "../shared/dialog.js";
import { word } from "../strings.js";

const SHOWN = 50;
const STATES = ["proposed", "confirmed", "dropped"];

/** Cases for the evaluation: proposed by a thumb down, confirmed, bettered or dropped by a person. @param {Desk} desk */
export function casesSection(desk) {
  const { t, api } = desk;
  const list = el("ul", { class: "rows" });
  const count = el("p", { class: "hint", role: "status" });
  const state = select(t("status"), STATES.map((one) => [one, t(`case_${one}`)]), "proposed", () => void load());
  /** @type {any[]} */
  let found = [];
  let shown = SHOWN;
  const more = button(t("show_more"), () => { shown += SHOWN; draw(); }, { hidden: true });

  async function load() {
    try {
      const answer = await api.get("cases", { status: state.field.value });
      found = answer.items ?? [];
      shown = SHOWN;
      draw();
    } catch (error) {
      list.replaceChildren(el("li", { class: "hint", text: t("report_failed") }));
      if (/** @type {any} */ (error).status === 401) desk.fail(error);
    }
  }

  function draw() {
    count.textContent = t("cases_count", { n: found.length });
    more.hidden = found.length <= shown;
    list.replaceChildren(...found.slice(0, shown).map(row));
    if (!found.length) list.replaceChildren(el("li", { class: "hint", text: t("cases_none") }));
  }

  /** @param {any} one */
  function row(one) {
    const named = { name: one.question.slice(0, 80) };
    const act = (/** @type {string} */ key, /** @type {() => void} */ work) => button(t(key), work, { "aria-label": t(`${key}_named`, named) });
    return el("li", { class: "case" }, el("div", {}, el("p", { class: "words", dir: "auto", text: one.question }),
      el("p", { class: "chips" }, chip(wanted(one), one.should_refuse === false || one.format === "retrieval" ? "good" : "care"),
        ...one.article_ids.map((/** @type {string} */ id) => chip(id)), one.why && chip(word("rating", one.why))),
      el("p", { class: "hint", text: t(`case_by_${one.source}`, { time: stamp(one.created_at) }) })),
      one.status !== "confirmed" && act("confirm", () => void decide(one, "confirmed")),
      act("edit", () => edit(one)),
      one.status !== "dropped" && act("discard", () => void decide(one, "dropped")));
  }

  /** @param {any} one */
  const wanted = (one) => t(one.format === "retrieval" ? "should_find" : one.should_refuse ? "should_refuse" : "should_answer");

  /** @param {any} one @param {string} status */
  async function decide(one, status) {
    const back = placeIn(list, state.field);
    if (!await save(one, { status })) back();
  }

  /** @param {any} one */
  function edit(one) {
    const back = placeIn(list, state.field);
    const id = fresh("case");
    const question = el("textarea", { id, rows: 3, required: true, maxlength: 4000, dir: "auto" });
    question.value = one.question;
    const articles = input(t("case_articles"), { value: one.article_ids.join(", "), required: one.format === "retrieval", autocomplete: "off", spellcheck: "false" });
    const refuse = select(t("mark_should"), [["true", t("should_refuse")], ["false", t("should_answer")]], String(one.should_refuse), () => {});
    const problem = el("p", { class: "problem", role: "alert" });
    const dialog = openDialog(t("case_edit"), [
      el("div", { class: "labelled" }, el("label", { for: id, text: t("question") }), question),
      ...(one.format === "refusal" ? [refuse.element] : []), articles.element, el("p", { class: "hint", text: t("case_articles_hint") }), problem,
    ], {
      action: t("case_save"), wide: true,
      async submit() {
        const ids = articles.field.value.split(/[,\s]+/u).filter(Boolean);
        const change = { question: question.value.trim(), article_ids: ids, status: "confirmed", ...(one.format === "refusal" ? { should_refuse: refuse.field.value === "true" } : {}) };
        problem.textContent = await save(one, change) ?? "";
        if (problem.textContent) return;
        dialog.close();
        back();
      },
    });
  }

  /** @param {any} one @param {Record<string, any>} change @returns {Promise<string | null>} what is wrong, for a form */
  async function save(one, change) {
    try {
      await api.put(`cases/${encodeURIComponent(one.id)}`, change);
      desk.say(t(`case_${change.status}_done`));
      await load();
      return null;
    } catch (error) {
      if (/** @type {any} */ (error).status !== 422) desk.fail(error);
      return /** @type {Error} */ (error).message || t("failed");
    }
  }

  void load();
  return el("section", { class: "card" }, el("header", {}, el("h2", { text: t("cases_title") }),
    ...["refusal", "retrieval"].map((format) => el("a", { class: "plain", href: api.url("cases.jsonl", { format }), download: `${format}.jsonl`, text: t(`cases_${format}`) }))),
  el("p", { class: "hint", text: t("cases_means") }), el("div", { class: "range" }, state.element), count, list, more);
}
