/** @import {Desk, Source, SyncState} from "../types" */
import { el } from "../../../widget/src/shared/dom.js";
import { stamp } from "../format.js";
import { button, placeIn } from "../shared/controls.js";
import { editSource } from "./source-form.js";
import { sourceRow } from "./source-row.js";

const LOOK_MS = 3000;
const NAMED = 10;

/** Where the other articles come from, what the newest sync told, and one to begin now or to declare. @param {Desk} desk */
export function sourcesSection(desk) {
  const { t, api } = desk;
  const list = el("ul", { class: "rows" });
  const told = el("div", { role: "status" });
  const title = el("h2", { text: t("sources_title"), tabindex: -1 });
  const start = button(t("sync_now"), () => void begin("sources/sync"), { hidden: true });
  const stop = button(t("sync_stop"), () => void begin("sources/stop"), { hidden: true });
  const add = button(t("source_add"), () => edit(null));
  let timer = 0;
  /** @type {string[]} */
  let folders = [];

  async function load() {
    try {
      draw(await api.get("sources"));
    } catch (error) {
      told.replaceChildren(el("p", { class: "hint", text: t("report_failed") }));
      if (/** @type {any} */ (error).status === 401) desk.fail(error);
    }
  }

  /** @param {string} path */
  async function begin(path) {
    start.disabled = true;
    try {
      await api.post(path);
    } catch (error) {
      desk.fail(error);
    }
    void load();
  }

  /** @param {Source} one */
  const look = (one) => void begin(`sources/${encodeURIComponent(one.id)}/preview`);
  /** A new source is looked at as soon as it is declared. @param {Source | null} one */
  const edit = (one) => editSource(desk, folders, one, (saved) => (one ? void load() : look(saved)));

  /** @param {SyncState} state */
  function draw(state) {
    folders = state.folders;
    start.hidden = !state.items.some((one) => one.active);
    start.disabled = state.running;
    const left = !state.running && stop === document.activeElement;
    stop.hidden = !state.running;
    if (left) title.focus();
    const back = list.contains(document.activeElement) ? placeIn(list, title) : null;
    const row = (/** @type {Source} */ one) => sourceRow(desk, one, state, { look, edit, changed: () => void load() });
    list.replaceChildren(...(state.items.length ? state.items.map(row) : [el("li", { class: "hint", text: t("sources_none") })]));
    back?.();
    told.replaceChildren(...(state.running ? [el("p", { class: "hint", text: t(state.stopping ? "sync_stopping" : "sync_running") })] : state.last ? summary(state.last) : []));
    clearTimeout(timer);
    if (state.running) timer = window.setTimeout(() => void load(), LOOK_MS);
  }

  /** @param {NonNullable<SyncState["last"]>} last */
  function summary(last) {
    const time = stamp(last.finished);
    if (last.error) return [el("p", { class: "error", text: t("sync_failed", { time, why: last.error }) })];
    if (last.stopped) return [el("p", { class: "hint", text: t("sync_stopped", { time }) })];
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
    element: el("section", { class: "card" }, el("header", {}, title, add, start, stop),
      el("p", { class: "hint", text: t("sources_means") }), list, told),
    stop: () => clearTimeout(timer),
  };
}
