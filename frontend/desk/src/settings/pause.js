/** @import {Desk, Pause} from "../types" */
import { el } from "../../../widget/src/shared/dom.js";
import { setPause } from "../pause.js";
import { openDialog } from "../shared/dialog.js";

/** Pauses the assistant for all visitors, and lets it answer again. @param {Desk} desk @returns {{ element: HTMLElement, stop: () => void }} */
export function pauseSettings(desk) {
  const { t, api } = desk;
  const words = el("span");
  let isPaused = false;
  // One button for both, so that it keeps the focus.
  const toggle = el("button", { type: "button", class: "plain", hidden: true, click: () => (isPaused ? void setPause(desk, "resume") : ask()) }, words);

  /** @param {{ paused: Pause | null }} state */
  function show({ paused }) {
    isPaused = paused !== null;
    words.textContent = t(isPaused ? "resume_assistant" : "pause");
    toggle.hidden = false;
  }

  function ask() {
    const dialog = openDialog(t("pause_sure_title"), [el("p", { text: t("pause_sure") })],
      { action: t("pause"), submit: () => void setPause(desk, "pause", { dialog }) });
  }

  const stop = desk.on("pause", show);
  api.get("pause").then(show, desk.fail);
  return { element: el("section", { class: "card" }, el("header", {}, el("h2", { text: t("pause_title") }), toggle), el("p", { class: "hint", text: t("pause_means") })), stop };
}
