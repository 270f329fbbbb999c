/** @import {Desk, Detail} from "../types" */

/** Tells the server how far the open conversation was read; a hidden tab reads nothing. @param {Desk} desk @param {string} path @param {string} id */
export function createReading(desk, path, id) {
  let told = -1;
  /** @type {Detail | null} */
  let latest = null;

  function tell() {
    if (!latest || document.visibilityState !== "visible") return;
    const seq = Math.max(0, ...latest.messages.filter((one) => !one.sending).map((one) => one.seq));
    if (seq <= told) return;
    told = seq;
    desk.api.post(`${path}/read`, { seq }).then(() => desk.emit("seen", id), () => void (told = -1));
  }

  document.addEventListener("visibilitychange", tell);
  return {
    /** @param {Detail} detail */
    seen(detail) {
      if (!latest) told = detail.conversation.unread ? -1 : detail.conversation.agent_read_seq ?? -1;
      latest = detail;
      tell();
    },
    close: () => document.removeEventListener("visibilitychange", tell),
  };
}
