import { list, record, text } from "../chat/shape.js";

/** Pages that are shown of one source. */
const MOST = 2;
/** Pixels of the page around what is marked, and the least width and height that are shown of it. */
const AROUND = 48, LEAST = 560, LOWEST = 150;

/** @typedef {[left: number, top: number, width: number, height: number]} Box in pixels of the page */
/** @typedef {{ page: number, width: number, height: number, boxes: Box[] }} Held */
/** @typedef {{ name: string, page: number, crop: Box, boxes: Box[] }} View */

/**
 * What is shown of each page: the part around the places on it, and where they are.
 * @param {unknown} places as the server sends them
 * @returns {View[]} in order, the last first, as each is put before the one that stands there
 */
export function readViews(places) {
  /** @type {Map<string, Held>} */
  const pages = new Map();
  for (const place of list(places)) {
    const { page, box, image } = record(place);
    const { name, width, height } = record(image);
    if (!/^[0-9a-f]+-\d+$/.test(text(name)) || !Number.isInteger(page) || !(width > 0 && height > 0)) continue;
    /** @type {Held} */
    const held = pages.get(name) ?? { page, width, height, boxes: [] };
    pages.set(name, held);
    const [left = 0, top = 0, right = 0, bottom = 0] = list(box).map(Number);
    if (right > left && bottom > top) held.boxes.push([left * width, top * height, (right - left) * width, (bottom - top) * height]);
  }
  return [...pages].slice(0, MOST).reverse().map(([name, held]) => ({ name, page: held.page, boxes: held.boxes, crop: cropOf(held) }));
}

/** @param {Held} held @returns {Box} whole pixels; the whole page where nothing says where on it */
function cropOf({ width, height, boxes }) {
  if (!boxes.length) return [0, 0, width, height];
  const [x, across] = span(boxes.map(([x]) => x), boxes.map(([x, , across]) => x + across), LEAST, width);
  const [y, down] = span(boxes.map(([, y]) => y), boxes.map(([, y, , down]) => y + down), LOWEST, height);
  return [x, y, across, down];
}

/** @param {number[]} starts @param {number[]} ends @param {number} least @param {number} whole @returns {[from: number, length: number]} */
function span(starts, ends, least, whole) {
  const from = Math.min(...starts) - AROUND, to = Math.max(...ends) + AROUND;
  const length = Math.round(Math.min(whole, Math.max(least, to - from)));
  return [Math.round(Math.max(0, Math.min(whole - length, (from + to - length) / 2))), length];
}
