/** @import {Context, Pages, Piece, Pieces} from "../types" */
import english from "../lang/en.pieces.json";
import styles from "./pieces.css";
import { sheet } from "../shared/sheet.js";
import { wordsOver } from "../shared/words-over.js";
import { list } from "../chat/shape.js";
import { createCards } from "./cards.js";
import { fillFolds } from "./folds.js";
import { createPiece } from "./piece.js";
import { readCard, readPiece } from "./read.js";
import { split } from "./split.js";

/**
 * Whole sections in the place of an answer's text, and the marks in an opened source.
 * @param {Context} context
 * @param {HTMLElement} log
 * @param {typeof import("../markdown/render.js").renderMarkdown} render
 * @returns {Pieces}
 */
export function createPieces(context, log, render) {
  const t = wordsOver(context.t, english);
  const root = log.getRootNode();
  if (root instanceof ShadowRoot) root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet(styles)];

  /** @param {HTMLElement} body cards may take more room than the words did: the newest message stays in view */
  function settle(body) {
    const message = /** @type {HTMLElement} */ (body.closest(".message"));
    if (message !== log.querySelector(".messages")?.lastElementChild) return;
    const tall = message.offsetHeight > log.clientHeight - 24;
    log.scrollTo({ top: tall ? message.offsetTop - 12 : log.scrollHeight });
  }

  /** @type {Promise<Pages | null> | undefined} */
  let pages;
  const bringPages = () => (pages ??= import(new URL(`page.js?v=${BUILD_ID}`, context.options.script).href).then((part) => part.createPages(context, root), () => null));

  return {
    lay(body, { answer, pieces, closest, routing, citations, turnId }, policy) {
      const draw = (/** @type {Piece} */ piece) => createPiece(piece, { t, policy, render });
      const cards = list(closest).flatMap(readCard);
      const parts = split(answer, list(pieces).flatMap(readPiece));
      // Where nothing but cards is shown the answer only says so; beside a serious matter its words come first.
      if (cards.length) body.replaceChildren(...(routing === "high_stakes" ? [render(answer, policy)] : []), createCards(cards, t, draw));
      else if (parts) body.replaceChildren(...parts.map((part) => (typeof part === "string" ? render(part, policy) : draw(part))));
      if (cards.length || pieces?.length) settle(body);
      const folds = /** @type {HTMLDetailsElement[]} */ ([...body.closest(".bubble")?.querySelectorAll(".passages details") ?? []]);
      fillFolds(folds, citations, (fold, citation) => void bringPages().then((found) => found?.show(fold, citation, turnId)));
    },
  };
}
