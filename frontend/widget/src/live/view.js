/**
 * Whether the visitor has the conversation before their eyes.
 * @param {HTMLElement} element
 * @param {AbortSignal} signal
 * @param {() => void} came
 */
export function watchView(element, signal, came) {
  let there = false;
  const seen = () => there && document.visibilityState === "visible";
  const observer = new IntersectionObserver((changes) => {
    there = changes.at(-1)?.isIntersecting === true;
    if (seen()) came();
  });
  observer.observe(element);
  document.addEventListener("visibilitychange", () => { if (seen()) came(); }, { signal });
  signal.addEventListener("abort", () => observer.disconnect());
  return seen;
}
