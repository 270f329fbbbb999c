/**
 * Keeps the end of `element` in view when its size changes under a growing composer or an on-screen keyboard,
 * as long as the visitor had not scrolled away from it.
 * @param {HTMLElement} element
 * @param {AbortSignal} signal
 */
export function pinToEnd(element, signal) {
  let atEnd = true;
  element.addEventListener("scroll", () => {
    atEnd = element.scrollHeight - element.scrollTop - element.clientHeight < 8;
  }, { passive: true });
  const observer = new ResizeObserver(() => {
    if (atEnd) element.scrollTop = element.scrollHeight;
  });
  observer.observe(element);
  signal.addEventListener("abort", () => observer.disconnect());
}
