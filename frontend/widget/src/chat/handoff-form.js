/** @import {Context} from "../types" */
import { el } from "../shared/dom.js";
import { EMAIL } from "../shared/email.js";

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
  const intro = el("p", { class: "intro", dir: "auto" });

  /** @param {string} label @param {string} control @returns {HTMLElement} */
  const labelFor = (label, control) =>
    el("label", { for: control, text: t(label) }, " ", el("span", { class: "optional", text: `(${t("optional")})` }));

  const element = el("form", { class: "person-form", novalidate: true, hidden: true, "aria-labelledby": `${id}-title`, submit: check },
    el("h3", { id: `${id}-title`, text: t("form_title") }),
    intro,
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
    /** @param {import("../types").Config["person"]} person what may be expected of people right now */
    expect({ available, expectation }) {
      intro.textContent = available ? `${t("form_intro")} ${expectation}`.trim() : expectation || t("form_away");
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
  form.expect(config.person);
  return form;
}
