/** @import {Desk} from "../types" */
import { el } from "../../../widget/src/shared/dom.js";
import { attempt } from "../shared/attempt.js";
import { button, chip, fresh, input } from "../shared/controls.js";
import { openDialog } from "../shared/dialog.js";

/**
 * Reads a draft of an article. Anybody may better it; leads decide what becomes of it.
 * @param {Desk} desk
 * @param {any} draft
 * @param {() => void} changed
 */
export function readDraft(desk, draft, changed) {
  const { t, api, me } = desk;
  const path = `drafts/${encodeURIComponent(draft.id)}`;
  const decided = draft.status !== "proposed";
  const mark = el("p", {}, chip(t(draftMark(draft)), draft.status === "approved" ? "good" : "care"));
  if (decided) {
    openDialog(draft.title, [mark, el("pre", { class: "article", dir: "auto", tabindex: 0, text: draft.body ?? "" })], { wide: true });
    return;
  }
  const id = fresh("article");
  const title = input(t("title"), { value: draft.title, required: true, maxlength: 160, dir: "auto" });
  const body = el("textarea", { id, rows: 14, required: true, dir: "auto" });
  body.value = draft.body ?? "";
  const edited = () => title.field.value !== draft.title || body.value !== (draft.body ?? "");
  const save = () => (edited() ? api.put(path, { title: title.field.value, body: body.value }) : Promise.resolve());

  const leads = me.role !== "agent";
  const dialog = openDialog(draft.title, [
    mark, title.element, el("div", { class: "labelled" }, el("label", { for: id, text: t("text") }), body),
    el("p", { class: "chips" }, button(t("save"), () => void attempt(desk, save, { done: "draft_saved", dialog, then: changed })),
      leads && button(t("reject"), () => void attempt(desk, () => api.post(`${path}/reject`), { done: "rejected_done", dialog, then: changed }))),
  ], leads ? { wide: true, action: t("approve"), submit: () => void attempt(desk, async () => { await save(); return api.post(`${path}/approve`); }, { done: "approved_done", dialog, then: changed }) } : { wide: true });
}

/** @param {any} draft @returns {string} the key of what it is: rejected, approved, a person's words or the machine's */
export const draftMark = (draft) => (draft.status !== "proposed" ? draft.status : draft.machine_made === false ? "edited" : "machine_made");
