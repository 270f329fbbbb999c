/** @import {Context, Live} from "../types" */

/**
 * Brings the part that talks to people, once there is a person to talk to.
 * @param {Context} context
 * @param {{ add: (entry: import("../types").Entry) => void, say: (words: string, busy?: boolean) => void, handler: (person: boolean) => void, place: (node: HTMLElement | null) => void }} parts
 */
export function createLiveLoader(context, parts) {
  /** @type {Promise<Live | null> | null} */
  let coming = null;
  return {
    /** Follows the conversation from now on; harmless when it is followed already. */
    start() {
      if (!context.session.conversationId) return;
      context.session.live = true;
      context.save();
      coming ??= import(new URL(`live.js?v=${BUILD_ID}`, context.options.script).href)
        .then((module) => /** @type {Live} */ (module.createLive(context, parts)))
        .catch(() => (coming = null));
      void coming.then((live) => live?.start());
    },
    /** @param {string} text the visitor is writing to a person */
    typing: (text) => void coming?.then((live) => live?.typing(text)),
    stop() {
      context.session.live = false;
      void coming?.then((live) => live?.stop());
    },
  };
}
