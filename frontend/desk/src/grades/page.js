/** @import {Desk, View} from "../types" */
import { el } from "../../../widget/src/shared/dom.js";
import { button, input, placeIn, select } from "../shared/controls.js";
import { answerRow } from "./row.js";

const SHOWN = 20;
const LOW = 2;
const VIEWS = ["open", "low", "all"];

/** The sample of a day, graded by people, and whether grades have fallen. @param {Desk} desk @returns {View} */
export function gradesPage(desk) {
  const { t, api } = desk;
  const fallen = el("p", { class: "card problem", role: "alert", dir: "auto" });
  const count = el("p", { class: "hint", role: "status" });
  const list = el("ol", { class: "graded" });
  const day = input(t("grades_day"), { type: "date", change: () => void load() });
  const view = select(t("grades_show"), VIEWS.map((name) => [name, t(`grades_${name}`)]), "open", () => show());
  const more = button(t("show_more"), () => { const back = placeIn(list, view.field); shown += SHOWN; draw(); back(); }, { hidden: true });
  /** @type {any[]} */
  let found = [];
  /** @type {any[]} What is looked at: an answer stays where it is when it is graded. */
  let listed = [];
  let shown = SHOWN;
  let turn = 0;

  async function load() {
    const asked = ++turn;
    count.textContent = t("loading");
    try {
      const answer = await api.get("grades", { day: day.field.value });
      if (asked !== turn) return;
      day.field.value = answer.day;
      found = answer.items;
      fallen.textContent = answer.fall?.says ?? "";
      show();
    } catch (error) {
      if (asked !== turn) return;
      [found, listed, count.textContent] = [[], [], t("report_failed")];
      draw();
      if (/** @type {any} */ (error).status === 401) desk.fail(error);
    }
  }

  function show() {
    shown = SHOWN;
    const chosen = view.field.value;
    listed = found.filter(({ grades }) => (chosen === "open" ? !grades.person : chosen === "low" ? (grades.judge?.grade ?? 5) <= LOW : true));
    tally();
    draw();
  }

  function tally() {
    const by = (/** @type {string} */ who) => found.filter(({ grades }) => grades[who]).length;
    count.textContent = t("grades_count", { n: found.length, graded: by("person"), judged: by("judge") });
  }

  function draw() {
    more.hidden = listed.length <= shown;
    const rows = listed.slice(0, shown).map((one) => answerRow(desk, one, view.field.value === "open", tally));
    list.replaceChildren(...(rows.length ? rows : [el("li", { class: "hint", text: t("grades_none") })]));
  }

  void load();
  return {
    element: el("div", { class: "page narrow" }, el("header", { class: "page-header" }, el("h1", { text: t("page_grades") }),
      el("div", { class: "range" }, day.element, view.element)), fallen, el("p", { class: "hint", text: t("grades_means") }), count, list, more),
    close: () => { turn += 1; },
  };
}
