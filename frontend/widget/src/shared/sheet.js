/**
 * A constructable stylesheet: it needs no style element, so a page without `unsafe-inline` takes it.
 * @param {string} css
 * @returns {CSSStyleSheet}
 */
export function sheet(css) {
  const made = new CSSStyleSheet();
  made.replaceSync(css);
  return made;
}
