/** @import {Block, Inline} from "../types" */
import { el } from "../shared/dom.js";
import { citedLast } from "./cited-last.js";
import { safeHref } from "./href.js";
import { parseMarkdown } from "./parse.js";

/**
 * @typedef {{ hosts: ReadonlySet<string>, cite: (index: number) => Node | string | null }} Policy
 * Where links may go, and what stands for a citation: null for nothing.
 */

/** @param {string} text @param {Policy} policy @returns {DocumentFragment} */
export function renderMarkdown(text, policy) {
  const fragment = document.createDocumentFragment();
  fragment.append(...parseMarkdown(text).map((block) => renderBlock(block, policy)));
  return fragment;
}

/** @param {Block} block @param {Policy} policy @returns {HTMLElement} */
function renderBlock(block, policy) {
  switch (block.type) {
    case "paragraph":
      return el("p", {}, ...renderInline(block.inline, policy));
    case "heading":
      return el("h3", { "data-level": block.level }, ...renderInline(block.inline, policy));
    case "code":
      return el("pre", { tabindex: 0 }, el("code", { text: block.text }));
    case "quote":
      return el("blockquote", {}, ...block.blocks.map((inner) => renderBlock(inner, policy)));
    case "list":
      return el(block.ordered ? "ol" : "ul", { start: block.ordered && block.start !== 1 && block.start },
        ...block.items.map((item) => el("li", {}, ...item.map((inner) => renderBlock(inner, policy)))));
    case "table":
      return el("div", { class: "table", tabindex: 0 }, el("table", {},
        el("thead", {}, el("tr", {}, ...block.head.map((cell) => el("th", { scope: "col" }, ...renderInline(cell, policy))))),
        el("tbody", {}, ...block.rows.map((row) =>
          el("tr", {}, ...row.map((cell) => el("td", {}, ...renderInline(cell, policy))))))));
  }
}

/** @param {Inline[]} given @param {Policy} policy @returns {(Node | string)[]} */
function renderInline(given, policy) {
  const parts = citedLast(given);
  return parts.flatMap((part, i) => {
    const next = parts[i + 1];
    // Where a citation is left out, the space before it goes too.
    if (typeof part === "string") return [typeof next === "object" && next.type === "cite" && !policy.cite(next.index) ? part.trimEnd() : part];
    switch (part.type) {
      case "code":
        return [el("code", { text: part.text })];
      case "break":
        return [el("br")];
      case "cite":
        return [policy.cite(part.index) ?? ""];
      case "link":
        return [renderLink(part.href, renderInline(part.children, policy), policy)].flat();
      default:
        return [el(part.type, {}, ...renderInline(part.children, policy))];
    }
  });
}

/** @param {string} href @param {(Node | string)[]} label @param {Policy} policy */
function renderLink(href, label, { hosts }) {
  const safe = safeHref(href, hosts);
  if (!safe) return label;
  return el("a", { href: safe, target: "_blank", rel: "noopener noreferrer nofollow ugc" }, ...label);
}
