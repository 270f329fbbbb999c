/** @import {Context} from "../types" */
/** @import {Rgb} from "../shared/colour.js" */
import { resolveAccent } from "../shared/accent.js";
import { contrast, css, INK, mix, readableOn, WHITE } from "../shared/colour.js";
import { sheet } from "../shared/sheet.js";

/** The grounds that accent-coloured text stands on; the same values as in tokens.css. @type {Record<string, Rgb>} */
const SURFACES = { light: [244, 245, 247], dark: [34, 37, 44] };

/**
 * Keeps the panel in the page's scheme and in the operator's colour, and every use of that colour readable.
 * @param {Context} context
 * @param {HTMLElement} host
 * @param {HTMLElement} panel
 * @param {ShadowRoot} root
 */
export function applyTheme({ config, options, signal }, host, panel, root) {
  const prefersDark = matchMedia("(prefers-color-scheme: dark)");
  const colours = sheet("");
  root.adoptedStyleSheets = [...root.adoptedStyleSheets, colours];

  function paint() {
    const wanted = host.dataset.theme ?? options.theme;
    const scheme = wanted === "light" || wanted === "dark" ? wanted : prefersDark.matches ? "dark" : "light";
    const ground = /** @type {Rgb} */ (SURFACES[scheme]);
    const accent = resolveAccent(panel, options.accent, config.accent);
    const soft = mix(ground, accent, scheme === "dark" ? 0.22 : 0.08);
    host.setAttribute("data-scheme", scheme);
    colours.replaceSync(`:host{--accent:${css(accent)};--on-accent:${css(readableOn(accent))};`
      + `--accent-text:${css(legible(accent, [ground, soft]))};--accent-soft:${css(soft)}}`);
  }

  paint();
  prefersDark.addEventListener("change", paint, { signal });
  const observer = new MutationObserver(paint);
  observer.observe(host, { attributeFilter: ["data-theme"] });
  signal.addEventListener("abort", () => {
    observer.disconnect();
    root.adoptedStyleSheets = root.adoptedStyleSheets.filter((one) => one !== colours);
  });
}

/** @param {Rgb} colour @param {[Rgb, Rgb]} grounds @returns {Rgb} `colour`, moved away from both until text in it reads well */
function legible(colour, grounds) {
  const target = contrast(grounds[0], WHITE) > contrast(grounds[0], INK) ? WHITE : INK;
  for (let share = 0; share < 1; share += 0.05) {
    const candidate = mix(colour, target, share);
    if (grounds.every((ground) => contrast(candidate, ground) >= 4.8)) return candidate;
  }
  return target;
}
