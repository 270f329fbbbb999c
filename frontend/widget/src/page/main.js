/** @import {Context, Pages} from "../types" */
import english from "../lang/en.page.json";
import styles from "./page.css";
import { el } from "../shared/dom.js";
import { sheet } from "../shared/sheet.js";
import { wordsOver } from "../shared/words-over.js";
import { MARKED, paint } from "./paint.js";
import { readViews } from "./view.js";

/**
 * The pages that cited passages stand on, with the passages marked. A page is fetched when its source is opened, and drawn on a
 * canvas: a strict page forbids images of other hosts, and an image could not say who the visitor is.
 * @param {Context} context
 * @param {ShadowRoot | Document} root
 * @returns {Pages}
 */
export function createPages({ t: words, options, auth, signal }, root) {
  const t = wordsOver(words, english);
  root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet(styles)];

  /** @param {HTMLCanvasElement} canvas @param {import("./view.js").View} view @param {string} turnId */
  async function draw(canvas, view, turnId) {
    const response = await fetch(`${options.base}pages/${view.name}?turn_id=${turnId}`, { credentials: "omit", headers: await auth(), signal });
    if (!response.ok) throw new Error(response.statusText);
    const bitmap = await createImageBitmap(await response.blob());
    paint(canvas, bitmap, view);
    bitmap.close();
  }

  return {
    show(fold, { title, places }, turnId) {
      for (const view of readViews(places)) {
        const [, , width, height] = view.crop;
        const label = t("page_shows", { n: view.page, title });
        const canvas = el("canvas", { width, height, role: "img", "aria-label": label });
        const pane = el("div", { class: "pane" }, canvas);
        const zoom = el("button", { type: "button", class: "zoom", text: t("page_larger"), "aria-expanded": "false", click() {
          const large = pane.classList.toggle("large");
          // In the size in which small print is read; from then on it is scrolled, by keys as well.
          canvas.style.inlineSize = large ? `${Math.max(pane.clientWidth, width * 0.62)}px` : "";
          for (const [name, value] of Object.entries({ tabindex: "0", role: "group", "aria-label": label })) {
            if (large) pane.setAttribute(name, value);
            else pane.removeAttribute(name);
          }
          zoom.textContent = t(large ? "page_smaller" : "page_larger");
          zoom.setAttribute("aria-expanded", String(large));
        } });
        const figure = el("figure", { class: "page" }, pane, el("figcaption", {}, el("span", { text: t("page_n", { n: view.page }) }), zoom));
        fold.querySelector(".excerpt")?.after(figure);
        fold.addEventListener("toggle", () => {
          if (!fold.open || canvas.hasAttribute(MARKED)) return;
          figure.hidden = false;
          // What cannot be had leaves no gap, and is asked for again the next time.
          draw(canvas, view, turnId).then(() => canvas.setAttribute(MARKED, ""), () => { figure.hidden = true; });
        });
      }
    },
  };
}
