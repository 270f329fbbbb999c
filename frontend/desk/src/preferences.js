/** @import {Preferences} from "./types" */
const DEFAULTS = { sound: false, shortcuts: true, away: false };

/** What this browser was told to do; with storage denied it is kept until the page is left. @returns {Preferences} */
export function createPreferences() {
  /** @type {Record<string, boolean>} */
  let kept = { ...DEFAULTS };
  try {
    kept = { ...kept, ...JSON.parse(localStorage.getItem("handrail:desk") ?? "{}") };
  } catch {
    // Storage is denied or holds something else: the defaults stand.
  }
  return {
    get: (name) => kept[name] === true,
    set(name, value) {
      kept[name] = value;
      try {
        localStorage.setItem("handrail:desk", JSON.stringify(kept));
      } catch {
        // Kept in memory only.
      }
    },
  };
}
