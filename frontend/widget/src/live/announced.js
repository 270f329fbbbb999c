/** @import {Context, Entry} from "../types" */

/**
 * A hand-off is announced once: by the receipt in the conversation, where there is one.
 * @param {Context} context
 * @param {() => void} redraw
 */
export function createAnnounced(context, redraw) {
  const { session } = context;

  /** @param {Entry | undefined} entry @param {string} words with the reference that the receipt has */
  const says = (entry, words) => entry?.kind === "handoff" && entry.receipt.reference && words.includes(entry.receipt.reference);

  return {
    /** @param {string} id of a message @param {string} words */
    already: (id, words) => id.startsWith("handed-over-") && session.entries.some((entry) => says(entry, words)),

    /** The announcement may be here before the receipt, which then takes its place. */
    once() {
      const { entries } = session;
      const at = entries.findIndex((entry, n) => entry.kind === "person" && entry.by === "system" && says(entries[n + 1], entry.text));
      if (at < 0) return;
      entries.splice(at, 1);
      context.save();
      redraw();
    },
  };
}
