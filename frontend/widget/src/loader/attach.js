/**
 * Keeps `host` on the page when a client-side router replaces the body or its children.
 * @param {HTMLElement} host
 * @param {() => void} onMoved
 * @returns {() => void} stops, and takes the host away
 */
export function keepAttached(host, onMoved) {
  /** @type {Element | null} */
  let watched = null;
  const observer = new MutationObserver(check);

  function check() {
    if (!document.body) return;
    if (watched !== document.body) {
      watched = document.body;
      observer.disconnect();
      observer.observe(document, { childList: true });
      observer.observe(document.documentElement, { childList: true });
      observer.observe(document.body, { childList: true });
    }
    if (host.parentNode === document.body) return;
    document.body.append(host);
    onMoved();
  }

  observer.observe(document.documentElement, { childList: true });
  check();
  return () => {
    observer.disconnect();
    host.remove();
  };
}
