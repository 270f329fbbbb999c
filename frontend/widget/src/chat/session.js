/** @import {Entry, Session} from "../types" */
import { recall, remember } from "../shared/memory.js";
import { readReply } from "./read-reply.js";
import { ROUTINGS } from "./routings.js";
import { record } from "./shape.js";
import { uuid } from "./uuid.js";

const VERSION = 2;
const MOST_ENTRIES = 200;

/** @returns {Session} */
export function emptySession() {
  return { conversationId: "", entries: [], forks: {}, token: "", tokenUntil: 0, seen: 0, read: 0, state: "", sound: false, live: false, open: true, handoffKey: uuid() };
}

/** @param {string} widget @returns {Session} what this tab kept, or an empty conversation */
export function loadSession(widget) {
  /** @type {Record<string, any> & Session} */
  const session = emptySession();
  const kept = record(recall(widget));
  if (kept.version !== VERSION || !Array.isArray(kept.entries)) return session;
  for (const key of Object.keys(session)) if (typeof kept[key] === typeof session[key]) session[key] = kept[key];
  return Object.assign(session, { entries: kept.entries.filter(isEntry), forks: readForks(kept.forks) });
}

/** @param {unknown} value @returns {value is Entry} whether a kept entry still has the shape this version draws */
function isEntry(value) {
  const { kind, at, text: words, turnId, reply, receipt, by, name } = record(value);
  if (!Number.isFinite(at)) return false;
  if (kind === "visitor" || kind === "stopped") return hasShape({ words, turnId }, { words: "", turnId: "" });
  if (kind === "reply") return hasShape({ pieces: [], closest: [], ...record(reply) }, readReply({})) && Object.hasOwn(ROUTINGS, reply.routing);
  if (kind === "person") return hasShape({ words, by, name }, { words: "", by: "", name: "" });
  return kind === "handoff" && hasShape(record(receipt), { reference: "", message: "", sent: "" });
}

/** @param {unknown} value @returns {Session["forks"]} those that are whole */
function readForks(value) {
  return Object.fromEntries(Object.entries(record(value)).filter(([, fork]) =>
    Array.isArray(fork?.versions) && fork.versions[fork.current] && fork.versions.every((/** @type {unknown} */ entries) => Array.isArray(entries) && entries.every(isEntry))));
}

/** @param {Record<string, unknown>} value @param {object} model */
const hasShape = (value, model) =>
  Object.entries(model).every(([key, like]) => typeof value[key] === typeof like && Array.isArray(value[key]) === Array.isArray(like));

/**
 * Keeps the conversation for this tab, once the visitor has sent something.
 * @param {string} widget
 * @param {Session} session
 */
export function saveSession(widget, session) {
  if (!session.entries.length && !session.token) return;
  remember(widget, { ...session, entries: session.entries.slice(-MOST_ENTRIES), version: VERSION });
}

/** @param {Session} session @returns {boolean} whether a person has the conversation, or is waited for */
export const withPeople = ({ state }) => state === "queued" || state === "person";
