/** @import {Inline} from "../types" */
/** @import {Token} from "./tokens.js" */

/** @param {Token[]} tokens with each opener matched to a closer in order @returns {Inline[]} */
export function buildInline(tokens) {
  /** @type {Inline[]} */
  const top = [];
  /** @type {Inline[][]} */
  const around = [];
  let into = top;
  let words = "";
  const flush = () => {
    if (words) into.push(words);
    words = "";
  };
  for (const { text, atom, opens, href, closes } of tokens) {
    words += text;
    if (!atom && !opens && !closes) continue;
    flush();
    if (atom) into.push(atom);
    if (opens) {
      /** @type {Inline[]} */
      const children = [];
      into.push(opens === "link" ? { type: opens, href: href ?? "", children } : { type: opens, children });
      around.push(into);
      into = children;
    }
    if (closes) into = around.pop() ?? top;
  }
  flush();
  return top;
}
