/** @import {Rgb} from "./colour.js" */
import { readColour } from "./colour.js";

/** @type {Rgb} */
const DEFAULT = [43, 76, 126];

/**
 * The accent in force on `host`: the page's CSS variable first, then each candidate, then our own.
 * @param {Element} host
 * @param {...string} candidates
 * @returns {Rgb}
 */
export function resolveAccent(host, ...candidates) {
  const variable = getComputedStyle(host).getPropertyValue("--handrail-accent").trim();
  for (const value of [variable, ...candidates]) {
    const rgb = value ? readColour(host, value) : null;
    if (rgb) return rgb;
  }
  return DEFAULT;
}
