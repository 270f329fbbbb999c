/** @import {Reader} from "./blocks.js" */
import { parseInline } from "./inline.js";

const MOST_COLUMNS = 20;

/** @param {string} line @returns {string[]} the cells between unescaped bars */
function cells(line) {
  const inner = line.trim().replace(/^\|/, "");
  const parts = inner.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll("\\|", "|"));
  if (parts.length > 1 && parts.at(-1) === "") parts.pop();
  return parts.slice(0, MOST_COLUMNS);
}

/** @param {string[]} lines @param {number} at */
function starts(lines, at) {
  const rule = lines[at + 1] ?? "";
  if (!lines[at]?.includes("|") || !rule.includes("-") || !/^[ |:-]+$/.test(rule)) return false;
  return cells(rule).every((cell) => /^:?-+:?$/.test(cell)) && cells(rule).length === cells(lines[at] ?? "").length;
}

/** @type {Reader & { starts: (lines: string[], at: number, depth: number) => boolean }} */
export const readTable = Object.assign(
  /** @type {Reader} */ ((lines, at) => {
    if (!starts(lines, at)) return null;
    const head = cells(lines[at] ?? "").map(parseInline);
    let next = at + 2;
    const rows = [];
    for (; next < lines.length && lines[next]?.includes("|"); next++) {
      const row = cells(lines[next] ?? "");
      rows.push(head.map((_, i) => parseInline(row[i] ?? "")));
    }
    return { block: { type: "table", head, rows }, next };
  }),
  { starts },
);
