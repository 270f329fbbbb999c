/** @import {Card} from "../types" */
import { el } from "../../../widget/src/shared/dom.js";
import { t } from "../strings.js";

/**
 * The sections that looked closest to a question, open or closed as the visitor first saw them.
 * @param {Card[]} cards
 * @param {(text: string) => Node} draw
 */
export function closest(cards, draw) {
  return el("div", {}, el("p", { class: "hint", text: t("closest") }),
    ...cards.map(({ title, section, open, piece }) => el("details", { class: "card", open },
      el("summary", { text: [title, section].filter(Boolean).join(" › ") }), draw(piece.markdown))));
}
