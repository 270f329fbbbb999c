/** @import {Reader} from "./blocks.js" */
import { parseBlocks } from "./blocks.js";
import { parseInline } from "./inline.js";

export const DEEPEST = 8;
const FENCE = /^ {0,3}(`{3,}|~{3,})/;
const HEADING = /^ {0,3}(#{1,6})(?: |$)/;
const RULE = /^ {0,3}(?:(?:- ?){3,}|(?:\* ?){3,}|(?:_ ?){3,})$/;
const QUOTE = /^ {0,3}> ?/;

/** @type {(pattern: RegExp, read: Reader) => Reader & { starts: (lines: string[], at: number, depth: number) => boolean }} */
const reader = (pattern, read) =>
  Object.assign(
    /** @type {Reader} */ ((lines, at, depth) => (pattern.test(lines[at] ?? "") ? read(lines, at, depth) : null)),
    { starts: (/** @type {string[]} */ lines, /** @type {number} */ at) => pattern.test(lines[at] ?? "") },
  );

/** An unclosed fence runs to the end. */
export const readCode = reader(FENCE, (lines, at) => {
  const fence = FENCE.exec(lines[at] ?? "")?.[1] ?? "```";
  let end = at + 1;
  while (end < lines.length && !lines[end]?.trim().startsWith(fence)) end++;
  return { block: { type: "code", text: lines.slice(at + 1, end).join("\n") }, next: end + 1 };
});

export const readHeading = reader(HEADING, (lines, at) => {
  const line = (lines[at] ?? "").trim();
  const level = HEADING.exec(line)?.[1]?.length ?? 1;
  let end = line.length;
  while (end > level && line[end - 1] === "#") end--;
  return { block: { type: "heading", level, inline: parseInline(line.slice(level, end).trim()) }, next: at + 1 };
});

/** A rule only parts blocks here; it draws nothing. */
export const readRule = reader(RULE, (_lines, at) => ({ block: null, next: at + 1 }));

export const readQuote = reader(QUOTE, (lines, at, depth) => {
  let end = at;
  while (end < lines.length && QUOTE.test(lines[end] ?? "")) end++;
  const inner = lines.slice(at, end).map((line) => line.replace(QUOTE, ""));
  if (depth >= DEEPEST) return { block: { type: "paragraph", inline: [inner.join("\n")] }, next: end };
  return { block: { type: "quote", blocks: parseBlocks(inner, depth + 1) }, next: end };
});
