/** @import {Desk} from "../types" */
import { el } from "../../../widget/src/shared/dom.js";
import { button, input } from "../shared/controls.js";
import { openDialog } from "../shared/dialog.js";

/** What is on record about one visitor: handed out, or deleted for good. @param {Desk} desk */
export function visitorSettings(desk) {
  const { t, api } = desk;
  const who = input(t("visitor_who"), { required: true, maxlength: 254, autocomplete: "off", spellcheck: "false" });
  const result = el("p", { class: "hint", role: "status" });
  const path = () => `visitors/${encodeURIComponent(who.field.value.trim())}`;

  async function look() {
    if (!who.field.value.trim()) return who.field.focus();
    const name = who.field.value.trim();
    try {
      const found = (await api.get(`${path()}/export`)).conversations.length;
      result.replaceChildren(t(found ? "visitor_found" : "visitor_none", { n: found, name }), " ",
        ...(found ? [el("a", { class: "plain", href: api.url(`${path()}/export`), download: "visitor.json", text: t("visitor_download") }), " ",
          button(t("visitor_delete"), () => drop(name, found))] : []));
    } catch (error) {
      desk.fail(error);
    }
  }

  /** @param {string} name @param {number} found */
  function drop(name, found) {
    const dialog = openDialog(t("visitor_delete_title"), [el("p", { text: t("visitor_delete_sure", { name, n: found }) })], {
      action: t("visitor_delete"),
      async submit() {
        dialog.close();
        try {
          const { deleted } = await api.remove(`visitors/${encodeURIComponent(name)}`);
          result.replaceChildren(t("visitor_deleted", { n: deleted }));
          who.field.focus();
        } catch (error) {
          desk.fail(error);
        }
      },
    });
  }

  return el("section", { class: "card" }, el("header", {}, el("h2", { text: t("visitor_data") })), el("p", { class: "hint", text: t("visitor_data_means") }),
    el("form", { class: "range", submit: (/** @type {Event} */ event) => { event.preventDefault(); void look(); } }, who.element, el("button", { type: "submit", class: "plain", text: t("visitor_look") })),
    result);
}
