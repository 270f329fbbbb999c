/** @import {Desk, Pause} from "./types" */
import { el } from "../../widget/src/shared/dom.js";
import { stamp } from "./format.js";
import { attempt } from "./shared/attempt.js";
import { button } from "./shared/controls.js";

const LOOK_MS = 60_000;

/** Whether this user may pause the assistant and let it answer again. @param {Desk} desk */
export const mayPause = ({ me }) => me.role !== "agent";

/** @param {Desk} desk @param {"pause" | "resume"} what @param {{ dialog?: HTMLDialogElement, then?: () => void }} [after] */
export const setPause = (desk, what, after) =>
  attempt(desk, async () => desk.emit("pause", await desk.api.post(what)), { done: `${what}_done`, ...after });

/**
 * A line below the bar while the assistant is paused. Everybody hears of `pause`; a pause made on the server is seen when it is
 * looked for.
 * @param {Desk} desk
 */
export function watchPause(desk) {
  const { t } = desk;
  const banner = el("div", { class: "paused", role: "status" });
  let shown = "";

  /** @param {{ paused: Pause | null }} state */
  function show({ paused }) {
    const text = !paused ? "" : t(paused.by ? "paused_since_by" : "paused_since", { time: stamp(paused.since), name: paused.by });
    if (text === shown) return;
    shown = text;
    banner.replaceChildren(...(text ? [el("span", { dir: "auto", text })] : []),
      ...(text && mayPause(desk) ? [" ", button(t("resume"), () => void setPause(desk, "resume", { then: () => document.getElementById("main")?.focus() }))] : []));
  }

  // What can't be loaded is told elsewhere.
  const look = () => void desk.api.get("pause").then((state) => desk.emit("pause", state), () => {});
  const timer = setInterval(look, LOOK_MS);
  const stops = [desk.on("pause", show), desk.on("reconnected", look)];
  look();
  return { element: banner, stop: () => { clearInterval(timer); for (const stop of stops) stop(); } };
}
