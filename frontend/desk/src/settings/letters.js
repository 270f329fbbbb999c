/** @import {Desk} from "../types" */
import { el } from "../../../widget/src/shared/dom.js";
import { stamp } from "../format.js";
import { button, chip, select } from "../shared/controls.js";
import { word } from "../strings.js";

const STATES = ["dead", "waiting", "done"];

/** Alerts and transcripts on their way out; those that could not be delivered are sent again from here. @param {Desk} desk */
export function letterSettings(desk) {
  const { t, api } = desk;
  const list = el("ul", { class: "rows" });
  const state = select(t("status"), STATES.map((one) => [one, t(`letters_${one}`)]), "dead", () => void load());
  const all = button(t("letters_retry_all"), () => void again("letters/retry"), { hidden: true });

  async function load() {
    try {
      const { items } = await api.get("letters", { state: state.field.value });
      all.hidden = state.field.value !== "dead" || items.length < 2;
      list.replaceChildren(...items.map(row));
      if (!items.length) list.replaceChildren(el("li", { class: "hint", text: t(`letters_none_${state.field.value}`) }));
    } catch (error) {
      desk.fail(error);
    }
  }

  /** @param {any} letter */
  const row = (letter) => el("li", {}, el("div", {}, el("p", {}, chip(word("channel", letter.channel)), " ", el("strong", { text: letter.target })),
    el("p", { class: "hint", text: t("letter_tries", { n: letter.attempts, time: stamp(letter.created_at) }) }),
    letter.error && el("p", { class: "words", dir: "auto", text: letter.error })),
  letter.state === "dead" && button(t("letters_retry"), () => void again(`letters/${encodeURIComponent(letter.id)}/retry`), { "aria-label": t("letters_retry_named", { name: letter.target }) }));

  /** @param {string} path */
  async function again(path) {
    try {
      const { due } = await api.post(path);
      desk.say(t("letters_due", { n: due }));
      await load();
      state.field.focus();
    } catch (error) {
      desk.fail(error);
    }
  }

  void load();
  return el("section", { class: "card" }, el("header", {}, el("h2", { text: t("letters_title") }), all), el("p", { class: "hint", text: t("letters_mean") }),
    el("div", { class: "range" }, state.element), list);
}
