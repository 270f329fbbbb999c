/** @import {Context, More, MoreParts} from "../types" */
import english from "../lang/en.more.json";
import rating from "../styles/rating.css";
import styles from "./more.css";
import { el } from "../shared/dom.js";
import { sheet } from "../shared/sheet.js";
import { wordsOver } from "../shared/words-over.js";
import { createEdit } from "./edit.js";
import { entriesOf } from "./entries.js";
import { openMailForm } from "./mail-form.js";
import { createMeter } from "./meter.js";
import { openPast } from "./past.js";
import { createReasons } from "./reasons.js";
import { saveText, writeTranscript } from "./transcript.js";

/**
 * What stands in the menu, behind a thumb down and behind a question's pencil.
 * @param {Context} context
 * @param {MoreParts} parts
 * @returns {More}
 */
export function createMore(context, parts) {
  const { session, config } = context;
  const t = wordsOver(context.t, english);
  const root = parts.log.getRootNode();
  if (root instanceof ShadowRoot) root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet(rating + styles)];

  function switchSound() {
    session.sound = !session.sound;
    context.save();
  }

  return {
    items(choose) {
      const line = (/** @type {string} */ key, /** @type {() => void} */ act, /** @type {Record<string, any>} */ more = {}) =>
        el("li", {}, el("button", { type: "button", text: t(key), click: () => choose(act), ...more }));
      const known = Boolean(session.conversationId && session.token);
      return [
        known && line("past", () => openPast(context, t, parts)),
        session.entries.length > 0 && line("download", () => saveText(writeTranscript(context, t))),
        known && config.mail && line("transcript_mail", () => openMailForm(context, t, parts)),
        line("sound", switchSound, { class: "switch", role: "switch", "aria-checked": String(session.sound) }),
      ].filter((one) => one !== false);
    },
    entries: (message) => entriesOf({ messages: [message] }).entries,
    edit: (question) => createEdit(t, question),
    meter: (reply) => createMeter(context, t, reply),
    reasons: (send, close) => createReasons(t, send, close),
  };
}
