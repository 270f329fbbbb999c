/** @import {Api} from "./types" */
import { el } from "../../widget/src/shared/dom.js";
import { icon } from "../../widget/src/shared/icon.js";
import { setUpFactor } from "./settings/factor.js";
import { button } from "./shared/controls.js";
import { QUEUE } from "./shared/icons.js";
import { t } from "./strings.js";

/** Nothing else is shown before whoever is signed in has a second factor, or has signed out. @param {Api} api @returns {Promise<void>} */
export const askForFactor = (api) => new Promise((resolve) => {
  document.title = `${t("factor")} · ${t("desk")}`;
  const begin = button(t("factor_set_up"), () => setUpFactor(api, resolve), { class: "primary" });
  const leave = button(t("sign_out"), () => void api.post("sign-out").catch(() => {}).then(() => resolve()));
  document.body.replaceChildren(el("main", { class: "door" }, el("section", { class: "sign-in" },
    el("p", { class: "brand" }, icon(QUEUE), t("product")), el("h1", { text: t("factor_required") }), el("p", { text: t("factor_required_why") }), begin, leave)));
  begin.focus();
});
