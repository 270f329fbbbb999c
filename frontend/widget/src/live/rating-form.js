/** @import {Context} from "../types" */
import { el } from "../shared/dom.js";

let serial = 0;

/**
 * Asked once a person has closed the conversation: how it was, and whether it goes on after all.
 * @param {Context} context
 * @param {{ send: (path: string, body: object) => Promise<boolean>, reopen: () => Promise<void> }} actions
 * @returns {HTMLElement}
 */
export function createRatingForm({ t, say }, { send, reopen }) {
  const name = `handrail-csat-${++serial}`;
  const comment = el("textarea", { id: `${name}-comment`, rows: 2, maxlength: 1000, dir: "auto" });
  const button = el("button", { type: "submit", class: "plain", text: t("csat_send") });
  const scores = [1, 2, 3, 4, 5].map((n) => el("label", { class: "score" },
    el("input", { type: "radio", name, value: n, required: true, "aria-label": t("csat_scale", { n }) }), el("span", { text: n, "aria-hidden": "true" })));
  const form = el("form", { class: "rating csat", submit: async (/** @type {Event} */ event) => {
    event.preventDefault();
    const chosen = /** @type {HTMLInputElement | null} */ (form.querySelector("input:checked"));
    if (!chosen) return;
    const taken = await send("/csat", { score: Number(chosen.value), comment: comment.value.trim() || null });
    const words = t(taken ? "csat_thanks" : "feedback_failed");
    say(words);
    if (taken) form.replaceChildren(el("p", { class: "said", text: words }));
  } },
  el("fieldset", {}, el("legend", { text: t("csat_title") }), el("span", { class: "scores" }, ...scores)),
  el("label", { for: comment.id, text: t("csat_comment") }), comment, button);
  return el("div", { class: "closed" }, el("p", { class: "said", text: t("resolved") }), form,
    el("button", { type: "button", class: "link", text: t("reopen"), click: () => void reopen() }));
}
