/** @import {Item} from "../types" */
import { el } from "../../../widget/src/shared/dom.js";

const OVERSCAN = 6;

/**
 * A list that holds only the rows in view: a thousand conversations cost as much as twenty.
 * @param {string} label
 * @param {{ create(item: Item): { element: HTMLLIElement, update(item: Item): void, tick(): void }, near(last: number): void }} source
 *   `near` is told the last row in view, so that more can be fetched in time
 */
export function createList(label, source) {
  const track = el("ul", { "aria-label": label });
  const element = el("div", { class: "list", scroll: draw }, track);
  /** @type {Map<string, ReturnType<typeof source.create>>} */
  const rows = new Map();
  /** @type {Item[]} */
  let items = [];
  let height = 0;
  let asked = 0;

  function measure() {
    const probe = el("li", { class: "row probe", "aria-hidden": "true" });
    track.append(probe);
    height = probe.offsetHeight || 92;
    probe.remove();
  }

  function draw() {
    if (!asked) asked = requestAnimationFrame(paint);
  }

  function paint() {
    asked = 0;
    if (!element.isConnected || !element.clientHeight) return;
    measure();
    track.style.height = `${items.length * height}px`;
    const first = Math.max(0, Math.floor(element.scrollTop / height) - OVERSCAN);
    const last = Math.min(items.length, Math.ceil((element.scrollTop + element.clientHeight) / height) + OVERSCAN);
    const wanted = new Set();
    for (let i = first; i < last; i += 1) place(/** @type {Item} */ (items[i]), i, wanted);
    for (const [id, row] of rows) {
      if (wanted.has(id)) continue;
      const at = row.element.contains(document.activeElement) ? items.findIndex((item) => item.id === id) : -1;
      if (at >= 0) place(/** @type {Item} */ (items[at]), at, wanted);
      else { row.element.remove(); rows.delete(id); }
    }
    source.near(last);
  }

  /** @param {Item} item @param {number} i @param {Set<string>} wanted */
  function place(item, i, wanted) {
    let row = rows.get(item.id);
    if (!row) rows.set(item.id, (row = source.create(item)));
    else row.update(item);
    wanted.add(item.id);
    row.element.style.transform = `translateY(${i * height}px)`;
    row.element.setAttribute("aria-setsize", String(items.length));
    row.element.setAttribute("aria-posinset", String(i + 1));
    if (!row.element.isConnected) insert(row.element, i);
  }

  /** Keeps the document's order that of the list, so that Tab goes from row to row. @param {HTMLElement} element @param {number} i */
  function insert(element, i) {
    const after = [...track.children].find((one) => Number(one.getAttribute("aria-posinset")) > i + 1);
    track.insertBefore(element, after ?? null);
  }

  new ResizeObserver(draw).observe(element);
  return {
    element,
    /** @param {Item[]} shown */
    show(shown) {
      items = shown;
      draw();
    },
    tick: () => rows.forEach((row) => row.tick()),
    top: () => void (element.scrollTop = 0),
    /** @param {number} i */
    reveal(i) {
      const top = i * height;
      if (top < element.scrollTop) element.scrollTop = top;
      else if (top + height > element.scrollTop + element.clientHeight) element.scrollTop = top + height - element.clientHeight;
      paint();
      const item = items[i];
      rows.get(item?.id ?? "")?.element.querySelector("a")?.focus({ preventScroll: true });
    },
  };
}
