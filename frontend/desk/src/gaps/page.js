/** @import {Desk, View} from "../types" */
import { el } from "../../../widget/src/shared/dom.js";
import { hostsOf, safeHref } from "../../../widget/src/markdown/href.js";
import { score, stamp } from "../format.js";
import { button, chip, placeIn } from "../shared/controls.js";
import { word } from "../strings.js";
import { casesSection } from "./cases.js";
import { draftMark, readDraft } from "./draft.js";

/** What the help articles lack, drafts of articles that wait for approval, and cases for the evaluation. @param {Desk} desk @returns {View} */
export function gapsPage(desk) {
  const { t, api } = desk;
  const gaps = el("ol", { class: "rows" });
  const drafts = el("ul", { class: "rows" });
  const title = el("h2", { text: t("drafts_title"), tabindex: -1 });

  /** @param {string} path @param {HTMLElement} place @param {(one: any) => HTMLElement} row @param {string} none */
  async function load(path, place, row, none) {
    place.replaceChildren(el("li", { class: "hint", text: t("loading") }));
    try {
      const answer = await api.get(path);
      const found = /** @type {any[]} */ (answer.items ?? answer[path] ?? answer.rows ?? answer);
      place.replaceChildren(...(found.length ? found.map(row) : [el("li", { class: "hint", text: t(none) })]));
    } catch (error) {
      place.replaceChildren(el("li", { class: "hint", text: t("report_failed") }));
      if (/** @type {any} */ (error).status === 401) desk.fail(error);
    }
  }

  /** @param {any} gap */
  function gapRow(gap) {
    const samples = /** @type {string[]} */ (gap.samples ?? []);
    const asked = Number(gap.questions ?? samples.length);
    const nearest = /** @type {any[]} */ (gap.nearest ?? []);
    const reasons = gap.reasons && typeof gap.reasons === "object" ? Object.keys(gap.reasons) : [];
    return el("li", { class: "gap" }, el("p", { class: "gap-count" }, el("strong", { text: String(asked) }), ` ${t(asked === 1 ? "gap_question" : "gap_questions")}`),
      el("div", {},
        el("ul", { class: "samples" }, ...samples.slice(0, 5).map((text) => el("li", { dir: "auto", text }))),
        el("p", { class: "chips" }, gap.verdict && chip(word("verdict", gap.verdict), gap.verdict === "missing" ? "care" : ""), ...reasons.map((reason) => chip(word("reason", reason)))),
        nearest.length > 0 && el("p", { class: "hint" }, `${t("nearest")} `, ...nearest.slice(0, 3).flatMap((one, i) => [i ? ", " : "", link(one), typeof one.distance === "number" ? ` (${score(1 - one.distance)})` : ""]))));
  }

  /** @param {any} one */
  function link(one) {
    const href = one.url ? safeHref(one.url, new Set(hostsOf([one.url]))) : null;
    return href ? el("a", { href, target: "_blank", rel: "noopener noreferrer", text: one.title }) : el("span", { text: one.title ?? "" });
  }

  /** @param {any} draft */
  function draftRow(draft) {
    const mark = draftMark(draft);
    return el("li", {}, el("div", {}, el("strong", { dir: "auto", text: draft.title }), el("p", { class: "hint" }, chip(t(mark), mark === "approved" ? "good" : "care"), draft.created_at ? ` ${stamp(draft.created_at)}` : "")),
      button(t("read_draft"), () => readDraft(desk, draft, reload()), { "aria-label": t("read_draft_named", { name: draft.title }) }));
  }

  const loadDrafts = () => load("drafts", drafts, draftRow, "drafts_none");

  /** @returns {() => void} draws the drafts anew, with the focus where it is now */
  function reload() {
    const back = placeIn(drafts, title);
    return () => void loadDrafts().then(back);
  }

  void load("gaps", gaps, gapRow, "gaps_none");
  void loadDrafts();
  return {
    element: el("div", { class: "page narrow" }, el("header", { class: "page-header" }, el("h1", { text: t("page_gaps") })),
      el("section", { class: "card" }, el("header", {}, el("h2", { text: t("gaps_title") })), el("p", { class: "hint", text: t("gaps_means") }), gaps),
      el("section", { class: "card" }, el("header", {}, title), el("p", { class: "hint", text: t("drafts_means") }), drafts),
      casesSection(desk)),
  };
}
