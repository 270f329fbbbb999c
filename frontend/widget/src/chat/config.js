/** @import {Config, Options, Visitor} from "../types" */
import { list, record, text, texts } from "./shape.js";

/**
 * The operator's configuration with every field present. An empty wording falls back to ours, so the
 * disclosure can be reworded but never removed.
 * @param {unknown} raw what GET /config returned, or null
 * @param {Options} options
 * @param {Visitor} visitor
 * @param {Record<string, string> | null} words
 * @returns {Config}
 */
export function readConfig(raw, options, visitor, words) {
  const config = record(raw);
  const brand = record(config.brand);
  const strings = Object.entries(record(config.strings)).filter(([, value]) => text(value));
  const chosen = options.lang === "auto" ? "" : options.lang;
  const pageLang = words?.lang ?? "en";
  // The operator's sentences are in one language; a visitor who speaks another reads ours in theirs.
  const theirs = text(config.lang, "en").split("-")[0] === pageLang;
  return {
    brandName: text(brand.name),
    assistant: text(brand.assistant),
    accent: text(brand.accent),
    lang: validLang(visitor.context.lang) || validLang(chosen) || (words && pageLang) || validLang(config.lang) || "en",
    pageLang,
    disclosure: theirs ? text(config.disclosure) : "",
    welcome: theirs ? text(config.welcome) : "",
    suggestions: texts(config.suggestions, 4),
    topics: texts(config.topics, 8),
    person: readPerson(raw),
    maxQuestion: Number(record(config.limits).max_question_chars) || 4000,
    linkHosts: texts(list(config.link_hosts), 50),
    strings: Object.fromEntries(strings),
    meter: config.meter === true,
    mail: config.transcript_mail === true,
  };
}

/** @param {unknown} raw a configuration @returns {Config["person"]} who is there */
export function readPerson(raw) {
  const person = record(record(raw).person);
  return { available: person.available !== false, expectation: text(person.expectation) };
}

/** @param {unknown} tag @returns {string} the language tag, or empty when the browser does not know it */
function validLang(tag) {
  try {
    return Intl.getCanonicalLocales(text(tag))[0] ?? "";
  } catch {
    return "";
  }
}
