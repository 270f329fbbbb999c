/** @import {Detail} from "../types" */

/**
 * What was just read over what is shown. It may have been asked for before the latest message or change: those stay.
 * @param {Detail} loaded
 * @param {Detail | null} shown
 * @returns {Detail}
 */
export function merged(loaded, shown) {
  if (!shown) return loaded;
  const known = new Set(loaded.messages.map((one) => one.id));
  const last = Math.max(0, ...loaded.messages.map((one) => one.seq));
  const newer = shown.messages.filter((one) => !known.has(one.id) && (one.sending || one.seq > last));
  const conversation = loaded.conversation.version < shown.conversation.version ? shown.conversation : loaded.conversation;
  return { ...loaded, conversation, messages: [...loaded.messages, ...newer] };
}
