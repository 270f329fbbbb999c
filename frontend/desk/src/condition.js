/** @import {Desk} from "./types" */
import { el } from "../../widget/src/shared/dom.js";
import { stamp } from "./format.js";

const LOOK_MS = 60_000;

/**
 * A line below the bar while the assistant works without a part of what it was set up with.
 * @param {Desk} desk
 */
export function watchCondition(desk) {
  const banner = el("p", { class: "limited", role: "status" });

  async function look() {
    // Not ready at all is an error here: the agents' own pages say what they can't load.
    const found = await desk.api.get("../../ready").catch(() => null);
    const degraded = /** @type {{part: string, reason: string, since: string}[]} */ (found?.degraded ?? []);
    const [first] = degraded;
    const text = !first ? "" : desk.t("limited", { time: stamp(Date.parse(first.since) / 1000), reasons: degraded.map((one) => `${one.part}: ${one.reason}`).join("; ") });
    if (banner.textContent !== text) banner.textContent = text;
  }

  void look();
  const timer = setInterval(look, LOOK_MS);
  const stop = desk.on("reconnected", () => void look());
  return { element: banner, stop: () => (clearInterval(timer), stop()) };
}
