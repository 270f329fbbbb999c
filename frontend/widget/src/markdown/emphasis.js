/** @import {State} from "./tokens.js" */
import { pushOpener, takeOpener } from "./tokens.js";

/**
 * Reads a run of `*` or `_`: closes what it can, opens with the rest. Runs over three are text.
 * @param {State} state
 * @param {string} text
 * @param {number} at
 * @returns {number} where to go on
 */
export function readEmphasis(state, text, at) {
  const char = text[at] ?? "";
  let end = at;
  while (text[end] === char) end++;
  const size = end - at;
  const before = text[at - 1] ?? " ";
  const after = text[end] ?? " ";
  const word = (/** @type {string} */ c) => char === "_" && /[\p{L}\p{N}]/u.test(c);
  if (size > 3) {
    state.tokens.push({ text: text.slice(at, end) });
    return end;
  }
  let left = size;
  if (!/\s/.test(before) && !word(after)) {
    for (const length of size === 2 ? [2] : [1, 2]) if (left >= length && close(state, char.repeat(length))) left -= length;
  }
  if (!left) return end;
  if (/\s/.test(after) || word(before)) state.tokens.push({ text: char.repeat(left) });
  else for (const length of left === 3 ? [2, 1] : [left]) pushOpener(state, char.repeat(length), char.repeat(length));
  return end;
}

/** @param {State} state @param {string} marker @returns {boolean} */
function close(state, marker) {
  const opener = takeOpener(state, marker);
  if (!opener) return false;
  opener.text = "";
  opener.opens = marker.length === 2 ? "strong" : "em";
  state.tokens.push({ text: "", closes: true });
  return true;
}
