/** @import {Detail} from "../types" */

/**
 * What was just read over what is shown. It may have been asked for before the latest message or change: those stay.
 * @param {Detail} loaded
 * @param {Detail | null} shown
 * @param {boolean} late whether something was heard since it was asked for
 * @returns {Detail}
 */
export function merged(loaded, shown, late) {
  if (!shown) return loaded;
  const known = new Set(loaded.messages.map((one) => one.id));
  const last = Math.max(0, ...loaded.messages.map((one) => one.seq));
  const newer = shown.messages.filter((one) => !known.has(one.id) && (one.sending || one.seq > last));
  const older = loaded.conversation.version - shown.conversation.version || (late ? -1 : 0);
  const conversation = older < 0 ? shown.conversation : loaded.conversation;
  return { ...loaded, conversation, messages: [...loaded.messages, ...newer] };
}
