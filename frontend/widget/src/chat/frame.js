/** @import {Context} from "../types" */
import { el } from "../shared/dom.js";
import { followViewport } from "./viewport.js";

const PHONE = "(max-width: 639.98px)";

/**
 * The panel itself. Floating: a dialog, modal and full-screen on phones and non-modal elsewhere. Inline: a section.
 * @param {Context} context
 * @param {{ inline: boolean, titleId: string, close: () => void }} about
 * @param {...Node} children
 */
export function createFrame({ signal }, { inline, titleId, close }, ...children) {
  if (inline) {
    const element = el("section", { class: "panel inline", "aria-labelledby": titleId }, ...children);
    return { element, show() {}, hide() {}, expand() {}, renew() {} };
  }
  const phone = matchMedia(PHONE);
  const dialog = el("dialog", { class: "panel floating", "aria-labelledby": titleId,
    cancel: (/** @type {Event} */ event) => { event.preventDefault(); close(); } }, ...children);
  let overflow = "";

  function show() {
    if (dialog.open) return;
    dialog.classList.toggle("modal", phone.matches);
    // Not show(): that would take the focus even when the page, not the visitor, opens the chat.
    if (!phone.matches) return dialog.setAttribute("open", "");
    dialog.showModal();
    overflow = document.documentElement.style.overflow;
    document.documentElement.style.overflow = "hidden";
  }

  function hide() {
    if (!dialog.open) return;
    if (dialog.classList.contains("modal")) document.documentElement.style.overflow = overflow;
    dialog.close();
  }

  /** A window that changed its size, or an element that was moved, may need the other kind of dialog. */
  function renew() {
    if (!dialog.open) return;
    hide();
    show();
  }

  phone.addEventListener("change", renew, { signal });
  signal.addEventListener("abort", hide);
  followViewport(dialog, signal);
  return { element: dialog, show, hide, renew, expand: (/** @type {boolean} */ wide) => void dialog.classList.toggle("wide", wide) };
}
