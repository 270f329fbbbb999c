/** @import {Options, Translate, Visitor} from "../types" */
import en from "../lang/en.json";
import { record, text } from "./shape.js";

const SPOKEN = ["ar", "de", "en", "es", "fr", "pt", "ru"];

/**
 * The widget's wording: English, the visitor's language over it, and the operator's own over that.
 * A key that nobody worded shows itself.
 * @param {...Record<string, string>} layers
 * @returns {Translate}
 */
export function createTranslate(...layers) {
  /** @type {Record<string, string>} */
  const table = Object.assign({}, en, ...layers);
  return (key, values = {}) =>
    (table[key] ?? key).replace(/\{(\w+)\}/g, (whole, name) => String(values[name] ?? whole));
}

/**
 * The language the chat speaks: what the page asked for, else the browser's, else the operator's.
 * @param {unknown} rawConfig
 * @param {Options} options
 * @param {Visitor} visitor
 */
export function pageLanguage(rawConfig, options, visitor) {
  const asked = [visitor.context.lang, options.lang === "auto" ? "" : options.lang, ...(options.lang === "auto" ? navigator.languages : []), record(rawConfig).lang];
  return asked.map((tag) => text(tag).toLowerCase().replace(/-.*/, "")).find((tag) => SPOKEN.includes(tag)) ?? "en";
}

/**
 * @param {unknown} rawConfig
 * @param {Options} options
 * @param {Visitor} visitor
 * @returns {Promise<Record<string, string> | null>} null for English, and where they could not be fetched
 */
export async function loadWords(rawConfig, options, visitor) {
  const lang = pageLanguage(rawConfig, options, visitor);
  if (lang === "en") return null;
  try {
    const response = await fetch(new URL(`lang/${lang}.json?v=${BUILD_ID}`, options.script), { credentials: "omit", signal: AbortSignal.timeout(5000) });
    return response.ok ? { ...record(await response.json()), lang } : null;
  } catch {
    return null;
  }
}
