/** @import {Conversation, Desk, Detail, Message, Note} from "../types" */
import { el } from "../../../widget/src/shared/dom.js";
import { uuid } from "../../../widget/src/chat/uuid.js";
import { Failure } from "../api.js";
import { now } from "../format.js";
import { button, fresh } from "../shared/controls.js";
import { SPARK } from "../shared/icons.js";
import { pickCanned } from "./canned.js";
import { sayConflict } from "./conflict.js";
import { fetchDraft } from "./draft.js";

const TYPING_EVERY_MS = 3000;
const TALLEST_PX = 260;
/** What was begun in each conversation, so that looking elsewhere loses nothing. @type {Map<string, { reply: string, note: string }>} */
const begun = new Map();

/**
 * Where an agent writes: to the visitor, or a note only the desk sees.
 * @param {Desk} desk
 * @param {string} path
 * @param {{ detail(): Detail | null, pending(message: Message): void, note(note: Note): void, reload(): Promise<void>, take(): Promise<boolean> }} page
 */
export function createComposer(desk, path, page) {
  const { t, api, me } = desk;
  const kept = begun.get(path) ?? { reply: "", note: "" };
  begun.set(path, kept);
  /** @type {"reply" | "note"} */
  let mode = "reply";
  let told = 0;
  let drafting = false;

  const id = fresh("composer");
  const input = el("textarea", { id, rows: 2, dir: "auto", input: changed, keydown });
  const label = el("label", { for: id, class: "hidden" });
  const tabs = (/** @type {const} */ (["reply", "note"])).map((name) => el("button", { type: "button", "data-mode": name, text: t(name), click: () => focus(name) }));
  const hint = el("p", { class: "hint" });
  const drafted = el("p", { class: "drafted", role: "status" });
  const draftButton = button(t("draft"), () => void draft(), { title: t("draft_title") }, SPARK);
  const cannedButton = button(t("canned"), () => void canned());
  const send = el("button", { type: "submit", class: "primary", text: t("send") });
  const take = button(t("take_to_reply"), () => void page.take().then((done) => { if (done) focus("reply"); }), { class: "primary" });

  const may = () => {
    const conversation = page.detail()?.conversation;
    return mode === "note" || (conversation?.state === "person" && conversation.owner?.id === me.id);
  };

  /** @param {KeyboardEvent} event Enter confirms an input method's choice before it sends anything */
  function keydown(event) {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing || event.keyCode === 229) return;
    event.preventDefault();
    void submit();
  }

  function changed() {
    kept[mode] = input.value;
    grow();
    if (!input.value) drafted.textContent = "";
    if (mode === "note" || !input.value.trim() || Date.now() - told < TYPING_EVERY_MS) return;
    told = Date.now();
    api.post(`${path}/typing`).catch(() => {});
  }

  function grow() {
    input.style.height = "auto";
    input.style.height = `${Math.min(input.scrollHeight + 2, TALLEST_PX)}px`;
    send.setAttribute("aria-disabled", String(!input.value.trim()));
  }

  /** @param {string} text */
  function write(text) {
    input.value = text;
    changed();
  }

  async function submit() {
    const text = input.value.trim();
    if (!text || !may()) return input.focus();
    write("");
    if (mode === "note") {
      try {
        const answer = await api.post(`${path}/note`, { id: uuid(), text });
        const made = answer?.note ?? answer;
        if (made?.id) page.note({ user_id: me.id, at: now(), ...made, text });
        else await page.reload();
      } catch (error) {
        write(input.value ? `${text}\n${input.value}` : text);
        desk.fail(error);
      }
    } else await deliver({ id: uuid(), seq: Infinity, author: "agent", user_id: me.id, name: me.name, text, kind: "message", at: now(), sending: "now" });
  }

  /** @param {Message} message */
  async function deliver(message) {
    page.pending({ ...message, sending: "now" });
    try {
      const answer = await api.post(`${path}/reply`, { id: message.id, text: message.text });
      const made = answer?.message ?? answer;
      if (typeof made?.seq === "number") page.pending({ ...message, ...made, id: message.id, sending: undefined });
      else await page.reload();
    } catch (error) {
      page.pending({ ...message, sending: "failed" });
      if (error instanceof Failure && error.status === 409) {
        await page.reload();
        sayConflict(desk, error);
      } else desk.fail(error);
    }
  }

  async function draft() {
    if (drafting || !may() || mode !== "reply") return;
    drafting = true;
    draftButton.disabled = true;
    drafted.textContent = t("drafting");
    try {
      const text = await fetchDraft(desk, path);
      write(input.value.trim() ? `${input.value.trimEnd()}\n\n${text}` : text);
      drafted.textContent = text ? t("drafted") : t("draft_empty");
      input.focus();
      if (text) { input.setSelectionRange(0, 0); input.scrollTop = 0; }
    } catch (error) {
      drafted.textContent = "";
      desk.fail(error);
    }
    drafting = false;
    draftButton.disabled = false;
  }

  async function canned() {
    const detail = page.detail();
    if (!detail || !may()) return;
    await pickCanned(desk, detail, (text) => {
      const [start, end] = [input.selectionStart, input.selectionEnd];
      write(input.value.slice(0, start) + text + input.value.slice(end));
      input.focus();
      input.setSelectionRange(start + text.length, start + text.length);
    });
  }

  /** @param {"reply" | "note"} wanted */
  function focus(wanted) {
    mode = wanted;
    input.value = kept[mode];
    paint();
    input.focus();
  }

  function paint() {
    const allowed = may();
    for (const tab of tabs) tab.setAttribute("aria-pressed", String(tab.dataset.mode === mode));
    element.classList.toggle("is-note", mode === "note");
    label.textContent = t(mode === "note" ? "note_label" : "reply_label");
    input.placeholder = t(mode === "note" ? "note_placeholder" : "reply_placeholder");
    send.textContent = t(mode === "note" ? "save_note" : "send");
    for (const part of [input, send]) part.hidden = !allowed;
    for (const part of [draftButton, cannedButton]) part.hidden = !allowed || mode === "note";
    const state = page.detail()?.conversation.state;
    take.hidden = allowed || state !== "queued";
    hint.textContent = allowed ? t(mode === "note" ? "note_hint" : "reply_hint") : t(state === "queued" ? "must_take" : state === "person" ? "not_yours" : `closed_${state}`);
    grow();
  }

  const element = el("form", { class: "desk-composer", submit: (/** @type {Event} */ event) => { event.preventDefault(); void submit(); } },
    el("div", { class: "modes" }, el("div", { class: "views", role: "group", "aria-label": t("write_as") }, ...tabs), drafted),
    label, input, el("div", { class: "composer-end" }, draftButton, cannedButton, hint, take, send));
  input.value = kept.reply;

  return {
    element, focus, draft: () => void draft(), canned: () => void canned(),
    resend: deliver,
    /** @param {Conversation} _conversation */
    show: (_conversation) => paint(),
    close: () => { if (!kept.reply && !kept.note) begun.delete(path); },
  };
}
