/** @import {Inline} from "../types" */
const STOP = /^[.,;:!?…。،؛؟]+/;

/**
 * Citations behind the punctuation that follows them: a line may break on both sides of one, and would leave a full stop
 * alone on the next.
 * @param {Inline[]} parts
 * @returns {Inline[]}
 */
export function citedLast(parts) {
  /** @type {Inline[]} */
  const settled = [];
  /** @type {Inline[]} */
  let cites = [];
  for (let part of parts) {
    if (typeof part === "object" && part.type === "cite") {
      cites.push(part);
      continue;
    }
    const stop = cites.length && typeof part === "string" ? (STOP.exec(part) ?? [""])[0] : "";
    if (stop) {
      const before = typeof settled.at(-1) === "string" ? /** @type {string} */ (settled.pop()) : "";
      settled.push(`${before.trimEnd()}${stop} `);
      part = /** @type {string} */ (part).slice(stop.length);
    }
    settled.push(...cites, ...(part ? [part] : []));
    cites = [];
  }
  return [...settled, ...cites];
}
