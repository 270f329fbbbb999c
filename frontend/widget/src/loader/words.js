/** @import {Options, Visitor} from "../types" */
import said from "./words.json";

const known = /** @type {Record<string, string[]>} */ (said);

/**
 * The launcher's own words, fetched by nothing: in the language that the chat will speak, as far as it is known before
 * the chat is loaded. The page's own stands where the chat asks for the operator's.
 * @param {Options} options
 * @param {Visitor} visitor
 */
export function launcherWords({ lang }, { context }) {
  const asked = [context.lang, ...(lang === "auto" ? navigator.languages : [lang]), document.documentElement.lang];
  const spoken = asked.map((tag) => String(tag).toLowerCase().replace(/-.*/, "")).find((tag) => Object.hasOwn(known, tag)) ?? "en";
  const [open = "", close = "", unread = "", failed = ""] = known[spoken] ?? [];
  return { spoken, open, close, unread, failed };
}
