/** @import {Block} from "../types" */
/** @import {Reader} from "./blocks.js" */
import { DEEPEST } from "./block-readers.js";
import { parseBlocks } from "./blocks.js";

const ITEM = /^( {0,3})([-*+]|\d{1,9}[.)])( +|$)/;

/** @param {string} line */
const indentOf = (line) => line.length - line.trimStart().length;

/** @param {RegExpExecArray} item */
const kindOf = (item) => ((item[2] ?? "").length === 1 ? item[2] : (item[2] ?? "").at(-1));

/**
 * One list. Text counts as part of an item when it is indented by two or more, as models write it, not only
 * when it lines up exactly.
 * @type {Reader & { starts: (lines: string[], at: number, depth: number) => boolean }}
 */
export const readList = Object.assign(
  /** @type {Reader} */ ((lines, at, depth) => {
    const first = depth < DEEPEST && ITEM.exec(lines[at] ?? "");
    if (!first) return null;
    /** @type {Block[][]} */
    const items = [];
    let next = at;
    for (;;) {
      const item = ITEM.exec(lines[next] ?? "");
      if (!item || kindOf(item) !== kindOf(first)) break;
      const end = endOfItem(lines, next);
      const offset = item[0].length;
      const inner = lines.slice(next, end).map((line, i) => line.slice(i ? Math.min(indentOf(line), offset) : offset));
      items.push(parseBlocks(inner, depth + 1));
      next = end;
    }
    const ordered = kindOf(first) === "." || kindOf(first) === ")";
    return { block: { type: "list", ordered, start: ordered ? parseInt(first[2] ?? "1", 10) : 1, items }, next };
  }),
  {
    starts: (/** @type {string[]} */ lines, /** @type {number} */ at, /** @type {number} */ depth) =>
      depth < DEEPEST && ITEM.test(lines[at] ?? ""),
  },
);

/** @param {string[]} lines @param {number} start the item's first line @returns {number} the line after its last */
function endOfItem(lines, start) {
  const margin = indentOf(lines[start] ?? "") + 2;
  let end = start + 1;
  let blank = false;
  for (; end < lines.length; end++) {
    const line = lines[end] ?? "";
    if (!line.trim()) {
      blank = true;
      continue;
    }
    if (indentOf(line) < margin && (blank || ITEM.test(line) || /^ {0,3}(?:#|`{3}|~{3}|>)/.test(line))) break;
    blank = false;
  }
  return end;
}
