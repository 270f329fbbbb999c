/** @import {Block} from "../types" */
import { parseBlocks } from "./blocks.js";

/**
 * The allowed part of Markdown as a tree. Time and depth are bounded by the length of `text`, whatever is in it.
 * @param {string} text
 * @returns {Block[]}
 */
export function parseMarkdown(text) {
  return parseBlocks(text.replace(/\r\n?/g, "\n").replaceAll("\t", "    ").split("\n"), 0);
}
