/** @import {Desk} from "../types" */
import { el } from "../../../widget/src/shared/dom.js";
import { size } from "../format.js";
import { button } from "../shared/controls.js";

const AT_ONCE = 2;

/**
 * Where files are dropped or chosen. Each is sent by itself, with its progress and its own error.
 * @param {Desk} desk
 * @param {() => void} arrived
 */
export function dropZone(desk, arrived) {
  const { t, api } = desk;
  const field = el("input", { type: "file", multiple: true, hidden: true, change: () => { add([...(field.files ?? [])]); field.value = ""; } });
  const list = el("ul", { class: "rows uploads", "aria-live": "polite" });
  const zone = el("div", { class: "drop" }, el("p", { text: t("drop_here") }), button(t("choose_files"), () => field.click()), field);
  /** @type {{ file: File, row: HTMLElement }[]} */
  const queue = [];
  /** @type {Set<AbortController>} */
  const running = new Set();
  let most = Infinity;

  /** @param {File[]} files */
  function add(files) {
    for (const file of files) {
      const row = el("li", {}, el("div", {}, el("strong", { dir: "auto", text: file.name })));
      list.append(row);
      if (file.size > most) refuse(row, t("file_too_large", { most: size(most) }));
      else queue.push({ file, row });
    }
    next();
  }

  function next() {
    while (running.size < AT_ONCE && queue.length) void send(/** @type {{ file: File, row: HTMLElement }} */ (queue.shift()));
  }

  /** @param {{ file: File, row: HTMLElement }} one */
  async function send({ file, row }) {
    const stop = new AbortController();
    running.add(stop);
    const bar = el("progress", { max: 1, value: 0, "aria-label": t("sending_named", { name: file.name }) });
    const cancel = button(t("cancel"), () => stop.abort(), { "aria-label": t("cancel_named", { name: file.name }) });
    const state = el("span", { class: "hint", text: t("sending") });
    row.append(bar, state, cancel);
    try {
      await api.upload("uploads", { name: file.name }, file, stop.signal, (share) => {
        bar.value = share;
        if (share === 1) { bar.removeAttribute("value"); state.textContent = t("reading_file"); }
      });
      row.remove();
      desk.say(t("file_arrived", { name: file.name }));
      arrived();
    } catch (error) {
      bar.remove();
      state.remove();
      cancel.remove();
      if (stop.signal.aborted) row.remove();
      else if (/** @type {any} */ (error).status === 401) desk.fail(error);
      else refuse(row, /** @type {any} */ (error).message || t("unreachable"));
    } finally {
      running.delete(stop);
      next();
    }
  }

  /** @param {HTMLElement} row @param {string} why */
  function refuse(row, why) {
    row.append(el("p", { class: "error", text: why }), button(t("dismiss"), () => row.remove()));
  }

  for (const name of ["dragenter", "dragover"]) zone.addEventListener(name, (event) => { event.preventDefault(); zone.classList.add("over"); });
  for (const name of ["dragleave", "drop"]) zone.addEventListener(name, () => zone.classList.remove("over"));
  zone.addEventListener("drop", (event) => {
    event.preventDefault();
    add([.../** @type {DragEvent} */ (event).dataTransfer?.files ?? []]);
  });
  // A file that misses the zone would otherwise replace the desk.
  const keep = (/** @type {Event} */ event) => event.preventDefault();
  for (const name of ["dragover", "drop"]) addEventListener(name, keep);

  return {
    element: el("div", {}, zone, list),
    /** @param {number} bytes */
    bound: (bytes) => void (most = bytes),
    stop() {
      for (const name of ["dragover", "drop"]) removeEventListener(name, keep);
      queue.length = 0;
      for (const one of running) one.abort();
    },
  };
}
