/** @import {Conversation, Desk, Detail} from "../types" */
import { el } from "../../../widget/src/shared/dom.js";
import { Failure } from "../api.js";
import { button, fresh, select } from "../shared/controls.js";
import { openDialog } from "../shared/dialog.js";
import { word } from "../strings.js";
import { sayConflict } from "./conflict.js";

export const CAUSES = ["answered", "fixed", "by_design", "duplicate", "no_reply", "spam", "other"];

/**
 * Take, transfer, hand back and resolve. Each names the version it saw; when somebody was first, that is said and nothing is done.
 * @param {Desk} desk
 * @param {string} path
 * @param {{ detail(): Detail | null, changed(conversation: any): void, reload(): Promise<void> }} page
 */
export function createActions(desk, path, page) {
  const { t, api, me } = desk;
  /** @type {Promise<unknown>} what is being done; the next waits for it rather than being lost */
  let before = Promise.resolve();
  let latest = "";
  const primary = (/** @type {string} */ name) => button(t(name), () => run(name), { class: "primary" });
  const plain = (/** @type {string} */ name) => button(t(name), () => run(name));
  /** @type {Record<string, HTMLButtonElement>} */
  const buttons = { take: primary("take"), transfer: plain("transfer"), hand_back: plain("hand_back"), resolve: plain("resolve"), propose: plain("propose") };

  /** @param {Conversation} conversation @returns {string[]} */
  function possible({ state, owner }) {
    const mine = state === "person" && owner?.id === me.id;
    if (mine) return ["transfer", "hand_back", "resolve"];
    if (state === "person") return ["transfer"];
    if (state === "queued") return ["take", "hand_back", "resolve"];
    return state === "resolved" ? ["propose"] : ["take", "resolve"];
  }

  /** @param {string} name @param {Record<string, unknown>} [body] @returns {Promise<boolean>} whether it was done */
  function act(name, body = {}) {
    if (latest === name) return Promise.resolve(false);
    latest = name;
    const mine = before.then(() => perform(name, body)).finally(() => { if (latest === name) latest = ""; });
    before = mine;
    return mine;
  }

  /** @param {string} name @param {Record<string, unknown>} body */
  async function perform(name, body) {
    const conversation = page.detail()?.conversation;
    if (!conversation || !possible(conversation).includes(name.replace("-", "_"))) return false;
    try {
      const answer = await api.post(`${path}/${name}`, { version: conversation.version, ...body });
      page.changed(answer.conversation ?? answer);
      await page.reload();
      desk.say(t(`done_${name.replace("-", "_")}`));
      return true;
    } catch (error) {
      if (error instanceof Failure && error.status === 409) {
        await page.reload();
        sayConflict(desk, error);
      } else desk.fail(error);
      return false;
    }
  }

  /** @param {string} name */
  function run(name) {
    const conversation = page.detail()?.conversation;
    if (!conversation || !possible(conversation).includes(name)) return;
    if (name === "take") void act("take");
    else if (name === "hand_back") void act("hand-back");
    else if (name === "resolve") askCause();
    else if (name === "propose") void propose(conversation.id);
    else askColleague();
  }

  /** @param {string} id */
  async function propose(id) {
    try {
      await api.post("drafts", { conversation_id: id });
      desk.say(t("propose_done"));
    } catch (error) {
      desk.fail(error);
    }
  }

  function askCause() {
    const group = fresh("cause");
    const choices = CAUSES.map((cause, i) => {
      const id = fresh("cause-choice");
      return el("p", { class: "check" }, el("input", { type: "radio", name: group, id, value: cause, checked: i === 0 }), el("label", { for: id, text: word("cause", cause) }));
    });
    const dialog = openDialog(t("resolve_title"), [el("fieldset", {}, el("legend", { text: t("resolve_cause") }), ...choices)], {
      action: t("resolve"),
      submit() {
        const chosen = /** @type {HTMLInputElement | null} */ (dialog.querySelector("input:checked"));
        dialog.close();
        void act("resolve", { cause: chosen?.value ?? "other" });
      },
    });
  }

  function askColleague() {
    const owner = page.detail()?.conversation.owner?.id;
    const people = [...desk.people.values()].filter((person) => person.id !== owner && person.active !== false)
      .sort((a, b) => Number(b.online) - Number(a.online) || a.name.localeCompare(b.name));
    if (!people.length) return void openDialog(t("transfer_title"), [el("p", { text: t("transfer_nobody") })]);
    const to = select(t("transfer_to"), people.map((person) => [person.id, `${person.name} · ${t(person.online ? "online" : "away")}`]), people[0]?.id ?? "", () => {});
    const dialog = openDialog(t("transfer_title"), [to.element, el("p", { class: "hint", text: t("transfer_hint") })], {
      action: t("transfer"),
      submit() {
        dialog.close();
        void act("transfer", { user_id: to.field.value });
      },
    });
  }

  return {
    element: el("div", { class: "actions" }, ...Object.values(buttons)),
    run,
    take: () => act("take"),
    /** @param {Conversation} conversation */
    show(conversation) {
      const allowed = possible(conversation);
      for (const [name, one] of Object.entries(buttons)) one.hidden = !allowed.includes(name);
    },
  };
}
