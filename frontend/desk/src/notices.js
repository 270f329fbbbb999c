import { el } from "../../widget/src/shared/dom.js";
import { t } from "./strings.js";

const SHOWN_MS = 7000;
/** A connection that is back before this was never worth a word. */
const PATIENCE_MS = 800;

/** What the desk says by itself: a line about the connection, and notices that pass. */
export function createNotices() {
  const notice = el("p", { class: "notice", role: "status" });
  const banner = el("p", { class: "offline", role: "status" });
  let hide = 0;
  let late = 0;
  return {
    element: el("div", { class: "notices" }, banner, notice),
    /** @param {string} text @param {"" | "bad"} [kind] */
    say(text, kind = "") {
      clearTimeout(hide);
      notice.className = `notice ${kind}`;
      notice.textContent = text;
      hide = window.setTimeout(() => void (notice.textContent = ""), SHOWN_MS);
    },
    /** @param {boolean} connected */
    connection(connected) {
      clearTimeout(late);
      if (connected) banner.textContent = "";
      else late = window.setTimeout(() => void (banner.textContent = t("reconnecting")), PATIENCE_MS);
    },
  };
}
