/** @import {Counts, Desk, Filters} from "../types" */
import { el } from "../../../widget/src/shared/dom.js";
import { fresh, select } from "../shared/controls.js";
import { word } from "../strings.js";
import { UNFILTERED, VIEWS } from "./model.js";

const LABELS = ["answerable", "high_stakes", "out_of_scope", "irrelevant", "nonsense"];
const REASONS = ["visitor_request", "high_stakes", "cannot_answer", "no_relevant_context", "low_evidence", "invalid_citations",
  "unsupported_claims", "policy", "budget_exhausted", "provider_unavailable", "paused"];
const LANGUAGES = ["en", "de", "fr", "es", "pt", "ru", "ar"];
const PAUSE_MS = 250;

/**
 * Views, search and filters above the queue.
 * @param {Desk} desk
 * @param {(change: Partial<Filters>) => void} filter
 */
export function createFilters(desk, filter) {
  const { t } = desk;
  let timer = 0;
  const tabs = Object.keys(VIEWS).map((view) => el("button", {
    type: "button", "data-view": view, "aria-pressed": String(view === UNFILTERED.view),
    click: () => { mark(view); filter({ view }); },
  }, el("span", { text: t(`view_${view}`) }), el("span", { class: "count" })));
  const id = fresh("search");
  const search = el("input", {
    id, type: "search", placeholder: t("search_placeholder"), autocomplete: "off", spellcheck: "false",
    input: () => { clearTimeout(timer); timer = window.setTimeout(() => filter({ q: search.value.trim() }), PAUSE_MS); },
  });

  const words = (/** @type {string} */ prefix, /** @type {string[]} */ codes) =>
    /** @type {[string, string][]} */ ([["", t("any")], ...codes.map((code) => [code, word(prefix, code)])]);
  const label = select(t("filter_label"), words("label", LABELS), "", (value) => change({ label: value }));
  const reason = select(t("filter_reason"), words("reason", REASONS), "", (value) => change({ reason: value }));
  const lang = select(t("filter_lang"), words("lang", LANGUAGES), "", (value) => change({ lang: value }));
  const owner = select(t("filter_owner"), [], "", (value) => change({ owner: value }));
  const sort = select(t("sort"), [["waiting", t("sort_waiting")], ["updated", t("sort_updated")]], "waiting",
    (value) => filter({ sort: value === "updated" ? "updated" : "waiting" }));
  const chosen = el("span", { class: "count" });
  const clear = el("button", { type: "button", class: "link", text: t("clear_filters"), hidden: true, click: reset });
  const fields = [label.field, reason.field, lang.field, owner.field];

  function owners() {
    const value = owner.field.value;
    const people = [...desk.people.values()].filter((person) => person.id !== desk.me.id);
    owner.field.replaceChildren(...[["", t("any")], ["me", t("you")], ["none", t("nobody")], ...people.map((person) => [person.id, person.name])]
      .map(([code, text]) => el("option", { value: code, text, selected: code === value })));
  }

  /** @param {Partial<Filters>} change */
  function change(change) {
    show();
    filter(change);
  }

  function show() {
    const count = fields.filter((field) => field.value).length;
    chosen.textContent = count ? String(count) : "";
    clear.hidden = count === 0;
  }

  function reset() {
    for (const field of fields) field.value = "";
    show();
    filter({ label: "", reason: "", lang: "", owner: "" });
  }

  /** @param {string} view */
  function mark(view) {
    for (const tab of tabs) tab.setAttribute("aria-pressed", String(tab.dataset.view === view));
  }

  owners();
  const stops = [
    desk.on("people", owners),
    desk.on("counts", (/** @type {Counts} */ counts) => {
      for (const tab of tabs) {
        const { queued, worth, mine, person } = counts;
        const count = /** @type {Record<string, number>} */ ({ queued, worth, mine, person })[tab.dataset.view ?? ""];
        /** @type {HTMLElement} */ (tab.lastElementChild).textContent = count === undefined ? "" : String(count);
      }
    }),
  ];
  return {
    element: el("div", { class: "filters" },
      el("div", { class: "views", role: "group", "aria-label": t("views") }, ...tabs),
      el("div", { class: "search", role: "search" }, el("label", { for: id, class: "hidden", text: t("search") }), search),
      el("details", { class: "more-filters" }, el("summary", {}, el("span", { text: t("filters") }), chosen),
        el("div", { class: "filter-grid" }, label.element, reason.element, lang.element, owner.element, sort.element, clear))),
    focusSearch: () => search.select(),
    close: () => { clearTimeout(timer); stops.forEach((stop) => stop()); },
  };
}
