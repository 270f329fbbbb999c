/** @import {Context, MoreParts, Translate} from "../types" */
import { el } from "../shared/dom.js";
import { EMAIL } from "../shared/email.js";

let serial = 0;

/**
 * Asks for the address the transcript goes to; stands in the composer's place.
 * @param {Context} context
 * @param {Translate} t
 * @param {MoreParts} parts
 */
export function openMailForm({ session, visitor, post }, t, { foot, say, focus }) {
  foot.querySelector(".mail-form")?.remove();
  const id = `handrail-mail-${++serial}`;
  const email = el("input", { id, type: "email", autocomplete: "email", inputmode: "email", maxlength: 254, "aria-describedby": `${id}-wrong` });
  const wrong = el("p", { id: `${id}-wrong`, class: "wrong", role: "alert" });
  const send = el("button", { type: "submit", class: "primary", text: t("mail_send") });
  const form = el("form", { class: "person-form mail-form", novalidate: true, submit: (/** @type {Event} */ event) => {
    event.preventDefault();
    void submit(email.value.trim());
  }, keydown: (/** @type {KeyboardEvent} */ event) => {
    if (event.key !== "Escape" || event.isComposing) return;
    event.preventDefault();
    event.stopPropagation();
    close("");
  } },
  el("label", { for: id, text: t("transcript_mail_title") }), email, wrong,
  el("p", { class: "choices" }, send, el("button", { type: "button", class: "plain", text: t("form_cancel"), click: () => close("") })));
  const others = [...foot.children].filter((one) => one instanceof HTMLElement && one.matches(".composer:not([hidden])"));
  for (const one of others) /** @type {HTMLElement} */ (one).hidden = true;
  email.value = visitor.user.email ?? "";
  foot.append(form);
  email.focus({ preventScroll: true });

  /** @param {string} words */
  function close(words) {
    form.remove();
    for (const one of others) /** @type {HTMLElement} */ (one).hidden = false;
    say(words);
    focus();
  }

  /** @param {string} address */
  async function submit(address) {
    wrong.textContent = EMAIL.test(address) ? "" : t("form_email_wrong");
    email.setAttribute("aria-invalid", String(Boolean(wrong.textContent)));
    if (wrong.textContent) return email.focus();
    send.setAttribute("aria-disabled", "true");
    const sent = await post(`conversations/${encodeURIComponent(session.conversationId)}/transcript`, { email: address });
    send.removeAttribute("aria-disabled");
    if (sent.ok) close(t("transcript_mail_sent", { email: address }));
    else wrong.textContent = (sent.kind === "rejected" && sent.message) || t("transcript_mail_failed");
  }
}
