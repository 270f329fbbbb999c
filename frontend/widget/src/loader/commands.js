/** @import {HandrailCommand} from "../types" */

/**
 * Puts `handrail(name, ...)` on the page, and runs what the page queued before we arrived.
 * @param {Record<string, (...values: any[]) => unknown>} commands
 */
export function installCommands(commands) {
  const queued = window.handrail?.q ?? [];
  /** @type {HandrailCommand} */
  const handrail = (name, ...values) => {
    const run = Object.hasOwn(commands, name) ? commands[name] : undefined;
    if (run) return run(...values);
    return console.warn(`handrail: there is no command "${name}"`);
  };
  handrail.build = BUILD_ID;
  window.handrail = handrail;
  for (const call of queued) {
    const [name, ...values] = Array.from(call);
    handrail(String(name), ...values);
  }
}
