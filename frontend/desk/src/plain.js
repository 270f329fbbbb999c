import { plainOf } from "../../widget/src/markdown/plain.js";
import { renderMarkdown } from "../../widget/src/markdown/render.js";

const NO_HOSTS = new Set();

/** @param {string} text an article's or the assistant's @returns {string} its words without marks, on one line */
export const plain = (text) => plainOf(renderMarkdown(text, { hosts: NO_HOSTS, cite: () => null })).replace(/\s+/g, " ");
