import { el } from "../../../widget/src/shared/dom.js";
import { icon } from "../../../widget/src/shared/icon.js";
import { t } from "../strings.js";
import { fresh } from "./controls.js";
import { CLOSE } from "./icons.js";

/**
 * Opens a modal dialog; Escape, the cross and a click beside it close it, and the focus returns to where it was.
 * @param {string} title
 * @param {(Node | string)[]} content
 * @param {{ submit?: () => void, action?: string, wide?: boolean }} [options] with `action`, a form whose button says so
 * @returns {HTMLDialogElement}
 */
export function openDialog(title, content, { submit, action, wide } = {}) {
  const id = fresh("dialog");
  const close = () => dialog.close();
  const form = el("form", { method: "dialog", submit: (/** @type {Event} */ event) => { event.preventDefault(); submit?.(); } },
    el("div", { class: "dialog-body" }, ...content),
    action && el("div", { class: "dialog-actions" },
      el("button", { type: "button", class: "plain", text: t("cancel"), click: close }),
      el("button", { type: "submit", class: "primary", text: action })));
  const dialog = el("dialog", { class: wide ? "wide" : null, "aria-labelledby": id },
    el("header", {}, el("h2", { id, text: title }),
      el("button", { type: "button", class: "icon-button", "aria-label": t("close"), click: close }, icon(CLOSE))),
    form);
  dialog.addEventListener("click", (event) => { if (event.target === dialog) close(); });
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
  // The first thing to fill in, rather than the cross that would close it.
  /** @type {HTMLElement | null} */ (form.querySelector("input, select, textarea") ?? form.querySelector("[type=submit]"))?.focus();
  return dialog;
}
