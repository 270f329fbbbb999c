/** @import {Colleague, Desk} from "../types" */
import { el } from "../../../widget/src/shared/dom.js";
import { button, chip, input, select } from "../shared/controls.js";
import { openDialog } from "../shared/dialog.js";
import { word } from "../strings.js";

const ROLES = ["agent", "lead", "admin"];

/** @param {Desk} desk */
export function usersSettings(desk) {
  const { t, api } = desk;
  const list = el("ul", { class: "rows" });

  async function load() {
    try {
      const answer = await api.get("users");
      const people = /** @type {Colleague[]} */ (answer.items ?? answer.users ?? answer);
      list.replaceChildren(...people.map((person) => el("li", {}, el("div", {}, el("strong", { text: person.name }), el("p", { class: "words", text: person.email ?? "" })),
        chip(t(person.online ? "online" : "away"), person.online ? "good" : ""), ...(person.role ? [chip(word("role", person.role))] : []), ...(person.active === false ? [chip(t("disabled"))] : []),
        ...(person.id === desk.me.id ? [] : [button(t("change"), () => change(person), { "aria-label": t("user_change", { name: person.name }) })]))));
    } catch (error) {
      desk.fail(error);
    }
  }

  function add() {
    const name = input(t("name"), { required: true, maxlength: 80, autocomplete: "off" });
    const email = input(t("email"), { type: "email", required: true, autocomplete: "off" });
    const role = select(t("role"), ROLES.map((one) => [one, word("role", one)]), "agent", () => {});
    const password = input(t("password_first"), { type: "password", required: true, minlength: 12, autocomplete: "new-password" });
    const problem = el("p", { class: "problem", role: "alert" });
    const dialog = openDialog(t("user_new"), [name.element, email.element, role.element, password.element, el("p", { class: "hint", text: t("password_hint") }), problem], {
      action: t("save"),
      async submit() {
        try {
          await api.post("users", { name: name.field.value.trim(), email: email.field.value.trim(), role: role.field.value, password: password.field.value });
          dialog.close();
          await load();
        } catch (error) {
          problem.textContent = /** @type {Error} */ (error).message || t("failed");
        }
      },
    });
  }

  /** @param {Colleague} person */
  function change(person) {
    const role = select(t("role"), ROLES.map((one) => [one, word("role", one)]), person.role ?? "agent", () => {});
    const active = select(t("user_access"), [["yes", t("user_may_sign_in")], ["no", t("user_may_not")]], person.active === false ? "no" : "yes", () => {});
    const problem = el("p", { class: "problem", role: "alert" });
    const dialog = openDialog(person.name, [role.element, active.element, el("p", { class: "hint", text: t("user_access_hint") }), problem], {
      action: t("save"),
      async submit() {
        try {
          await api.put(`users/${encodeURIComponent(person.id)}`, { role: role.field.value, active: active.field.value === "yes" });
          dialog.close();
          await load();
        } catch (error) {
          problem.textContent = /** @type {Error} */ (error).message || t("failed");
        }
      },
    });
  }

  void load();
  return el("section", { class: "card" }, el("header", {}, el("h2", { text: t("users") }), button(t("user_new"), add)), list);
}
