/** @import {Context, Entry, Rating} from "../types" */
import { el } from "../shared/dom.js";
import { tool } from "./actions.js";
import { DOWN, UP } from "./icons.js";

const REASONS = ["wrong", "incomplete", "unrelated", "unclear", "other"];
let serial = 0;

/**
 * Thumbs, and for a thumb down the reason.
 * @param {Context} context
 * @param {Entry & { kind: "reply" }} entry
 */
export function createRating({ t, actions, save, say }, entry) {
  const id = `handrail-rating-${++serial}`;
  const up = tool(t("good"), UP, () => void rate("up", "", ""));
  const down = tool(t("bad"), DOWN, () => toggle(form.hidden === true));
  const said = el("p", { class: "said" });
  const comment = el("textarea", { id: `${id}-detail`, rows: 2, maxlength: 1000, dir: "auto" });
  const send = el("button", { type: "submit", class: "plain", text: t("bad_send") });
  const form = el("form", { class: "rating", hidden: true, submit: (/** @type {Event} */ event) => {
    event.preventDefault();
    const chosen = /** @type {HTMLInputElement | null} */ (form.querySelector("input:checked"));
    void rate("down", chosen?.value ?? "other", comment.value.trim());
  } },
  el("fieldset", {}, el("legend", { text: t("bad_why") }), ...REASONS.map((reason) =>
    el("label", {}, el("input", { type: "radio", name: id, value: reason }), el("span", { text: t(`bad_${reason}`) })))),
  el("label", { for: comment.id, text: t("bad_detail") }), comment, send);
  show();
  return { buttons: [up, down], form: el("div", {}, form, said) };

  /** @param {boolean} open */
  function toggle(open) {
    form.hidden = !open;
    said.textContent = "";
    down.setAttribute("aria-expanded", String(open));
    if (!open) return;
    form.querySelector("input")?.focus();
    form.scrollIntoView({ block: "nearest" });
  }

  function show() {
    up.setAttribute("aria-pressed", String(entry.rating === "up"));
    down.setAttribute("aria-pressed", String(entry.rating === "down"));
  }

  /** @param {Rating} rating @param {string} reason @param {string} words */
  async function rate(rating, reason, words) {
    const taken = await actions.rate(entry, rating, reason, words);
    said.textContent = t(taken ? "feedback_thanks" : "feedback_failed");
    say(said.textContent);
    if (!taken) return;
    entry.rating = rating;
    save();
    show();
    form.hidden = true;
    down.focus();
  }
}
