/** @import {Desk, Source, SyncState} from "../types" */
import { el } from "../../../widget/src/shared/dom.js";
import { stamp } from "../format.js";
import { attempt } from "../shared/attempt.js";
import { button, chip, fresh } from "../shared/controls.js";
import { openDialog } from "../shared/dialog.js";
import { word } from "../strings.js";

/**
 * One source, what a preview said of it, and what can be done with it.
 * @param {Desk} desk
 * @param {Source} one
 * @param {SyncState} state
 * @param {{ look: (one: Source) => void, edit: (one: Source) => void, changed: () => void }} act
 */
export function sourceRow(desk, one, state, { look, edit, changed }) {
  const { t, api } = desk;
  const path = `sources/${encodeURIComponent(one.id)}`;
  /** @param {string} key @param {() => void} click @param {Record<string, any>} [props] */
  const act = (key, click, props) => button(t(key), click, { "aria-label": t(`${key}_named`, { name: one.where }), ...props });
  const switched = () => api.post(`${path}/active`, { active: !one.active });

  return el("li", {},
    el("div", {}, el("strong", { dir: "auto", text: one.where }), el("p", { class: "chips" }, chip(word("source", one.kind)),
      chip(t(one.articles === 1 ? "one_article" : "n_articles", { n: one.articles })), one.declared === "config" && chip("config.toml"), !one.active && chip(t("source_paused"), "care")),
      previewed()),
    act("source_preview", () => look(one), { disabled: state.running }),
    ...(one.declared === "config" ? [] : [
      act(one.active ? "source_pause" : "source_resume", () => void attempt(desk, switched, { done: one.active ? "source_is_paused" : "source_is_on", then: changed })),
      act("source_change", () => edit(one)),
      act("source_remove", drop),
    ]));

  function previewed() {
    const told = state.preview;
    if (told?.source !== one.id || told.finished < (state.last?.finished ?? 0)) return false;
    const time = stamp(told.finished);
    if (told.error) return el("p", { class: "error", text: t("preview_failed", { time, why: told.error }) });
    if (told.stopped) return el("p", { class: "hint", text: t("preview_stopped", { time }) });
    const { added = [], changed: other = [], removed = [], unread = {} } = told;
    const why = Object.values(unread)[0];
    return el("div", {}, el("p", { class: "hint", text: t("preview_told", { time, added: added.length, changed: other.length, removed: removed.length }) }),
      why !== undefined && el("p", { class: "error", text: t("preview_unread", { n: Object.keys(unread).length, why }) }));
  }

  function drop() {
    const id = fresh("drop-articles");
    const too = el("input", { id, type: "checkbox" });
    const dialog = openDialog(t("source_remove_named", { name: one.where }),
      [el("p", { text: t("source_remove_means") }), el("p", { class: "check" }, too, el("label", { for: id, text: t("source_remove_articles", { n: one.articles }) }))],
      { action: t("source_remove"), submit: () => void attempt(desk, () => api.remove(`${path}?articles=${too.checked ? "remove" : "keep"}`), { done: "source_removed", dialog, then: changed }) });
  }
}
