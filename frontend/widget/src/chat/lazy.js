/** @import {Context, Live, LiveParts, More, MoreParts} from "../types" */

/** @param {Context} context @param {string} name @returns {Promise<any>} a part of the chat that most visitors never need */
const fetched = ({ options }, name) => import(new URL(`${name}.js?v=${BUILD_ID}`, options.script).href);

/**
 * Brings the part that talks to people, once there is a person to talk to.
 * @param {Context} context
 * @param {LiveParts} parts
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
      coming ??= fetched(context, "live").then((module) => module.createLive(context, parts)).catch(() => (coming = null));
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

/**
 * Brings what stands in the menu, once it is opened.
 * @param {Context} context
 * @param {MoreParts} parts
 * @returns {() => Promise<More | null>}
 */
export function createMoreLoader(context, parts) {
  /** @type {Promise<More | null> | null} */
  let coming = null;
  return () => (coming ??= fetched(context, "more").then((module) => module.createMore(context, parts)).catch(() => (coming = null)));
}
