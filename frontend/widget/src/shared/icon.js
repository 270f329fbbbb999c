const SVG = "http://www.w3.org/2000/svg";

/**
 * A 24 by 24 stroked icon in the text's colour; decoration only, so hidden from assistive technology.
 * @param {string} path
 * @returns {SVGSVGElement}
 */
export function icon(path) {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("class", "icon");
  svg.setAttribute("aria-hidden", "true");
  svg.setAttribute("focusable", "false");
  const shape = document.createElementNS(SVG, "path");
  shape.setAttribute("d", path);
  svg.append(shape);
  return svg;
}
