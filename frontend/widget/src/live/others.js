/** @import {Context, Entry} from "../types" */

/**
 * What is said in this conversation by another tab of the visitor's.
 * @param {Context} context
 * @param {(entry: Entry) => void} add
 */
export function createOthers({ session, more }, add) {
  /** Turns that another tab began. */
  const turns = new Set();
  const mine = (/** @type {string} */ turn) => JSON.stringify([session.entries, session.forks]).includes(turn);
  return {
    /** @param {Record<string, any>} message */
    hear(message) {
      const turn = message.turn_id;
      if (message.author === "visitor" && turn && !mine(turn)) turns.add(turn);
      if (turns.has(turn)) void more().then((found) => found?.entries(message).forEach(add));
    },
  };
}
