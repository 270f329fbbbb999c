/** @import {Block} from "../types" */
import { readCode, readHeading, readQuote, readRule } from "./block-readers.js";
import { parseInline } from "./inline.js";
import { readList } from "./list.js";
import { readTable } from "./table.js";

/**
 * A reader looks at line `at` and returns its block and the next line to read, or null when the line is not its own.
 * @typedef {(lines: string[], at: number, depth: number) => { block: Block | null, next: number } | null} Reader
 */

/** @type {Reader[]} */
const READERS = [readCode, readHeading, readRule, readQuote, readList, readTable];

/** @param {string[]} lines @param {number} depth how many lists and quotes are around them @returns {Block[]} */
export function parseBlocks(lines, depth) {
  /** @type {Block[]} */
  const blocks = [];
  let at = 0;
  while (at < lines.length) {
    if (!lines[at]?.trim()) {
      at++;
      continue;
    }
    const { block, next } = startsBlock(lines, at, depth) ?? readParagraph(lines, at, depth);
    if (block) blocks.push(block);
    at = next;
  }
  return blocks;
}

/** @type {Reader} */
function startsBlock(lines, at, depth) {
  for (const read of READERS) {
    const found = read(lines, at, depth);
    if (found) return found;
  }
  return null;
}

/** @param {string[]} lines @param {number} at @param {number} depth @returns {{ block: Block, next: number }} */
function readParagraph(lines, at, depth) {
  let next = at + 1;
  while (next < lines.length && lines[next]?.trim() && !interrupts(lines, next, depth)) next++;
  return { block: { type: "paragraph", inline: parseInline(lines.slice(at, next).join("\n").trim()) }, next };
}

/** @param {string[]} lines @param {number} at @param {number} depth */
function interrupts(lines, at, depth) {
  const line = lines[at] ?? "";
  if (!/^ {0,3}(?:[`~#>*+|-]|\d)/.test(line) && !line.includes("|")) return false;
  return INTERRUPTERS.some((test) => test(lines, at, depth));
}

/** @type {((lines: string[], at: number, depth: number) => boolean)[]} */
const INTERRUPTERS = [readCode.starts, readHeading.starts, readRule.starts, readQuote.starts, readList.starts, readTable.starts];
