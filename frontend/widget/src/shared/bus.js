/** @import {Bus} from "../types" */

/**
 * Named events for the host page. A listener that throws is reported and never stops the chat.
 * @returns {Bus}
 */
export function createBus() {
  /** @type {Map<string, Set<(detail: unknown) => void>>} */
  const listeners = new Map();
  return {
    on(name, listener) {
      const set = listeners.get(name) ?? new Set();
      listeners.set(name, set.add(listener));
      return () => void set.delete(listener);
    },
    emit(name, detail) {
      for (const listener of [...(listeners.get(name) ?? [])]) {
        try {
          listener(detail);
        } catch (error) {
          console.error("handrail:", error);
        }
      }
    },
  };
}
