/** @import {Context, MoreParts, Translate} from "../types" */
import { el } from "../shared/dom.js";
import { icon } from "../shared/icon.js";
import { stamp } from "../chat/clock.js";
import { BACK } from "../chat/icons.js";
import { list, record, text } from "../chat/shape.js";
import { entriesOf } from "./entries.js";

/**
 * The visitor's conversations, in the place of the one that is open; choosing one goes on with it.
 * @param {Context} context
 * @param {Translate} t
 * @param {MoreParts} parts
 */
export function openPast(context, t, { log, foot, goTo, focus }) {
  const { config, session, options, auth, signal } = context;
  log.parentNode?.querySelector(".past")?.remove();
  const body = el("div", { class: "past-body" }, el("p", { class: "said", text: "…" }));
  const back = el("button", { type: "button", class: "link back", click: () => close(true) }, icon(BACK), el("span", { text: t("past_back") }));
  const view = el("section", { class: "past", "aria-label": t("past"), keydown: (/** @type {KeyboardEvent} */ event) => {
    if (event.key !== "Escape") return;
    event.preventDefault();
    event.stopPropagation();
    close(true);
  } }, back, el("h3", { text: t("past") }), body);
  log.hidden = foot.hidden = true;
  log.before(view);
  back.focus();
  void fill();

  /** @param {boolean} toComposer */
  function close(toComposer) {
    view.remove();
    log.hidden = foot.hidden = false;
    log.scrollTo({ top: log.scrollHeight });
    if (toComposer) focus();
  }

  /** @param {string} path @returns {Promise<Record<string, any>>} */
  async function read(path) {
    const response = await fetch(`${options.base}conversations${path}`, { headers: await auth(), credentials: "omit", signal });
    if (!response.ok) throw new Error(String(response.status));
    return record(await response.json());
  }

  async function fill() {
    try {
      const found = list((await read("")).items).map(record);
      const lines = found.map((one) => el("li", {}, el("button", { type: "button", class: "past-line",
        "aria-current": one.id === session.conversationId && "true", click: () => void choose(text(one.id)) },
      el("span", { class: "subject", dir: "auto", text: text(one.subject) || text(one.last_text) || t("past_untitled") }),
      el("span", { class: "said", text: [stateOf(one), stamp(new Date(Number(one.updated_at) * 1000), config.lang),
        one.id === session.conversationId && t("past_current")].filter(Boolean).join(" · ") }))));
      body.replaceChildren(lines.length ? el("ul", {}, ...lines) : el("p", { class: "said", text: t("past_none") }));
    } catch {
      fail();
    }
  }

  /** @param {Record<string, any>} conversation @returns {string} */
  function stateOf({ state }) {
    return ["queued", "person", "resolved"].includes(state) ? t(`past_${state}`) : t("assistant");
  }

  function fail() {
    body.replaceChildren(el("p", { class: "said", role: "alert", text: t("past_failed") }));
  }

  /** @param {string} id */
  async function choose(id) {
    if (id === session.conversationId) return close(true);
    try {
      const known = await read(`/${encodeURIComponent(id)}`);
      const { token, tokenUntil, sound } = session;
      const { state, reference } = record(known.conversation);
      const { entries, seen } = entriesOf(known);
      close(false);
      goTo({ token, tokenUntil, sound, conversationId: id, entries, seen, read: seen, state: text(state), live: Boolean(text(reference)) });
    } catch {
      fail();
    }
  }
}
