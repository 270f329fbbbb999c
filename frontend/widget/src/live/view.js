/**
 * Whether the visitor has the conversation before their eyes.
 * @param {HTMLElement} element
 * @param {AbortSignal} signal
 * @param {(seen: boolean) => void} changed
 */
export function watchView(element, signal, changed) {
  let there = false;
  const seen = () => there && document.visibilityState === "visible";
  const observer = new IntersectionObserver((changes) => {
    there = changes.at(-1)?.isIntersecting === true;
    changed(seen());
  });
  observer.observe(element);
  document.addEventListener("visibilitychange", () => changed(seen()), { signal });
  signal.addEventListener("abort", () => observer.disconnect());
  return seen;
}
