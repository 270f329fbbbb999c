/** @import {Api} from "../types" */
import { el } from "../../../widget/src/shared/dom.js";
import { Failure } from "../api.js";
import { input } from "../shared/controls.js";
import { openDialog } from "../shared/dialog.js";
import { drawCode } from "../shared/qr.js";
import { explain } from "../sign-in.js";
import { t } from "../strings.js";

/**
 * Asks for the password, and a code where there is a second factor, before `send`, which may say what comes next.
 * @param {string} title @param {boolean} on @param {(proof: Record<string, string>) => Promise<(() => void) | void>} send
 * @param {{ action?: string, more?: Element[] }} [options]
 */
export function prove(title, on, send, { action = t("continue"), more = [] } = {}) {
  const password = input(t("password_old"), { type: "password", required: true, autocomplete: "current-password" });
  const code = input(t("code"), { required: on, maxlength: 40, autocomplete: "one-time-code" });
  ask(title, [password.element, ...(on ? [code.element] : []), ...more], action,
    () => send({ password: password.field.value, ...(on ? { code: code.field.value.trim() } : {}) }));
}

/** @param {string} title @param {Element[]} content @param {string} action @param {() => Promise<(() => void) | void>} send */
function ask(title, content, action, send) {
  const problem = el("p", { class: "problem", role: "alert" });
  const dialog = openDialog(title, [...content, problem], {
    action,
    async submit() {
      try {
        const next = await send();
        dialog.close();
        next?.();
      } catch (error) {
        problem.textContent = error instanceof Failure && error.status === 422 ? error.message : explain(error);
      }
    },
  });
}

/** From the password to the recovery codes; `changed` is told when it is on. @param {Api} api @param {() => void} changed */
export function setUpFactor(api, changed) {
  prove(t("factor_set_up"), false, async (proof) => {
    const given = await api.post("account/second-factor", proof);
    return () => confirm(api, given, changed);
  });
}

/** @param {Api} api @param {{ secret: string, uri: string, qr: { size: number, path: string } }} given @param {() => void} changed */
function confirm(api, { secret, uri, qr }, changed) {
  const code = input(t("code"), { required: true, maxlength: 40, inputmode: "numeric", autocomplete: "one-time-code" });
  ask(t("factor"), [el("p", { text: t("factor_secret") }), drawCode(qr, t("factor_qr")),
    el("p", {}, el("code", { text: secret.replace(/(.{4})(?=.)/g, "$1 ") })), el("p", {}, el("a", { href: uri, text: t("factor_open") })), code.element],
  t("continue"), async () => {
    const { recovery } = await api.post("account/second-factor/confirm", { code: code.field.value.trim() });
    return () => show(recovery, changed);
  });
}

/** @param {string[]} codes told this once @param {() => void} changed */
function show(codes, changed) {
  const dialog = openDialog(t("factor"), [el("p", { text: t("factor_recovery") }),
    el("ul", { class: "rows" }, ...codes.map((code) => el("li", {}, el("code", { text: code }))))],
  { action: t("factor_done"), submit: () => dialog.close() });
  dialog.addEventListener("close", changed);
}
