/** @import {Options, Visitor} from "../types" */
import { resolveAccent } from "../shared/accent.js";
import { css, readableOn } from "../shared/colour.js";
import { el } from "../shared/dom.js";
import { icon } from "../shared/icon.js";
import { sheet } from "../shared/sheet.js";
import { launcherWords } from "./words.js";

/**
 * The round button. Its note is a live region, so a failed start is heard as well as seen.
 * @param {ShadowRoot} root
 * @param {Options} options
 * @param {Visitor} visitor
 * @param {() => void} toggle
 */
export function createLauncher(root, options, visitor, toggle) {
  const button = el("button", { type: "button", class: "launcher", "aria-expanded": "false", "aria-haspopup": "dialog" });
  const badge = el("span", { class: "badge", hidden: true });
  const note = el("p", { class: "note", role: "status", dir: "auto" });
  const colours = sheet("");
  root.adoptedStyleSheets.push(colours);
  button.append(icon("M21 12a8.5 8.5 0 0 1-12.6 7.4L3 21l1.7-5A8.5 8.5 0 1 1 21 12Z M8.5 12h.01 M12 12h.01 M15.5 12h.01"),
    icon("m6 9 6 6 6-6"), badge);
  button.addEventListener("click", toggle);
  if (options.launcher) root.append(button, note);

  const state = { open: false, busy: false, unread: 0, failed: false };
  return {
    button,
    /** @param {string} accent the configured one, once it is known */
    paint(accent) {
      const ground = resolveAccent(button, options.accent, accent);
      colours.replaceSync(`:host{--ground:${css(ground)};--ink:${css(readableOn(ground))}}`);
    },
    /** @param {Partial<typeof state>} change */
    show(change) {
      Object.assign(state, change);
      const { open, busy, unread, failed } = state;
      const words = launcherWords(options, visitor);
      const name = open ? words.close : options.label || words.open;
      button.setAttribute("aria-label", unread ? words.unread.replace("{name}", () => name).replace("{n}", String(unread)) : name);
      note.lang = words.spoken;
      button.lang = name === options.label ? document.documentElement.lang : words.spoken;
      button.setAttribute("aria-expanded", String(open));
      button.toggleAttribute("aria-busy", busy);
      badge.hidden = unread === 0;
      badge.textContent = String(unread);
      note.textContent = failed ? words.failed : "";
    },
  };
}
