/** @import {Context, Entry, Rating} from "../types" */
import { el } from "../shared/dom.js";
import { tool } from "./actions.js";
import { DOWN, UP } from "./icons.js";

/**
 * Thumbs, and for a thumb down the reason, whose form is fetched when it is first wanted.
 * @param {Context} context
 * @param {Entry & { kind: "reply" }} entry
 */
export function createRating({ t, actions, save, say, more }, entry) {
  const up = tool(t("good"), UP, () => void rate("up", "", ""));
  const down = tool(t("bad"), DOWN, () => void toggle());
  const said = el("p", { class: "said" });
  const place = el("div", {}, said);
  /** @type {HTMLFormElement | undefined} */
  let form;
  let open = false;
  show();
  return { buttons: [up, down], form: place };

  async function toggle() {
    open = !open;
    said.textContent = form ? "" : "…";
    const found = await more();
    said.textContent = "";
    form ??= found?.reasons((reason, words) => rate("down", reason, words), close);
    if (open && !form) tell(false);
    open &&= Boolean(form);
    show();
    if (!form || !open) return;
    // Whoever has gone elsewhere meanwhile is not called back.
    if (down.matches(":focus")) form.querySelector("input")?.focus();
    form.scrollIntoView({ block: "nearest" });
  }

  function show() {
    up.setAttribute("aria-pressed", String(entry.rating === "up"));
    down.setAttribute("aria-pressed", String(entry.rating === "down"));
    down.setAttribute("aria-expanded", String(open));
    if (open && form) place.prepend(form);
    else form?.remove();
  }

  function close() {
    const within = place.matches(":focus-within");
    open = false;
    show();
    if (within) down.focus();
  }

  /** @param {boolean} taken */
  function tell(taken) {
    said.textContent = t(taken ? "feedback_thanks" : "feedback_failed");
    say(said.textContent);
  }

  /** @param {Rating} rating @param {string} reason @param {string} words */
  async function rate(rating, reason, words) {
    const taken = await actions.rate(entry, rating, reason, words);
    tell(taken);
    if (!taken) return;
    entry.rating = rating;
    save();
    close();
  }
}
