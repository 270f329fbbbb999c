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
  const { t, config, session, actions, more } = context;
  const bubble = el("div", { class: "bubble", dir: "auto" }, el("p", { text: entry.text }));
  const edit = tool(t("edit"), PENCIL, open, "edit");
  edit.dataset.turn = entry.turnId;
  edit.hidden = true;
  const tools = el("div", { class: "tools-row" }, edit, createVersions());
  const element = createMessage(context, { by: "visitor", at: entry.at }, bubble, tools);
  return element;

  async function open() {
    const close = () => {
      form?.replaceWith(bubble);
      tools.hidden = false;
      edit.focus();
    };
    const form = (await more())?.edit({ text: entry.text, longest: config.maxQuestion, send: (question) => actions.edit(entry.turnId, question), close });
    if (!form) return;
    bubble.replaceWith(form);
    tools.hidden = true;
    form.querySelector("textarea")?.focus();
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
