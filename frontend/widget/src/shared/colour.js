/** @typedef {[number, number, number]} Rgb */

/** @type {Rgb} */
export const WHITE = [255, 255, 255];
/** @type {Rgb} */
export const INK = [16, 20, 26];

/**
 * Any CSS colour as red, green and blue, or null where the browser cannot say.
 * @param {HTMLElement} probe an element in the document, whose own colour is put back
 * @param {string} value
 * @returns {Rgb | null}
 */
export function readColour(probe, value) {
  if (!CSS.supports("color", value)) return null;
  const before = probe.style.color;
  probe.style.color = value;
  const numbers = /^rgba?\((\d+)[, ]+(\d+)[, ]+(\d+)/.exec(getComputedStyle(probe).color);
  probe.style.color = before;
  return numbers ? [Number(numbers[1]), Number(numbers[2]), Number(numbers[3])] : null;
}

/** @param {Rgb} rgb @returns {number} WCAG relative luminance, 0 to 1 */
function luminance(rgb) {
  const [r, g, b] = rgb.map((byte) => {
    const part = byte / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * (r ?? 0) + 0.7152 * (g ?? 0) + 0.0722 * (b ?? 0);
}

/** @param {Rgb} a @param {Rgb} b @returns {number} WCAG contrast ratio, 1 to 21 */
export function contrast(a, b) {
  const [dark, light] = [luminance(a), luminance(b)].sort((x, y) => x - y);
  return ((light ?? 0) + 0.05) / ((dark ?? 0) + 0.05);
}

/** @param {Rgb} from @param {Rgb} to @param {number} share of `to`, 0 to 1 @returns {Rgb} */
export function mix(from, to, share) {
  const at = (/** @type {0 | 1 | 2} */ i) => Math.round(from[i] + (to[i] - from[i]) * share);
  return [at(0), at(1), at(2)];
}

/** @param {Rgb} ground @returns {Rgb} white where it reads well on `ground`, else near-black */
export function readableOn(ground) {
  return contrast(ground, WHITE) >= 4.5 || contrast(ground, WHITE) >= contrast(ground, INK) ? WHITE : INK;
}

/** @param {Rgb} rgb */
export const css = (rgb) => `rgb(${rgb.join(" ")})`;
