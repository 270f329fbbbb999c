/** @import {Desk} from "../types" */
import { hostsOf, safeHref } from "../../../widget/src/markdown/href.js";
import { el } from "../../../widget/src/shared/dom.js";
import { said } from "../conversation/message.js";
import { iso, stamp } from "../format.js";
import { button, chip } from "../shared/controls.js";
import { word } from "../strings.js";

const GRADES = [1, 2, 3, 4, 5];

/**
 * One answer with its question, its sources and the five grades.
 * @param {Desk} desk
 * @param {any} one
 * @param {boolean} blind whether the judge's grade is only shown once a person has given one
 * @param {() => void} graded
 */
export function answerRow(desk, one, blind, graded) {
  const { t, api } = desk;
  const name = one.question.slice(0, 80);
  const judge = el("span", {});
  const buttons = GRADES.map((grade) => el("button", { type: "button", class: "plain", text: String(grade), click: () => void give(grade) }));
  const made = el("span", {});
  const make = button(t("grade_case"), () => void makeCase(), { "aria-label": t("grade_case_of", { name }) });

  function mark() {
    const { person, judge: by } = one.grades;
    buttons.forEach((button, i) => button.setAttribute("aria-pressed", String(person?.grade === GRADES[i])));
    judge.replaceChildren(...(by && (person || !blind) ? [chip(t("grade_judge", { n: by.grade }), by.grade <= 2 ? "care" : "")] : []));
    made.replaceChildren(one.case ? chip(t("grade_is_case"), "good") : make);
  }

  /** @param {number} grade */
  async function give(grade) {
    try {
      await api.put(`grades/${encodeURIComponent(one.turn_id)}`, { grade });
      one.grades.person = { grade };
      desk.say(t("grade_kept", { n: grade }));
      mark();
      graded();
    } catch (error) {
      desk.fail(error);
    }
  }

  async function makeCase() {
    try {
      await api.post("cases", { format: "refusal", turn_id: one.turn_id, should_refuse: true, status: "proposed" });
      one.case = true;
      mark();
      desk.say(t("grade_case_done"));
      buttons[0]?.focus();
    } catch (error) {
      desk.fail(error);
    }
  }

  mark();
  const conversation = `#/queue/${encodeURIComponent(one.conversation_id)}`;
  return el("li", { class: "card" },
    ...one.before.map((/** @type {string} */ text) => el("p", { class: "hint", dir: "auto", text: t("grade_before", { text }) })),
    el("h2", { dir: "auto", text: one.question }),
    el("div", { class: "bubble", dir: "auto" }, said(one.answer, one)), sources(one),
    el("p", { class: "chips" }, chip(word("routing", one.routing), `routing-${one.routing}`), el("time", { class: "hint", datetime: iso(one.at), text: stamp(one.at) }),
      el("a", { class: "hint", href: conversation, text: t("grade_conversation") }), judge),
    el("div", { class: "grading" }, el("div", { class: "grades", role: "group", "aria-label": t("grade_of", { name }) }, ...buttons), made));
}

/** @param {any} one @returns {HTMLElement | false} the articles it cites, each once */
function sources({ passages }) {
  const seen = new Map(passages.map((/** @type {any} */ passage) => [passage.url || passage.title, passage]));
  return seen.size > 0 && el("ul", { class: "sources" }, ...[...seen.values()].map(({ title, url }) => {
    const href = url ? safeHref(url, new Set(hostsOf([url]))) : null;
    return el("li", {}, href ? el("a", { href, target: "_blank", rel: "noopener noreferrer", text: title }) : title);
  }));
}
