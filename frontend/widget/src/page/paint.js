/** On a canvas that has been painted. */
export const MARKED = "data-painted";

/**
 * Paints the part of a page that is shown, and marks what stands in the boxes as a highlighter would.
 * @param {HTMLCanvasElement} canvas
 * @param {ImageBitmap} bitmap
 * @param {import("./view.js").View} view
 */
export function paint(canvas, bitmap, { crop: [left, top, width, height], boxes }) {
  const pen = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  pen.drawImage(bitmap, left, top, width, height, 0, 0, width, height);
  pen.fillStyle = "#fff0a8";
  pen.strokeStyle = "#a86a00";
  pen.lineWidth = 3;
  for (const [x, y, across, down] of boxes) {
    pen.globalCompositeOperation = "multiply";
    pen.fillRect(x - left, y - top, across, down);
    pen.globalCompositeOperation = "source-over";
    pen.strokeRect(x - left, y - top, across, down);
  }
}
