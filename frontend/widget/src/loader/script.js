/** @import {Options} from "../types" */

/** @returns {HTMLScriptElement | null} the tag that is running, or the first that names a widget */
export function findScript() {
  const running = document.currentScript;
  return running instanceof HTMLScriptElement ? running : document.querySelector("script[src][data-widget]");
}

/**
 * @param {HTMLScriptElement} script served at <base>/widget/v1/widget.js
 * @returns {Options}
 */
export function readOptions(script) {
  const { widget, lang, theme, accent, label, launcher } = script.dataset;
  return {
    base: new URL("../../", script.src).href,
    script: script.src,
    widget: widget || "default",
    lang: lang || "auto",
    theme: theme || "auto",
    accent: accent || "",
    label: label || "",
    launcher: launcher !== "none",
  };
}
