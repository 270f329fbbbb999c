/** @import {Desk, Item, View} from "../types" */
import { el } from "../../../widget/src/shared/dom.js";
import { openConversation } from "../conversation/page.js";
import { button } from "../shared/controls.js";
import { createFilters } from "./filters.js";
import { createList } from "./list.js";
import { createQueue } from "./model.js";
import { createNow } from "./now.js";
import { createRow } from "./row.js";

const AHEAD = 30;

/** The queue, with the open conversation beside it. @param {Desk} desk @param {string[]} rest @returns {View} */
export function queuePage(desk, rest) {
  const { t } = desk;
  let open = "";
  /** @type {View | null} */
  let conversation = null;
  /** @type {ReturnType<typeof createNow> | null} */
  let beside = null;

  const queue = createQueue(desk, changed);
  const filters = createFilters(desk, (change) => { list.top(); void queue.filter(change); });
  const list = createList(t("conversations"), {
    create: (item) => createRow(desk, item, { open: () => open, states: () => queue.filters.view === "all" }),
    near: (last) => { if (last > queue.items.length - AHEAD) queue.more(); },
  });
  const empty = el("div", { class: "empty" });
  const summary = el("p", { class: "hidden", role: "status" });
  const pane = el("div", { class: "pane" });
  const element = el("div", { class: "queue" }, el("h1", { class: "hidden", text: t("page_queue") }),
    el("section", { class: "inbox", "aria-label": t("page_queue") },
      filters.element, list.element, empty, summary), pane);

  function changed() {
    list.show(queue.items);
    const nothing = queue.items.length === 0;
    empty.hidden = !nothing;
    list.element.hidden = nothing;
    if (nothing) empty.replaceChildren(...explain());
    if (!queue.loading) summary.textContent = queue.complete ? t("shown", { n: queue.items.length }) : t("shown_more", { n: queue.items.length });
  }

  function explain() {
    if (queue.loading) return [el("p", { text: t("loading") })];
    if (queue.failed) return [el("p", { text: t("queue_failed") }), button(t("try_again"), () => void queue.reload())];
    const { q, label, reason, lang, owner, view } = queue.filters;
    if (q) return [el("p", { text: t("nothing_found", { q }) })];
    if (label || reason || lang || owner) return [el("p", { text: t("nothing_filtered") })];
    return [el("p", { class: "empty-title", text: t(`empty_${view}`) }), el("p", { text: t("empty_hint") })];
  }

  /** @param {string[]} path */
  function route([id = ""]) {
    const wanted = decodeURIComponent(id);
    if (wanted && wanted === open) return;
    conversation?.close?.();
    beside?.close();
    conversation = beside = null;
    open = wanted;
    element.classList.toggle("has-open", Boolean(open));
    if (open) {
      conversation = openConversation(desk, open);
      pane.replaceChildren(conversation.element);
    } else {
      beside = createNow(desk);
      pane.replaceChildren(el("div", { class: "empty" }, el("p", { class: "empty-title", text: t("none_open") }), el("p", { text: t("none_open_hint") }),
        el("section", { class: "card", "aria-labelledby": "now" }, el("h2", { id: "now", text: t("now_title") }), beside.element)));
    }
    list.show(queue.items);
  }

  /** @param {number} step */
  function move(step) {
    const at = queue.items.findIndex((item) => item.id === open);
    const to = Math.min(queue.items.length - 1, Math.max(0, at < 0 ? 0 : at + step));
    const item = queue.items[to];
    if (!item) return;
    location.hash = `#/queue/${encodeURIComponent(item.id)}`;
    list.reveal(to);
  }

  const ticking = window.setInterval(list.tick, 1000);
  const stops = [
    desk.on("conversation", (event) => queue.upsert(/** @type {Item} */ (event.item ?? event.conversation ?? event))),
    desk.on("reconnected", () => void queue.reload()),
    desk.on("seen", (id) => queue.seen(id)),
    desk.keys({
      j: () => move(1), k: () => move(-1), "/": filters.focusSearch,
      Escape: () => { if (open) location.hash = "#/queue"; },
    }),
  ];
  route(rest);
  void queue.reload();
  return {
    element, route,
    close() {
      clearInterval(ticking);
      conversation?.close?.();
      beside?.close();
      filters.close();
      stops.forEach((stop) => stop());
    },
  };
}
