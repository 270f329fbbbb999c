/** @import {Context} from "../types" */
import { el } from "../shared/dom.js";

/** As strict as a typo deserves; whether the address exists, only mail can tell. */
const EMAIL = /^[^\s@]{1,64}@[^\s@]+\.[^\s@.]{2,}$/;
let serial = 0;

/**
 * The small form for a person. It stands in the composer's place and keeps what was typed until it has been sent.
 * @param {Context} context
 * @param {{ submit: (email: string, message: string) => void, toggled: (open: boolean) => void }} handlers
 */
export function createForm({ t, config }, { submit, toggled }) {
  const id = `handrail-person-${++serial}`;
  const email = el("input", { id: `${id}-email`, type: "email", autocomplete: "email", inputmode: "email", maxlength: 254,
    "aria-describedby": `${id}-hint ${id}-wrong` });
  const wrong = el("p", { id: `${id}-wrong`, class: "wrong", role: "alert" });
  const message = el("textarea", { id: `${id}-message`, rows: 2, maxlength: config.maxQuestion, dir: "auto" });
  const failure = el("p", { class: "wrong", role: "alert" });
  const send = el("button", { type: "submit", class: "primary", text: t("form_send") });
  const { available, expectation } = config.person;

  /** @param {string} label @param {string} control @returns {HTMLElement} */
  const labelFor = (label, control) =>
    el("label", { for: control, text: t(label) }, " ", el("span", { class: "optional", text: `(${t("optional")})` }));

  const element = el("form", { class: "person-form", novalidate: true, hidden: true, "aria-labelledby": `${id}-title`, submit: check },
    el("h3", { id: `${id}-title`, text: t("form_title") }),
    el("p", { class: "intro", dir: "auto", text: available ? `${t("form_intro")} ${expectation}`.trim() : expectation || t("form_away") }),
    labelFor("form_email", email.id), email, el("p", { id: `${id}-hint`, class: "hint", text: t("form_email_hint") }), wrong,
    labelFor("form_message", message.id), message, failure,
    el("p", { class: "choices" }, send, el("button", { type: "button", class: "plain", text: t("form_cancel"), click: () => form.close() })));

  /** @param {Event} event */
  function check(event) {
    event.preventDefault();
    const address = email.value.trim();
    const bad = address !== "" && !EMAIL.test(address);
    wrong.textContent = bad ? t("form_email_wrong") : "";
    email.setAttribute("aria-invalid", String(bad));
    failure.textContent = "";
    if (bad) email.focus();
    else submit(address, message.value.trim());
  }

  const form = {
    element,
    get isOpen() {
      return !element.hidden;
    },
    /** @param {string} known the address the host page told us */
    open(known) {
      element.hidden = false;
      email.value ||= known;
      toggled(true);
      (email.value ? message : email).focus({ preventScroll: true });
    },
    close() {
      if (element.hidden) return;
      element.hidden = true;
      toggled(false);
    },
    /** @param {boolean} busy */
    setBusy(busy) {
      send.setAttribute("aria-disabled", String(busy));
      send.textContent = t(busy ? "form_sending" : "form_send");
    },
    /** @param {string} why */
    fail(why) {
      failure.textContent = why;
      send.textContent = t("retry");
    },
    clear() {
      element.reset();
      wrong.textContent = failure.textContent = "";
    },
  };
  return form;
}
