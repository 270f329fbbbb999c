/** @import {Desk} from "../types" */
import { el } from "../../../widget/src/shared/dom.js";
import { button, input } from "../shared/controls.js";
import { openDialog } from "../shared/dialog.js";
import { Failure } from "../api.js";
import { explain } from "../sign-in.js";

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
          on ? button(t("factor_turn_off"), turnOff) : button(t("factor_set_up"), setUp)));
    } catch (error) {
      desk.fail(error);
    }
  }

  /** @param {string} title @param {string} words @param {HTMLElement} action */
  const row = (title, words, action) => el("li", {}, el("div", {}, el("strong", { text: title }), el("p", { class: "words", text: words })), action);

  /**
   * Asks for the password, and a code where there is a second factor, before `send`, which may say what comes next.
   * @param {string} title @param {boolean} on @param {(proof: Record<string, string>) => Promise<(() => void) | void>} send
   * @param {{ action?: string, more?: HTMLElement[] }} [options]
   */
  function prove(title, on, send, { action = t("continue"), more = [] } = {}) {
    const password = input(t("password_old"), { type: "password", required: true, autocomplete: "current-password" });
    const code = input(t("code"), { required: on, maxlength: 40, autocomplete: "one-time-code" });
    const problem = el("p", { class: "problem", role: "alert" });
    const dialog = openDialog(title, [password.element, ...(on ? [code.element] : []), ...more, problem], {
      action,
      async submit() {
        try {
          const next = await send({ password: password.field.value, ...(on ? { code: code.field.value.trim() } : {}) });
          dialog.close();
          next?.();
          await load();
        } catch (error) {
          problem.textContent = error instanceof Failure && error.status === 422 ? error.message : explain(error);
        }
      },
    });
  }

  /** @param {boolean} on */
  function changePassword(on) {
    const fresh = input(t("password_new"), { type: "password", required: true, minlength: 10, maxlength: 200, autocomplete: "new-password" });
    prove(t("password_change"), on, async (proof) => {
      api.setCsrf((await api.post("account/password", { ...proof, new: fresh.field.value })).csrf);
      desk.say(t("password_changed"));
    }, { action: t("save"), more: [fresh.element, el("p", { class: "hint", text: t("password_new_hint") })] });
  }

  function setUp() {
    prove(t("factor_set_up"), false, async (proof) => {
      const given = await api.post("account/second-factor", proof);
      return () => confirm(given);
    });
  }

  /** @param {{ secret: string, uri: string }} given */
  function confirm({ secret, uri }) {
    const code = input(t("code"), { required: true, maxlength: 40, inputmode: "numeric", autocomplete: "one-time-code" });
    const problem = el("p", { class: "problem", role: "alert" });
    const dialog = openDialog(t("factor"), [
      el("p", { text: t("factor_secret") }), el("p", {}, el("code", { text: secret.replace(/(.{4})(?=.)/g, "$1 ") })),
      el("p", {}, el("a", { href: uri, text: t("factor_open") })), code.element, problem,
    ], {
      action: t("continue"),
      async submit() {
        try {
          const { recovery } = await api.post("account/second-factor/confirm", { code: code.field.value.trim() });
          dialog.close();
          show(recovery);
          await load();
        } catch (error) {
          problem.textContent = error instanceof Failure && error.status === 422 ? error.message : explain(error);
        }
      },
    });
  }

  /** @param {string[]} codes told this once */
  function show(codes) {
    const dialog = openDialog(t("factor"), [el("p", { text: t("factor_recovery") }),
      el("ul", { class: "rows" }, ...codes.map((code) => el("li", {}, el("code", { text: code }))))],
    { action: t("factor_done"), submit: () => dialog.close() });
  }

  function turnOff() {
    prove(t("factor_turn_off"), true, async (proof) => void (await api.post("account/second-factor/off", proof)), { action: t("factor_turn_off") });
  }

  void load();
  return section;
}
