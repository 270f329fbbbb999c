/** @import {Context} from "../types" */
import { el } from "../shared/dom.js";
import { when } from "./clock.js";

/** @param {Context} context the strip over the composer that explains why a question is still there */
export function createNotice({ t, config, actions, signal }) {
  const element = el("div", { class: "notice", role: "alert", hidden: true });
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  signal.addEventListener("abort", () => clearTimeout(timer));

  function hide() {
    clearTimeout(timer);
    element.hidden = true;
    element.replaceChildren();
    element.classList.remove("limited");
  }

  /** @param {string} text @param {boolean} person */
  function show(text, person) {
    hide();
    element.hidden = false;
    element.append(el("p", { text }));
    if (person && config.person.available) element.append(el("button", { type: "button", class: "link", text: t("or_person"), click: () => actions.person("rate_limited") }));
  }

  return {
    element,
    hide,
    show,
    /** @param {Date} retryAt */
    limited(retryAt) {
      show(t("limited", { when: when(retryAt, config.lang, t) }), true);
      element.classList.add("limited");
      const wait = retryAt.getTime() - Date.now();
      if (wait < 2 ** 31) timer = setTimeout(() => show(t("limited_over"), false), Math.max(0, wait));
    },
  };
}
