/** @import {Inline} from "../types" */
const STOP = /^\p{Po}+/u;

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
  for (const part of [...parts, ""]) {
    if (typeof part === "object" && part.type === "cite") {
      cites.push(part);
      continue;
    }
    const stop = (cites.length && typeof part === "string" && STOP.exec(part)?.[0]) || "";
    if (stop) settled.push(`${typeof settled.at(-1) === "string" ? String(settled.pop()).trimEnd() : ""}${stop} `);
    settled.push(...cites, typeof part === "string" ? part.slice(stop.length) : part);
    cites = [];
  }
  return settled.filter(Boolean);
}
