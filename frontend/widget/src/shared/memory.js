/** @param {string} widget */
const key = (widget) => `handrail:${widget}`;

/**
 * What this tab kept under the widget's name; null when there is nothing or storage is denied.
 * @param {string} widget
 * @returns {any}
 */
export function recall(widget) {
  try {
    return JSON.parse(sessionStorage.getItem(key(widget)) ?? "null");
  } catch {
    return null;
  }
}

/**
 * Keeps `value` for this tab; null forgets it. A denied or full storage changes nothing else.
 * @param {string} widget
 * @param {unknown} value
 */
export function remember(widget, value) {
  try {
    if (value === null) sessionStorage.removeItem(key(widget));
    else sessionStorage.setItem(key(widget), JSON.stringify(value));
  } catch {
    // Private windows and sandboxed frames deny storage; the conversation then lives in memory only.
  }
}
