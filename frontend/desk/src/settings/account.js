/** @import {Desk} from "../types" */
import { el } from "../../../widget/src/shared/dom.js";
import { button, input } from "../shared/controls.js";
import { prove, setUpFactor } from "./factor.js";

/** The password and the second factor of whoever is signed in. @param {Desk} desk */
export function accountSettings(desk) {
  const { t, api } = desk;
  const rows = el("ul", { class: "rows" });
  const section = el("section", { class: "card", hidden: true }, el("header", {}, el("h2", { text: t("account") })), rows);

  async function load() {
    try {
      const { password, second_factor: on, recovery_left: left } = await api.get("account");
      section.hidden = !password;
      rows.replaceChildren(
        row(t("password"), "", button(t("password_change"), () => changePassword(on))),
        row(t("factor"), on ? t("factor_on", { left }) : t("factor_off"),
          on ? button(t("factor_turn_off"), turnOff) : button(t("factor_set_up"), () => setUpFactor(api, () => void load()))));
    } catch (error) {
      desk.fail(error);
    }
  }

  /** @param {string} title @param {string} words @param {HTMLElement} action */
  const row = (title, words, action) => el("li", {}, el("div", {}, el("strong", { text: title }), el("p", { class: "words", text: words })), action);

  /** @param {boolean} on */
  function changePassword(on) {
    const fresh = input(t("password_new"), { type: "password", required: true, minlength: 10, maxlength: 200, autocomplete: "new-password" });
    prove(t("password_change"), on, async (proof) => {
      api.setCsrf((await api.post("account/password", { ...proof, new: fresh.field.value })).csrf);
      desk.say(t("password_changed"));
    }, { action: t("save"), more: [fresh.element, el("p", { class: "hint", text: t("password_new_hint") })] });
  }

  function turnOff() {
    prove(t("factor_turn_off"), true, async (proof) => {
      await api.post("account/second-factor/off", proof);
      return load;
    }, { action: t("factor_turn_off") });
  }

  void load();
  return section;
}
