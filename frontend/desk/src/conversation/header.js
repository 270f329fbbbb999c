/** @import {Conversation, Desk} from "../types" */
import { el } from "../../../widget/src/shared/dom.js";
import { duration, now, stamp } from "../format.js";
import { chip, iconButton, reasonChip } from "../shared/controls.js";
import { BACK, INFO } from "../shared/icons.js";
import { word } from "../strings.js";

/**
 * What the conversation is about, whose it is, and what can be done with it.
 * @param {Desk} desk
 * @param {{ element: HTMLElement }} actions
 * @param {() => void} toggleSide
 */
export function createHeader({ t, me }, actions, toggleSide) {
  const title = el("h2", { dir: "auto" });
  const facts = el("p", { class: "facts" });
  return {
    element: el("header", { class: "conversation-header" },
      iconButton(t("back_to_queue"), BACK, () => void (location.hash = "#/queue"), { class: "icon-button back" }),
      el("div", { class: "about" }, title, facts), actions.element,
      iconButton(t("details"), INFO, toggleSide, { class: "icon-button side-toggle" })),
    /** @param {Conversation} conversation */
    show(conversation) {
      const { state, label, owner, reference, queued_at: queuedAt, resolve_cause: cause } = conversation;
      title.textContent = conversation.subject || t("no_subject");
      const waiting = state === "queued" && queuedAt ? [el("span", { text: t("waiting_for", { time: duration(now() - queuedAt) }), title: stamp(queuedAt) })] : [];
      facts.replaceChildren(
        chip(word("state", state), `state-${state}`), ...(label ? [chip(word("label", label), label === "high_stakes" ? "care" : "")] : []),
        ...reasonChip(conversation),
        ...(owner ? [el("span", { text: owner.id === me.id ? t("owned_by_you") : t("owned_by", { name: owner.name }) })] : []),
        ...waiting, ...(state === "resolved" && cause ? [el("span", { text: t("resolved_as", { cause: word("cause", cause) }) })] : []),
        ...(reference ? [el("code", { text: reference })] : []));
    },
  };
}
