/** @import {Piece} from "../types" */

/**
 * An answer as the pieces in it and the words between them. Offsets count code points, strings count UTF-16 units.
 * @param {string} answer
 * @param {Piece[]} pieces
 * @returns {(string | Piece)[] | null} null where the pieces do not stand where they are said to
 */
export function split(answer, pieces) {
  const points = [...answer];
  /** @type {(string | Piece)[]} */
  const parts = [];
  let at = 0;
  for (const piece of pieces) {
    const [start, end] = piece.span ?? [0, 0];
    if (start < at || !points.slice(start, end).join("").startsWith(piece.markdown)) return null;
    parts.push(points.slice(at, start).join(""), piece);
    at = end;
  }
  return [...parts, points.slice(at).join("")];
}
