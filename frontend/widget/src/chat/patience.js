/** @import {Result} from "../types" */

// A server that asks for more time than this is away, and the visitor is told so at once.
const PATIENCE_MS = 25_000;

/**
 * Waits as a server says that is still starting or has too much to do, for so long in all.
 * @param {AbortSignal} signal ends a wait at once
 * @param {() => void} waiting said before each wait
 * @returns {(result: Result<unknown>) => Promise<boolean>} whether to ask again
 */
export function createPatience(signal, waiting) {
  let left = PATIENCE_MS;
  return async (result) => {
    const wait = (!result.ok && result.kind === "failed" && result.wait) || 0;
    left -= wait;
    if (!wait || left < 0 || signal.aborted) return false;
    waiting();
    await pause(wait, signal);
    return !signal.aborted;
  };
}

/** @param {number} ms @param {AbortSignal} signal @returns {Promise<void>} sooner when the browser is online again */
export function pause(ms, signal) {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => { clearTimeout(timer); resolve(); }, { once: true });
    addEventListener("online", () => resolve(), { once: true, signal });
  });
}
