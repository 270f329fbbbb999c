/** @import {Card, Piece, Translate} from "../types" */
import { el } from "../shared/dom.js";

/**
 * Sections that look close to the question, each behind its heading.
 * @param {Card[]} cards
 * @param {Translate} t
 * @param {(piece: Piece) => HTMLElement} draw
 */
export function createCards(cards, t, draw) {
  return el("div", { class: "closest", role: "group", "aria-label": t("closest") },
    el("p", { class: "label", text: t("closest") }),
    ...cards.map(({ piece, open }) => {
      const content = draw(piece);
      content.hidden = !open;
      const button = el("button", { type: "button", "aria-expanded": String(open), dir: "auto", text: piece.heading, click: () => {
        content.hidden = !content.hidden;
        button.setAttribute("aria-expanded", String(!content.hidden));
      } });
      return el("div", { class: "card" }, el("h3", {}, button), content);
    }));
}
