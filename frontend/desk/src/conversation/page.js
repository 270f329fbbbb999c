/** @import {Desk, Detail, Item, Message, View} from "../types" */
import { el } from "../../../widget/src/shared/dom.js";
import { Failure } from "../api.js";
import { button } from "../shared/controls.js";
import { createActions } from "./actions.js";
import { createComposer } from "./composer.js";
import { createHeader } from "./header.js";
import { merged } from "./merge.js";
import { createReading } from "./reading.js";
import { createSide } from "./side.js";
import { createTranscript } from "./transcript.js";
import { createTyping } from "./typing.js";

/**
 * One conversation: its transcript, what can be done with it, and what is known about it.
 * @param {Desk} desk
 * @param {string} id
 * @returns {View}
 */
export function openConversation(desk, id) {
  const { t, api } = desk;
  const path = `conversations/${encodeURIComponent(id)}`;
  /** @type {Detail | null} */
  let detail = null;
  let closed = false;
  let again = 0;
  let heard = 0;

  const transcript = createTranscript(desk, { retry: (message) => void composer.resend(message) });
  const side = createSide(desk, path);
  const actions = createActions(desk, path, { detail: () => detail, changed: settle, reload: load });
  const header = createHeader(desk, actions, () => element.classList.toggle("show-side"));
  const composer = createComposer(desk, path, {
    detail: () => detail,
    pending: (message) => { add(message); transcript.bottom(); },
    note: (note) => { if (detail) { detail.notes.push(note); paint(); transcript.bottom(); } },
    reload: load, take: actions.take,
  });
  const typing = createTyping(desk, id);
  const reading = createReading(desk, path, id);
  const status = el("div", { class: "empty" }, el("p", { text: t("loading") }));
  const body = el("div", { class: "conversation-body" }, transcript.element, typing.element, composer.element);
  const element = el("article", { class: "conversation", "aria-label": t("conversation") }, status);

  async function load() {
    const asked = heard;
    try {
      const loaded = /** @type {Detail} */ (await api.get(path));
      if (closed) return;
      detail = merged(loaded, detail, heard !== asked);
      if (heard !== asked) soon();
      paint();
      if (status.isConnected) element.replaceChildren(header.element, body, side.element);
      transcript.settle();
    } catch (error) {
      if (closed) return;
      if (detail) return desk.fail(error);
      const gone = error instanceof Failure && error.status === 404;
      if (!gone) desk.fail(error);
      status.replaceChildren(el("p", { class: "empty-title", text: t(gone ? "not_there" : "not_loaded") }), ...(gone ? [] : [button(t("try_again"), () => void load())]));
    }
  }

  function soon() {
    if (!again) again = window.setTimeout(() => { again = 0; void load(); }, 80);
  }

  function paint() {
    if (!detail) return;
    header.show(detail.conversation);
    actions.show(detail.conversation);
    composer.show(detail.conversation);
    transcript.show(detail);
    side.show(detail);
    reading.seen(detail);
  }

  /** @param {Item} conversation what an action or an event says it is now */
  function settle(conversation) {
    if (!detail || conversation.version < detail.conversation.version) return;
    const before = detail.conversation;
    heard += 1;
    detail.conversation = { ...before, ...conversation };
    if (before.owner?.id === desk.me.id && conversation.owner && conversation.owner.id !== desk.me.id) desk.say(t("now_with", { name: conversation.owner.name }));
    if (before.state !== conversation.state || before.generation !== conversation.generation) void load();
    else paint();
  }

  /** @param {Message} message */
  function add(message) {
    if (!detail) return;
    const at = detail.messages.findIndex((one) => one.id === message.id);
    if (at >= 0) detail.messages[at] = message;
    else detail.messages.push(message);
    paint();
  }

  /** @param {any} event a message, or only word that there is one */
  function arrived(event) {
    const message = /** @type {Message} */ (event.message ?? event);
    if (!detail || (event.conversation_id ?? event.id) !== id) return;
    typing.stopped(message);
    const last = Math.max(0, ...detail.messages.filter((one) => !one.sending).map((one) => one.seq));
    const whole = typeof message.text === "string" && message.seq === last + 1 && !message.turn_id;
    if (whole) add({ ...message });
    else soon();
    if (whole && message.author === "visitor") desk.say(t("visitor_wrote", { text: message.text.slice(0, 80) }));
  }

  const stops = [
    desk.on("message", arrived),
    desk.on("note", (event) => { if (event.conversation_id === id) void load(); }),
    desk.on("conversation", (event) => {
      const item = /** @type {Item} */ (event.item ?? event.conversation ?? event);
      if (item.id === id) settle(item);
    }),
    desk.on("read", (event) => {
      if (event.conversation_id !== id || !detail || event.author === "agent") return;
      heard += 1;
      detail.conversation.visitor_read_seq = event.seq;
      paint();
    }),
    desk.on("presence", (event) => {
      if (event.who !== `visitor:${id}` || !detail) return;
      detail.visitor.online = event.online === true;
      paint();
    }),
    desk.on("reconnected", () => void load()),
    desk.on("people", paint),
    desk.keys({
      t: () => actions.run("take"), h: () => actions.run("hand_back"), e: () => actions.run("resolve"), x: () => actions.run("transfer"),
      r: () => composer.focus("reply"), n: () => composer.focus("note"), d: () => composer.draft(), c: () => composer.canned(),
    }),
  ];
  void load();
  return {
    element,
    close() {
      closed = true;
      clearTimeout(again);
      composer.close();
      typing.close();
      reading.close();
      stops.forEach((stop) => stop());
    },
  };
}

