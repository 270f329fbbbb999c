/** @import {Rgb} from "./colour.js" */
import { readColour } from "./colour.js";

/** @type {Rgb} */
const DEFAULT = [43, 76, 126];

/**
 * The accent in force on `probe`: the page's CSS variable first, then each candidate, then our own.
 * @param {HTMLElement} probe
 * @param {...string} candidates
 * @returns {Rgb}
 */
export function resolveAccent(probe, ...candidates) {
  const variable = getComputedStyle(probe).getPropertyValue("--handrail-accent").trim();
  for (const value of [variable, ...candidates]) {
    const rgb = value ? readColour(probe, value) : null;
    if (rgb) return rgb;
  }
  return DEFAULT;
}
