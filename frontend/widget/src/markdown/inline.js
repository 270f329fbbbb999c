/** @import {Inline} from "../types" */
import { buildInline } from "./inline-tree.js";
import { tokenize } from "./tokens.js";

/** @param {string} text of one paragraph, heading or cell @returns {Inline[]} */
export const parseInline = (text) => buildInline(tokenize(text));
