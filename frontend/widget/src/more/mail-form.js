/** @import {Context, MoreParts, Translate} from "../types" */
import { el } from "../shared/dom.js";
import { EMAIL } from "../shared/email.js";
import { record } from "../chat/shape.js";

let serial = 0;

/**
 * Asks for the address the transcript goes to, and for the code sent there to confirm it; stands in the composer's place.
 * @param {Context} context
 * @param {Translate} t
 * @param {MoreParts} parts
 */
export function openMailForm({ session, visitor, post }, t, { foot, say, focus }) {
  foot.querySelector(".mail-form")?.remove();
  const id = `handrail-mail-${++serial}`;
  const label = el("label", { for: id, dir: "auto" });
  const wrong = el("p", { id: `${id}-wrong`, class: "wrong", role: "alert" });
  const input = el("input", { id, maxlength: 254, "aria-describedby": wrong.id });
  const send = el("button", { type: "submit", class: "primary", text: t("mail_send") });
  const form = el("form", { class: "person-form mail-form", novalidate: true, submit: (/** @type {Event} */ event) => {
    event.preventDefault();
    void submit(input.value.trim());
  }, keydown: (/** @type {KeyboardEvent} */ event) => {
    if (event.key !== "Escape" || event.isComposing) return;
    event.preventDefault();
    event.stopPropagation();
    close("");
  } }, label, input, wrong,
  el("p", { class: "choices" }, send, el("button", { type: "button", class: "plain", text: t("form_cancel"), click: () => close("") })));
  /** The address whose code is asked for; empty while an address is. */
  let waiting = "";
  const composer = /** @type {HTMLElement | null} */ (foot.querySelector(".composer:not([hidden])"));
  if (composer) composer.hidden = true;
  foot.append(form);
  ask("", visitor.user.email ?? "");

  /** @param {string} address whose code is asked for @param {string} value */
  function ask(address, value) {
    waiting = address;
    label.textContent = address ? t("mail_code", { email: address }) : t("transcript_mail_title");
    input.autocomplete = address ? "one-time-code" : "email";
    input.inputMode = address ? "numeric" : "email";
    input.value = value;
    fail("");
  }

  /** @param {string} words */
  function fail(words) {
    wrong.textContent = words;
    input.setAttribute("aria-invalid", String(Boolean(words)));
    input.focus({ preventScroll: true });
  }

  /** @param {string} words */
  function close(words) {
    form.remove();
    if (composer) composer.hidden = false;
    say(words);
    focus();
  }

  /** @param {string} value an address, or the code that was sent to the one before */
  async function submit(value) {
    if (send.ariaDisabled === "true") return;
    if (waiting ? !/^\d{3}[ -]?\d{3}$/.test(value) : !EMAIL.test(value)) return fail(t(waiting ? "mail_code_wrong" : "form_email_wrong"));
    const email = waiting || value;
    send.ariaDisabled = "true";
    const sent = await post(`conversations/${encodeURIComponent(session.conversationId)}/transcript`, { email, code: waiting ? value : undefined });
    send.ariaDisabled = null;
    if (sent.ok) return record(sent.value).status === "code_sent" ? ask(email, "") : close(t("transcript_mail_sent", { email }));
    const code = sent.kind === "rejected" ? sent.code : sent.kind;
    if (code === "code_expired") ask("", email);
    fail(t(/^code_|^limited/.test(code) ? `mail_${code}` : code === "validation" ? "form_email_wrong" : "transcript_mail_failed"));
  }
}
