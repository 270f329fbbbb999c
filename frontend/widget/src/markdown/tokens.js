/** @import {Inline} from "../types" */
import { readEmphasis } from "./emphasis.js";
import { codeSpans } from "./code-spans.js";

/**
 * A flat run of tokens: an opener stays plain text until a closer marks it.
 * @typedef {{ text: string, atom?: Inline, opens?: "strong" | "em" | "link", href?: string, closes?: boolean }} Token
 * @typedef {{ marker: string, token: number }} Opener
 * @typedef {{ tokens: Token[], openers: Opener[], counts: Record<string, number> }} State
 */

const CITE = /\[(\d{1,3}(?:[ ]?[,;][ ]?\d{1,3}){0,9})\](?!\()/y;
const LINK_END = /\]\([ ]?<?([^\s()<>]{1,2000})>?(?: "[^"\n]{0,200}")?[ ]?\)/y;
const BARE_LINK = /https:\/\/[^\s<>"'`*[\]|\\]{1,2000}/y;
const ESCAPED = /\\([!-/:-@[-`{-~])/y;
const SPECIAL = /[\\`*_[\]!h\n]/g;
const MOST_OPEN = 100;

/** @param {RegExp} pattern sticky @param {string} text @param {number} at */
function matchAt(pattern, text, at) {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

/** @param {State} state @param {string} marker @returns {Token | null} the newest opener of that kind, taken with all above it */
export function takeOpener({ tokens, openers, counts }, marker) {
  if (!counts[marker]) return null;
  for (;;) {
    const opener = openers.pop();
    if (!opener) return null;
    counts[opener.marker] = Math.max(0, (counts[opener.marker] ?? 0) - 1);
    if (opener.marker === marker) return tokens[opener.token] ?? null;
  }
}

/** @param {State} state @param {string} marker @param {string} text */
export function pushOpener({ tokens, openers, counts }, marker, text) {
  if (openers.length < MOST_OPEN) {
    openers.push({ marker, token: tokens.length });
    counts[marker] = (counts[marker] ?? 0) + 1;
  }
  tokens.push({ text });
}

/** @param {string} text @returns {Token[]} */
export function tokenize(text) {
  /** @type {State} */
  const state = { tokens: [], openers: [], counts: {} };
  const { tokens, counts } = state;
  const spanAt = codeSpans(text);
  let at = 0;
  while (at < text.length) {
    SPECIAL.lastIndex = at;
    const special = SPECIAL.exec(text)?.index ?? text.length;
    if (special > at) tokens.push({ text: text.slice(at, special) });
    at = special;
    const char = text[at];
    let found;
    if (char === "\\" && (found = matchAt(ESCAPED, text, at))) {
      tokens.push({ text: found[1] ?? "" });
      at += 2;
    } else if (char === "`") {
      const span = spanAt(at);
      tokens.push(span.code === null ? { text: text.slice(at, span.end) } : { text: "", atom: { type: "code", text: span.code } });
      at = span.end;
    } else if (char === "*" || char === "_") {
      at = readEmphasis(state, text, at);
    } else if (char === "[" && (found = matchAt(CITE, text, at))) {
      for (const index of (found[1] ?? "").split(/[,;]/)) tokens.push({ text: "", atom: { type: "cite", index: Number(index) } });
      at += found[0].length;
    } else if (char === "[" || (char === "!" && text[at + 1] === "[")) {
      // An image is only ever its label: nothing is fetched because a text says so.
      const size = char === "!" ? 2 : 1;
      pushOpener(state, size === 2 ? "![" : "[", text.slice(at, at + size));
      at += size;
    } else if (char === "]" && (found = matchAt(LINK_END, text, at)) && (counts["["] || counts["!["])) {
      closeLink(state, found[1] ?? "");
      at += found[0].length;
    } else if (char === "h" && !/\w/.test(text[at - 1] ?? "") && (found = matchAt(BARE_LINK, text, at))) {
      const href = found[0].replace(/[.,;:!?)]{1,9}$/, "");
      tokens.push({ text: "", atom: { type: "link", href, children: [href] } });
      at += href.length;
    } else if (char === "\n") {
      const hard = text[at - 1] === " " && text[at - 2] === " ";
      tokens.push(hard ? { text: "", atom: { type: "break" } } : { text: "\n" });
      at++;
    } else if (at < text.length) {
      tokens.push({ text: char ?? "" });
      at++;
    }
  }
  return tokens;
}

/** @param {State} state @param {string} href */
function closeLink(state, href) {
  const { openers, tokens, counts } = state;
  const isImage = openers.findLast(({ marker }) => marker === "[" || marker === "![")?.marker === "![";
  const opener = takeOpener(state, isImage ? "![" : "[");
  if (!opener) return;
  opener.text = "";
  if (isImage) return;
  Object.assign(opener, { opens: "link", href });
  tokens.push({ text: "", closes: true });
  // Links do not hold links: brackets still open around this one stay text.
  counts["["] = 0;
}
