/** @import {Context, Receipt} from "../types" */
import { el } from "../shared/dom.js";
import { icon } from "../shared/icon.js";
import { CHECK } from "./icons.js";
import { createMessage } from "./message.js";

/**
 * What the visitor keeps of a hand-off: that it is recorded, under which reference, and when to expect a word.
 * @param {Context} context
 * @param {Receipt} receipt
 * @param {number} at
 * @returns {HTMLElement}
 */
export function createReceipt(context, { reference, message, sent }, at) {
  const { t } = context;
  const code = el("code", { class: "reference", text: reference });
  const copied = el("span", { class: "copied", role: "status" });
  const copy = el("button", { type: "button", class: "plain", text: t("copy"), click: () => void copyText(code, copied, t("copied")) });
  return createMessage(context, { by: "team", at, routing: "handoff" },
    el("div", { class: "bubble receipt" },
      el("p", { class: "tag" }, icon(CHECK), el("span", { text: t("receipt_title") })),
      el("p", { text: message || t("receipt_message"), dir: "auto" }),
      reference && el("p", { class: "reference-line" }, el("span", { class: "label", text: t("reference") }), code, copy, copied),
      sent && el("p", { class: "yours", dir: "auto", text: t("receipt_yours", { text: sent }) })));
}

/** @param {HTMLElement} code @param {HTMLElement} copied @param {string} done */
async function copyText(code, copied, done) {
  try {
    await navigator.clipboard.writeText(code.textContent ?? "");
    copied.textContent = done;
  } catch {
    // No clipboard on this page: leave the reference selected, one key press away.
    getSelection()?.selectAllChildren(code);
  }
}
