/** @import {Card, Piece} from "../types" */
import { list, record, text } from "../chat/shape.js";

/** @param {unknown} raw @returns {Piece[]} the piece, or none where it has no text */
export function readPiece(raw) {
  const { markdown, title, section, answering, collapsed_after: fold, steps, citation, span } = record(raw);
  return text(markdown)
    ? [{ markdown, heading: headingOf(title, section), answering: readRange(answering), foldAt: Number.isInteger(fold) ? fold : null,
      steps: Number(steps) || 0, citation: Number.isInteger(citation) ? citation : null, span: readRange(span) }]
    : [];
}

/** @param {unknown} raw @returns {Card[]} */
export function readCard(raw) {
  const { piece, open } = record(raw);
  return readPiece(piece).map((whole) => ({ piece: whole, open: open === true }));
}

/** @param {unknown} title @param {unknown} section */
const headingOf = (title, section) => [text(title), text(section)].filter(Boolean).join(" › ");

/** @param {unknown} raw @returns {[number, number] | null} */
function readRange(raw) {
  const [start, end] = list(raw);
  return Number.isInteger(start) && Number.isInteger(end) ? [Number(start), Number(end)] : null;
}
