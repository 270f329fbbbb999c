/** @import {Chat, Context, MountArguments, Session} from "../types" */
import { el } from "../shared/dom.js";
import { keepInside } from "../shared/keep-inside.js";
import { remember } from "../shared/memory.js";
import { sheet } from "../shared/sheet.js";
import { plainOf } from "../markdown/plain.js";
import { renderMarkdown } from "../markdown/render.js";
import { createComposer } from "./composer.js";
import { readConfig } from "./config.js";
import { createConversation } from "./conversation.js";
import { createFrame } from "./frame.js";
import { createForm } from "./handoff-form.js";
import { createHandoff } from "./handoff.js";
import { createHeader } from "./header.js";
import { createLiveLoader, createMoreLoader, createPart, createPiecesLoader } from "./lazy.js";
import { createLog } from "./log.js";
import { createNotice } from "./notice.js";
import { post } from "./post.js";
import { hostsFor } from "./reply.js";
import { emptySession, loadSession, saveSession } from "./session.js";
import { createStatus } from "./status.js";
import { createTranslate } from "./strings.js";
import { STYLES } from "./styles.js";
import { applyTheme } from "./theme.js";
import { createVisitor } from "./visitor.js";

export { loadWords } from "./strings.js";

const RIGHT_TO_LEFT = /^(ar|dv|fa|he|ps|sd|ug|ur|yi)\b/;
let serial = 0;

/**
 * Puts one chat into `root`: a floating dialog, or in the flow of the page.
 * @param {MountArguments} args
 * @returns {Chat}
 */
export function mountChat({ root, inline, rawConfig, words, options, visitor, emit, fetchConfig, onClose }) {
  const config = readConfig(rawConfig, options, visitor, words);
  const life = new AbortController();
  const session = loadSession(options.widget);
  session.open = inline;
  const host = /** @type {HTMLElement} */ (root.host);
  const titleId = `handrail-title-${++serial}`;
  /** @type {Context} */
  const context = {
    t: createTranslate(words ?? {}, config.strings), config, options, visitor, session, emit, signal: life.signal,
    say: (words) => status.say(words),
    auth: () => auth(),
    post: async (path, body) => post(options.base + path, body, life.signal, await auth()),
    more: () => more(),
    pieces: () => pieces(),
    plain: (reply, cite = () => null) => plainOf(renderMarkdown(reply.answer, { hosts: hostsFor(context, reply), cite })),
    save: () => saveSession(options.widget, session),
    actions: {
      ask: (question) => conversation.ask(question),
      person: (reason) => handoff.open(reason),
      retry: (turnId) => conversation.retry(turnId),
      regenerate: (turnId) => conversation.again(turnId),
      edit: (turnId, question) => conversation.again(turnId, question),
      showVersion: (turnId, version) => conversation.showVersion(turnId, version),
      async rate({ reply }, rating, reason, comment) {
        const sent = await context.post("feedback", { turn_id: reply.turnId, conversation_id: session.conversationId, rating,
          reason: reason || undefined, comment: comment || undefined });
        return sent.ok;
      },
    },
  };
  const auth = createVisitor(context, createPart(context, "proof", (module) => module.solve).bring);
  const styles = sheet(STYLES);
  root.adoptedStyleSheets = [...root.adoptedStyleSheets, styles];

  const log = createLog(context);
  const status = createStatus();
  const notice = createNotice(context);
  const composer = createComposer(context, context.actions.ask, (words) => live.typing(words));
  const header = createHeader(context, {
    titleId, inline, close: onClose, restart, expand: (wide) => frame.expand(wide), more: context.more,
  });
  const form = createForm(context, {
    submit: (email, message) => void handoff.submit(email, message),
    toggled(open) {
      composer.element.hidden = open;
      if (!open) {
        handoff.left();
        composer.focus();
      }
      log.settle();
    },
  });
  const live = createLiveLoader(context, {
    add(entry) {
      session.entries.push(entry);
      context.save();
      log.add(entry);
    },
    say: status.say, handler: header.setHandler, place: log.afterword, redraw: log.redraw, log: log.element,
  });
  const conversation = createConversation(context, { log, status, composer, notice, header, live });
  const handoff = createHandoff(context, { log, form, composer, status, live, fetchConfig });
  const foot = el("footer", { role: "none" }, status.element, notice.element, composer.element, form.element);
  const frame = createFrame(context, { inline, titleId, close: escape }, header.element, log.element, foot);
  const pieces = createPiecesLoader(context, log.element);
  const more = createMoreLoader(context, { log: log.element, foot, goTo, say: status.say, focus: composer.focus });

  /** One step back: out of the menu, out of the form, out of the chat. */
  function escape() {
    if (header.menu.dismiss()) return;
    if (form.isOpen) form.close();
    else onClose();
  }

  /** @param {Partial<Session>} conversationThen */
  function goTo(conversationThen) {
    conversation.forget();
    handoff.forget();
    form.clear();
    Object.assign(session, emptySession(), conversationThen);
    remember(options.widget, null);
    context.save();
    conversation.resume();
    composer.focus();
  }

  /** A new conversation of the same visitor. */
  function restart() {
    const { token, tokenUntil, sound } = session;
    goTo({ token, tokenUntil, sound });
  }

  frame.element.lang = words || Object.keys(config.strings).length ? config.lang : "en";
  frame.element.dir = RIGHT_TO_LEFT.test(words ? config.pageLang : config.lang) ? "rtl" : "ltr";
  frame.element.classList.toggle("across", getComputedStyle(host).direction !== frame.element.dir);
  frame.element.addEventListener("keydown", (/** @type {any} */ event) => {
    if (event.key !== "Escape" || event.isComposing) return;
    event.preventDefault();
    escape();
  });
  root.append(frame.element);
  keepInside(root, life.signal);
  applyTheme(context, host, frame.element, root);
  conversation.resume();

  return {
    open(focus) {
      session.open = true;
      context.save();
      frame.show();
      log.settle();
      if (focus) composer.focus();
    },
    close() {
      session.open = false;
      context.save();
      frame.hide();
    },
    reset: () => goTo({}),
    person: () => handoff.open("visitor_request"),
    settle() {
      frame.renew();
      log.settle();
    },
    destroy() {
      life.abort();
      frame.element.remove();
      root.adoptedStyleSheets = root.adoptedStyleSheets.filter((one) => one !== styles);
    },
  };
}
