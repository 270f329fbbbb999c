/** @import {Canned, Desk} from "../types" */
import { el } from "../../../widget/src/shared/dom.js";
import { button, fresh, input, placeIn } from "../shared/controls.js";
import { openDialog } from "../shared/dialog.js";

/** @param {Desk} desk */
export function cannedSettings(desk) {
  const { t, api } = desk;
  const may = desk.me.role !== "agent";
  const list = el("ul", { class: "rows" });
  const add = button(t("canned_new"), () => edit(null));

  async function load() {
    try {
      const answer = await api.get("canned");
      const replies = /** @type {Canned[]} */ (answer.items ?? answer);
      list.replaceChildren(...replies.map(row));
      if (!replies.length) list.replaceChildren(el("li", { class: "hint", text: t("canned_none") }));
    } catch (error) {
      desk.fail(error);
    }
  }

  /** @param {Canned} reply */
  const row = (reply) => el("li", {}, el("div", {}, el("strong", { text: reply.title }), el("p", { class: "words", dir: "auto", text: reply.text })),
    may && button(t("edit"), () => edit(reply), { "aria-label": t("edit_named", { name: reply.title }) }),
    may && button(t("delete"), () => drop(reply), { "aria-label": t("delete_named", { name: reply.title }) }));

  /** @param {Canned | null} reply */
  function edit(reply) {
    const id = fresh("canned-text");
    const back = placeIn(list, add);
    const title = input(t("title"), { value: reply?.title ?? "", required: true, maxlength: 120 });
    const text = el("textarea", { id, rows: 6, required: true, maxlength: 4000, dir: "auto" });
    text.value = reply?.text ?? "";
    const dialog = openDialog(t(reply ? "canned_edit" : "canned_new"), [
      title.element, el("div", { class: "labelled" }, el("label", { for: id, text: t("text") }), text), el("p", { class: "hint", text: t("canned_variables") }),
    ], {
      action: t("save"), wide: true,
      async submit() {
        const body = { title: title.field.value.trim(), text: text.value.trim() };
        if (!body.title || !body.text) return;
        if (await attempt(() => (reply ? api.put(`canned/${encodeURIComponent(reply.id)}`, body) : api.post("canned", body)))) { dialog.close(); back(); }
      },
    });
  }

  /** @param {Canned} reply */
  function drop(reply) {
    const back = placeIn(list, add);
    const dialog = openDialog(t("canned_delete"), [el("p", { text: t("canned_delete_sure", { name: reply.title }) })], {
      action: t("delete"),
      async submit() {
        dialog.close();
        if (await attempt(() => api.remove(`canned/${encodeURIComponent(reply.id)}`))) back();
      },
    });
  }

  /** @param {() => Promise<any>} work @returns {Promise<boolean>} */
  async function attempt(work) {
    try {
      await work();
      await load();
      return true;
    } catch (error) {
      desk.fail(error);
      return false;
    }
  }

  void load();
  return el("section", { class: "card" }, el("header", {}, el("h2", { text: t("canned_title") }), may && add),
    el("p", { class: "hint", text: t("canned_variables") }), list);
}
