const SVG = "http://www.w3.org/2000/svg";

/** Dark on white in every theme, or cameras don't read it. @param {{ size: number, path: string }} code @param {string} label */
export function drawCode({ size, path }, label) {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", `0 0 ${size} ${size}`);
  svg.setAttribute("class", "qr");
  svg.setAttribute("role", "img");
  svg.setAttribute("aria-label", label);
  const modules = document.createElementNS(SVG, "path");
  modules.setAttribute("d", path);
  svg.append(modules);
  return svg;
}
