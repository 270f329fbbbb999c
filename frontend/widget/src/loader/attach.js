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
    // Routers keep copies of a page to go back to; a copy of the widget is an empty element.
    for (const copy of document.querySelectorAll(host.localName)) if (copy !== host) copy.remove();
    if (host.parentNode?.contains(document.body)) return;
    document.body.append(host);
    // In a body with a transform, "fixed" is not fixed to the window.
    if (host.offsetParent) document.documentElement.append(host);
    onMoved();
  }

  observer.observe(document.documentElement, { childList: true });
  check();
  return () => {
    observer.disconnect();
    host.remove();
  };
}
