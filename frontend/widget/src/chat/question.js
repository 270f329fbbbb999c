/** @import {Context, Entry} from "../types" */
import { el } from "../shared/dom.js";
import { tool } from "./actions.js";
import { versionOf } from "./branches.js";
import { BACK, FORTH, PENCIL } from "./icons.js";
import { createMessage } from "./message.js";

/**
 * The visitor's own message. Once the assistant has answered it, it can be asked again in other words; what was said before
 * stays as a version.
 * @param {Context} context
 * @param {Entry & { kind: "visitor" }} entry
 * @returns {HTMLElement}
 */
export function createQuestion(context, entry) {
  const { t, config, session, actions } = context;
  const bubble = el("div", { class: "bubble", dir: "auto" }, el("p", { text: entry.text }));
  const edit = tool(t("edit"), PENCIL, open, "edit");
  edit.dataset.turn = entry.turnId;
  edit.hidden = true;
  const tools = el("div", { class: "tools-row" }, edit, createVersions());
  const element = createMessage(context, { by: "visitor", at: entry.at }, bubble, tools);
  return element;

  function open() {
    const words = el("textarea", { rows: 2, maxlength: config.maxQuestion, dir: "auto", "aria-label": t("edit") });
    words.value = entry.text;
    const close = () => {
      form.replaceWith(bubble);
      tools.hidden = false;
      edit.focus();
    };
    const form = el("form", { class: "edit-form", submit: (/** @type {Event} */ event) => {
      event.preventDefault();
      const question = words.value.trim();
      if (question) actions.edit(entry.turnId, question);
    }, keydown: (/** @type {KeyboardEvent} */ event) => {
      if (event.isComposing) return;
      if (event.key === "Enter" && event.target === words && !event.shiftKey) {
        event.preventDefault();
        form.requestSubmit();
      }
      if (event.key !== "Escape") return;
      event.preventDefault();
      event.stopPropagation();
      close();
    } }, words, el("p", { class: "choices" },
      el("button", { type: "submit", class: "plain", text: t("edit_send") }),
      el("button", { type: "button", class: "link", text: t("edit_cancel"), click: close })));
    bubble.replaceWith(form);
    tools.hidden = true;
    words.focus();
  }

  function createVersions() {
    const version = versionOf(session, entry);
    if (!version) return null;
    const { n, total } = version;
    const step = (/** @type {number} */ to) => () => actions.showVersion(entry.turnId, to);
    const back = tool(t("version_previous"), BACK, step(n - 1));
    const forth = tool(t("version_next"), FORTH, step(n + 1));
    back.disabled = n === 0;
    forth.disabled = n === total - 1;
    return el("span", { class: "versions", role: "group" }, back, el("span", { text: t("version", { n: n + 1, total }) }), forth);
  }
}
