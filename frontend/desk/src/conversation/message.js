/** @import {Claimed, Desk, Feedback, Message, Note, Turn} from "../types" */
import { renderMarkdown } from "../../../widget/src/markdown/render.js";
import { hostsOf } from "../../../widget/src/markdown/href.js";
import { el } from "../../../widget/src/shared/dom.js";
import { iso, stamp } from "../format.js";
import { nameOf } from "../people.js";
import { button } from "../shared/controls.js";
import { word } from "../strings.js";
import { closest } from "./closest.js";
import { evidence } from "./evidence.js";
import { markButton } from "./mark.js";

/** @param {number} at */
const time = (at) => el("time", { datetime: iso(at), text: stamp(at) });

/**
 * @param {Desk} desk
 * @param {Message} message
 * @param {{ turn?: Turn | undefined, feedback?: Feedback | undefined, read?: boolean | undefined, retry(message: Message): void }} beside
 * @returns {HTMLLIElement}
 */
export function renderMessage(desk, message, { turn, feedback, read, retry }) {
  const { t } = desk;
  if (message.author === "system" || message.kind === "event" || message.kind === "announcement") {
    return el("li", { class: `event ${message.kind}` }, el("p", { dir: "auto" },
      el("span", { class: "hidden", text: `${t("author_system")}: ` }), message.text, " ", time(message.at)));
  }
  const mine = message.author === "agent" && (message.user_id ? message.user_id === desk.me.id : message.name === desk.me.name);
  const who = message.author === "agent" ? (mine ? t("you") : message.name ?? nameOf(desk, message.user_id)) : word("author", message.author);
  const below = [
    message.sending === "now" && el("p", { class: "hint", text: t("sending") }),
    message.sending === "failed" && el("p", { class: "hint bad" }, `${t("not_sent")} `, button(t("try_again"), () => retry(message), { class: "link" })),
    read && el("p", { class: "hint", text: t("read_by_visitor") }),
    feedback && el("p", { class: `rated ${feedback.rating}` }, t(`rated_${feedback.rating}`), feedback.reason && ` · ${word("rating", feedback.reason)}`,
      feedback.comment && el("q", { dir: "auto", text: feedback.comment })),
    turn && evidence(turn, markButton(desk, turn)),
  ];
  return el("li", { class: `message ${message.author} ${mine ? "mine" : ""} ${message.sending ?? ""}` },
    el("p", { class: "who" }, el("strong", { text: who }), message.author === "assistant" && el("span", { class: "ai", text: t("ai") }), time(message.at)),
    el("div", { class: "bubble", dir: "auto" }, message.author === "assistant" ? said(message.text, turn) : message.text), ...below);
}

/** The answer as the visitor sees it. @param {string} text @param {Turn | undefined} turn cards say more than the text, which holds the open ones only */
export function said(text, turn) {
  return turn?.closest?.length ? closest(turn.closest, (section) => markdown(section, turn)) : markdown(text, turn);
}

/** @param {string} text @param {Turn | undefined} turn as the visitor saw it: links only to what was found */
function markdown(text, turn) {
  const hosts = new Set(hostsOf((turn?.passages ?? []).map((passage) => passage.url ?? "")));
  return renderMarkdown(text, { hosts, cite: (index) => el("sup", { class: "cite", text: `[${index}]` }) });
}

/** What only the visitor's page says was said: plain text, and never with the look of an answer. @param {Desk} desk @param {Claimed[]} lines @returns {HTMLLIElement} */
export function renderClaimed({ t }, lines) {
  return el("li", { class: "message visitor claimed" },
    el("p", { class: "who" }, el("strong", { text: t("claimed") })),
    el("div", { class: "bubble", dir: "auto" }, ...lines.map(({ said_by, text }) =>
      el("p", {}, el("span", { class: "hint", text: t(said_by === "visitor" ? "claimed_visitor" : "claimed_assistant") }), ` ${text}`))));
}

/** @param {Desk} desk @param {Note} note @returns {HTMLLIElement} */
export function renderNote(desk, note) {
  return el("li", { class: "message note" },
    el("p", { class: "who" }, el("strong", { text: desk.t("note_by", { name: note.name ?? nameOf(desk, note.user_id) }) }), time(note.at)),
    el("div", { class: "bubble", dir: "auto", text: note.text }));
}
