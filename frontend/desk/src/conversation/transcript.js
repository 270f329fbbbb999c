/** @import {Detail, Desk, Message, Note} from "../types" */
import { el } from "../../../widget/src/shared/dom.js";
import { renderClaimed, renderMessage, renderNote } from "./message.js";

const NEAR_END_PX = 120;

/**
 * Messages and notes in the order they were written. Rows that did not change stay as they are.
 * @param {Desk} desk
 * @param {{ retry(message: Message): void }} page
 */
export function createTranscript(desk, page) {
  const { t } = desk;
  const list = el("ol", { class: "messages" });
  const newer = el("button", { type: "button", class: "newer", hidden: true, text: t("newer"), click: () => bottom() });
  const log = el("div", { class: "transcript", role: "log", "aria-label": t("transcript"), "aria-live": "off", tabindex: 0, scroll: () => { pinned = atEnd(); if (pinned) newer.hidden = true; } }, list, newer);
  /** @type {Map<string, { element: HTMLElement, state: string }>} */
  const rows = new Map();
  let first = true;
  let pinned = true;

  const atEnd = () => log.scrollHeight - log.scrollTop - log.clientHeight < NEAR_END_PX;

  function bottom() {
    log.scrollTop = log.scrollHeight;
    newer.hidden = true;
  }

  // A composer that grows takes room from the transcript: the newest words stay in sight.
  new ResizeObserver(() => { if (pinned) bottom(); }).observe(log);

  /** @param {Detail} detail */
  function show(detail) {
    const end = atEnd();
    const known = rows.size;
    const entries = [
      ...detail.messages.map((message) => ({ key: message.id, at: message.at, message, note: undefined })),
      ...detail.notes.map((note) => ({ key: `note ${note.id}`, at: note.at, message: undefined, note })),
    ].sort((a, b) => a.at - b.at || (a.message?.seq ?? 0) - (b.message?.seq ?? 0));
    const wanted = [...claimed(detail), ...entries.map((entry) => row(entry, detail))];
    const keys = new Set(["claimed", ...entries.map((entry) => entry.key)]);
    for (const key of rows.keys()) if (!keys.has(key)) rows.delete(key);
    wanted.forEach((element, i) => { if (list.children[i] !== element) list.insertBefore(element, list.children[i] ?? null); });
    while (list.children.length > wanted.length) list.lastElementChild?.remove();
    if (end) bottom();
    else if (!first && rows.size > known) newer.hidden = false;
  }

  /** @param {Detail} detail a past that is not in our records comes before everything that is */
  function claimed({ claimed = [] }) {
    if (!claimed.length) return [];
    const kept = rows.get("claimed") ?? { element: renderClaimed(desk, claimed), state: "" };
    rows.set("claimed", kept);
    return [kept.element];
  }

  /** @param {{ key: string, message?: Message | undefined, note?: Note | undefined }} entry @param {Detail} detail */
  function row({ key, message, note }, detail) {
    const turn = message?.turn_id && message.author === "assistant" ? detail.turns.find((one) => one.turn_id === message.turn_id) : undefined;
    const feedback = turn ? detail.feedback.find((one) => one.turn_id === turn.turn_id) : undefined;
    const read = message?.author === "agent" && !message.sending && message.seq <= (detail.conversation.visitor_read_seq ?? 0)
      && !detail.messages.some((one) => one.author === "agent" && one.seq > message.seq && one.seq <= (detail.conversation.visitor_read_seq ?? 0));
    const state = JSON.stringify([message ?? note, turn, feedback, read, desk.people.size]);
    const before = rows.get(key);
    if (before?.state === state) return before.element;
    const element = message ? renderMessage(desk, message, { turn, feedback, read, retry: page.retry }) : renderNote(desk, /** @type {Note} */ (note));
    // What was unfolded stays so when more becomes known of the message.
    if (before?.element.querySelector(".evidence[open]")) element.querySelector(".evidence")?.setAttribute("open", "");
    rows.set(key, { element, state });
    return element;
  }

  return {
    element: log, show, bottom,
    /** The first time it is on the page: the newest words are what matter. */
    settle() {
      if (!first) return;
      first = false;
      bottom();
    },
  };
}
