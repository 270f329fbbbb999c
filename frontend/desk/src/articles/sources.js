/** @import {Desk, SyncState} from "../types" */
import { el } from "../../../widget/src/shared/dom.js";
import { stamp } from "../format.js";
import { button, chip } from "../shared/controls.js";
import { word } from "../strings.js";

const LOOK_MS = 3000;
const NAMED = 10;

/** Where the other articles come from, what the newest sync told, and one to begin now. @param {Desk} desk */
export function sourcesSection(desk) {
  const { t, api } = desk;
  const list = el("ul", { class: "rows" });
  const told = el("div", { role: "status" });
  const start = button(t("sync_now"), () => void begin(), { hidden: true });
  let timer = 0;

  async function load() {
    try {
      draw(await api.get("sources"));
    } catch (error) {
      told.replaceChildren(el("p", { class: "hint", text: t("report_failed") }));
      if (/** @type {any} */ (error).status === 401) desk.fail(error);
    }
  }

  async function begin() {
    start.disabled = true;
    try {
      await api.post("sources/sync");
    } catch (error) {
      desk.fail(error);
    }
    void load();
  }

  /** @param {SyncState} state */
  function draw(state) {
    start.hidden = !state.items.length;
    start.disabled = state.running;
    list.replaceChildren(...(state.items.length
      ? state.items.map((one) => el("li", {}, el("div", {}, el("strong", { dir: "auto", text: one.where })), chip(word("source", one.kind))))
      : [el("li", { class: "hint", text: t("sources_none") })]));
    told.replaceChildren(...(state.running ? [el("p", { class: "hint", text: t("sync_running") })] : state.last ? summary(state.last) : []));
    if (state.running) timer = window.setTimeout(() => void load(), LOOK_MS);
  }

  /** @param {NonNullable<SyncState["last"]>} last */
  function summary(last) {
    const time = stamp(last.finished);
    if (last.error) return [el("p", { class: "error", text: t("sync_failed", { time, why: last.error }) })];
    const { added = [], changed = [], removed = [] } = last;
    /** @type {[string, string[]][]} */
    const lists = [["sync_quarantined", last.quarantined ?? []], ["sync_suspicious", Object.entries(last.suspicious ?? {}).map(([id, why]) => `${id}: ${why}`)],
      ["sync_unread", Object.entries(last.unread ?? {}).map(([where, why]) => `${where}: ${why}`)]];
    return [
      el("p", { class: "hint", text: t("sync_told", { time, added: added.length, changed: changed.length, removed: removed.length }) }),
      ...lists.filter(([, found]) => found.length).map(([key, found]) => el("details", {}, el("summary", { text: t(key, { n: found.length }) }),
        el("ul", { class: "words" }, ...found.slice(0, NAMED).map((text) => el("li", { dir: "auto", text })),
          found.length > NAMED && el("li", { text: t("and_more", { n: found.length - NAMED }) })))),
    ];
  }

  void load();
  return {
    element: el("section", { class: "card" }, el("header", {}, el("h2", { text: t("sources_title") }), start),
      el("p", { class: "hint", text: t("sources_means") }), list, told),
    stop: () => clearTimeout(timer),
  };
}
