/** @import {Piece, Translate} from "../types" */
/** @import {Policy} from "../markdown/render.js" */
import { el } from "../shared/dom.js";
import { foldAfter } from "./fold.js";
import { lettersOf, markLetters } from "./mark.js";

/**
 * A whole section: the sentence that answers is marked, and what is folded away is one button away.
 * @param {Piece} piece
 * @param {{ t: Translate, policy: Policy, render: typeof import("../markdown/render.js").renderMarkdown }} how
 * @returns {HTMLElement}
 */
export function createPiece({ markdown, answering, foldAt, steps, citation }, { t, policy: { hosts, cite }, render }) {
  const draw = (/** @type {string} */ text) => el("div", { class: "section markdown", dir: "auto" }, render(text, { hosts, cite: (n) => `[${n}]` }));
  const section = draw(markdown);
  const { letters } = lettersOf(section);
  const points = [...markdown];
  const element = el("div", { class: "piece" }, section);

  const [from, to] = (answering ?? [0, 0]).map(lettersBefore);
  if (from !== undefined && to !== undefined && from >= 0 && to > from) markLetters(section, from, to);
  const shown = foldAt === null ? 0 : lettersBefore(foldAt);
  const hidden = shown > 0 && shown < letters.length ? foldAfter(section, shown) : [];
  const cited = citation === null ? null : cite(citation);
  const mark = cited && el("span", {}, " ", cited);
  citeAfter(hidden.length ? shown : letters.length);
  if (hidden.length) element.append(createButton());
  return element;

  /** @param {number} offset @returns {number} letters of the section before it; -1 where its Markdown cannot be cut there */
  function lettersBefore(offset) {
    const before = lettersOf(draw(points.slice(0, offset).join(""))).letters;
    return letters.startsWith(before) ? before.length : -1;
  }

  /** @param {number} count the citation follows the last letter that can be seen */
  function citeAfter(count) {
    if (!mark) return;
    mark.remove();
    const last = lettersOf(section).places[count - 1]?.node.parentElement;
    (last?.closest("p, h3, th, td") ?? section).append(mark);
  }

  function createButton() {
    const button = el("button", { type: "button", class: "link unfold", click: () => {
      const open = button.getAttribute("aria-expanded") === "false";
      for (const part of hidden) part.hidden = !open;
      citeAfter(open ? letters.length : shown);
      say(open);
      if (!open) button.scrollIntoView({ block: "nearest" });
    } });
    const say = (/** @type {boolean} */ open) => {
      button.setAttribute("aria-expanded", String(open));
      button.textContent = t(open ? "show_less" : steps ? "show_steps" : "show_rest", { n: steps });
    };
    say(false);
    return button;
  }
}
