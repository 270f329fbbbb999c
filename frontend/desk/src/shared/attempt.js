/** @import {Desk} from "../types" */

/**
 * Does something, once however often it is pressed, and says that it is done or what went wrong. Where it is done, the
 * dialog closes; the server's own note counts for more than `done`, the key of what is said.
 * @param {Desk} desk
 * @param {() => Promise<any>} work
 * @param {{ done?: string, dialog?: HTMLDialogElement, then?: () => void }} [after]
 */
export async function attempt(desk, work, { done, dialog, then } = {}) {
  if (dialog?.ariaBusy === "true") return;
  dialog?.setAttribute("aria-busy", "true");
  try {
    const answer = await work();
    dialog?.close();
    const words = answer?.note || (done && desk.t(done));
    if (words) desk.say(words);
    then?.();
  } catch (error) {
    desk.fail(error);
  } finally {
    dialog?.removeAttribute("aria-busy");
  }
}
