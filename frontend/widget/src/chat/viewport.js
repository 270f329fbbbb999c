/**
 * Keeps a full-screen panel inside what an on-screen keyboard leaves of the screen.
 * While the visitor has zoomed in, the panel keeps its size: shrinking it would undo the zoom.
 * @param {HTMLElement} element
 * @param {AbortSignal} signal
 */
export function followViewport(element, signal) {
  const viewport = window.visualViewport;
  if (!viewport) return;
  function fit() {
    if (!viewport || viewport.scale > 1.01) return;
    element.style.setProperty("--visible", `${viewport.height}px`);
    element.style.setProperty("--above", `${viewport.offsetTop}px`);
  }
  viewport.addEventListener("resize", fit, { signal });
  viewport.addEventListener("scroll", fit, { signal });
}
