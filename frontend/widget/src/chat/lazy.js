/** @import {Context, Live, LiveParts, More, MoreParts, Pieces} from "../types" */
import { renderMarkdown } from "../markdown/render.js";

let failures = 0;

/**
 * A part of the chat that most visitors never need. Browsers remember a module that failed to load, so another attempt has an
 * address of its own.
 * @template T
 * @param {Context} context
 * @param {string} name
 * @param {(module: any) => T} make
 */
export function createPart({ options }, name, make) {
  const part = {
    /** @type {Promise<T | null> | null} null before it was wanted, and when it could not be fetched */
    coming: null,
    /** @returns {Promise<T | null>} */
    bring: () => (part.coming ??= import(new URL(`${name}.js?v=${BUILD_ID}${failures ? `&retry=${failures}` : ""}`, options.script).href)
      .then(make, () => {
        failures++;
        return (part.coming = null);
      })),
  };
  return part;
}

/**
 * Brings the part that talks to people. Any conversation may get one: an agent can step in.
 * @param {Context} context
 * @param {LiveParts} parts
 */
export function createLiveLoader(context, parts) {
  /** @type {{ coming: Promise<Live | null> | null, bring(): Promise<Live | null> }} */
  const part = createPart(context, "live", (module) => module.createLive(context, parts));
  return {
    /** Follows the conversation from now on; harmless when it is followed already. */
    start: () => void part.bring().then((live) => live?.start()),
    /** @param {string} text the visitor is writing to a person */
    typing: (text) => void part.coming?.then((live) => live?.typing(text)),
    stop: () => void part.coming?.then((live) => live?.stop()),
  };
}

/**
 * Brings what draws whole sections and marks the words in an opened source.
 * @param {Context} context
 * @param {HTMLElement} log
 * @returns {() => Promise<Pieces | null>}
 */
export const createPiecesLoader = (context, log) => createPart(context, "pieces", (module) => module.createPieces(context, log, renderMarkdown)).bring;

/**
 * Brings what stands in the menu, behind a thumb down and behind a question's pencil, once one of them is wanted.
 * @param {Context} context
 * @param {MoreParts} parts
 * @returns {() => Promise<More | null>}
 */
export const createMoreLoader = (context, parts) => createPart(context, "more", (module) => module.createMore(context, parts)).bring;
