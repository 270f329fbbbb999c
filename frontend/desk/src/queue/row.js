/** @import {Desk, Item} from "../types" */
import { el } from "../../../widget/src/shared/dom.js";
import { duration, iso, now, stamp } from "../format.js";
import { plain } from "../plain.js";
import { chip, reasonChip } from "../shared/controls.js";
import { word } from "../strings.js";

/** Longer than this is shown as late. */
const LATE_S = 300;

/** @param {Item} item @returns {string} */
const waited = (item) => (item.state === "queued" && item.queued_at ? duration(now() - item.queued_at) : stamp(item.updated_at));

/**
 * One conversation in the queue.
 * @param {Desk} desk
 * @param {Item} first
 * @param {{ open(): string, states(): boolean }} page the conversation that is open, and whether states differ in this view
 */
export function createRow(desk, first, page) {
  const { t } = desk;
  const time = el("time", { class: "wait" });
  const subject = el("span", { class: "subject", dir: "auto" });
  const words = el("span", { class: "words", dir: "auto" });
  const chips = el("span", { class: "chips" });
  const unread = el("span", { class: "unread" });
  const link = el("a", { href: `#/queue/${encodeURIComponent(first.id)}` },
    el("span", { class: "line" }, subject, time), el("span", { class: "line" }, words, unread), chips);
  const element = el("li", { class: "row" }, link);
  let item = first;

  function tick() {
    const text = waited(item);
    if (time.textContent !== text) time.textContent = text;
    const queued = item.state === "queued" && item.queued_at;
    time.classList.toggle("late", Boolean(queued && now() - Number(queued) > LATE_S));
    const at = iso(queued ? Number(queued) : item.updated_at);
    if (time.dateTime !== at) time.dateTime = at;
    const title = queued ? t("waiting_since", { time: stamp(Number(queued)) }) : t("updated_at", { time: stamp(item.updated_at) });
    if (time.title !== title) time.title = title;
  }

  /** @param {Item} changed */
  function update(changed) {
    const open = page.open() === changed.id;
    if (open) link.setAttribute("aria-current", "true");
    else link.removeAttribute("aria-current");
    if (changed !== item || !subject.textContent) paint(changed);
  }

  /** @param {Item} changed */
  function paint(changed) {
    item = changed;
    subject.textContent = item.subject || t("no_subject");
    words.textContent = item.last_text ? `${word("author", item.last_author)}: ${item.last_author === "assistant" ? plain(item.last_text) : item.last_text}` : t("no_words");
    chips.replaceChildren(
      ...(page.states() ? [chip(word("state", item.state), `state-${item.state}`)] : []), ...(item.label ? [chip(word("label", item.label), item.label === "high_stakes" ? "care" : "")] : []),
      ...reasonChip(item), ...(item.lang ? [chip(item.lang.toUpperCase())] : []),
      ...(item.owner ? [chip(item.owner.id === desk.me.id ? t("you") : item.owner.name, "owner")] : []));
    unread.hidden = !item.unread;
    unread.replaceChildren(...(item.unread ? [String(Number(item.unread)), el("span", { class: "hidden", text: ` ${t("unread")}` })] : []));
    tick();
  }

  update(first);
  return { element, update, tick };
}
