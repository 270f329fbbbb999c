/** @import {Api} from "./types" */
import { el } from "../../widget/src/shared/dom.js";
import { icon } from "../../widget/src/shared/icon.js";
import { Failure } from "./api.js";
import { input } from "./shared/controls.js";
import { QUEUE } from "./shared/icons.js";
import { duration } from "./format.js";
import { t, word } from "./strings.js";

const CODES = ["code_needed", "wrong_code"];

/**
 * Shows the sign-in until somebody is signed in.
 * @param {Api} api
 * @param {string} problem said at once, or empty
 * @returns {Promise<any>} the server's `{user, csrf}`
 */
export function signIn(api, problem) {
  document.title = `${t("sign_in")} · ${t("desk")}`;
  const email = input(t("email"), { type: "email", name: "email", autocomplete: "username", required: true, inputmode: "email" });
  const password = input(t("password"), { type: "password", name: "password", autocomplete: "current-password", required: true });
  const code = input(t("code"), { name: "code", autocomplete: "one-time-code", maxlength: 40 });
  code.element.hidden = true;
  const alert = el("p", { class: "problem", role: "alert", text: problem });
  const button = el("button", { type: "submit", class: "primary", text: t("sign_in") });
  const form = el("form", { class: "sign-in" },
    el("p", { class: "brand" }, icon(QUEUE), t("product")), el("h1", { text: t("sign_in_title") }),
    alert, email.element, password.element, code.element, button, el("p", { class: "hint", text: t("sign_in_hint") }));
  document.body.replaceChildren(el("main", { class: "door" }, form));
  void otherWays(api, form, [email.element, password.element, button]);
  email.field.focus();

  return new Promise((resolve) => form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (button.disabled) return;
    button.disabled = true;
    alert.textContent = "";
    try {
      const asked = code.element.hidden ? {} : { code: code.field.value.trim() };
      resolve(await api.post("sign-in", { email: email.field.value.trim(), password: password.field.value, ...asked }));
    } catch (error) {
      alert.textContent = explain(error);
      const next = error instanceof Failure && CODES.includes(error.code) ? code : password;
      if (next === code) code.element.hidden = false;
      next.field.value = "";
      next.field.focus();
    }
    button.disabled = false;
  }));
}

/**
 * The company's accounts, where there are any, and nothing else where passwords are off.
 * @param {Api} api
 * @param {HTMLElement} form
 * @param {HTMLElement[]} fields
 */
async function otherWays(api, form, fields) {
  const ways = await api.get("ways").catch(() => null);
  if (!ways?.oidc) return;
  const link = el("a", { class: ways.password ? "plain" : "primary", href: api.url("oidc/start"), text: ways.oidc });
  form.insertBefore(link, form.lastElementChild);
  if (ways.password) return;
  for (const field of fields) field.hidden = true;
  link.focus();
}

/** Why the provider of accounts sent somebody back without a session; said once. @returns {string} */
export function comeBackWith() {
  const code = new URLSearchParams(location.search).get("problem");
  if (!code) return "";
  history.replaceState(null, "", location.pathname + location.hash);
  return word("problem", /^[a-z_]{1,20}$/.test(code) ? code : "provider");
}

/** @param {unknown} error @returns {string} why a password or a code was refused */
export function explain(error) {
  if (!(error instanceof Failure) || error.status === 0) return t("unreachable");
  if (error.status === 429) {
    const wait = Number(error.detail.retry_after_s);
    return wait ? t("sign_in_limited_for", { time: duration(wait) }) : t("sign_in_limited");
  }
  if (error.code === "code_needed") return t("sign_in_code_needed");
  if (error.code === "wrong_code") return t("sign_in_code_wrong");
  return error.status < 500 ? t("sign_in_wrong") : t("failed");
}
