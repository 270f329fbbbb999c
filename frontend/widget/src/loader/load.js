/** @import {Chat, MountArguments, Options, Visitor} from "../types" */

let attempts = 0;

/**
 * Fetches the chat and the widget's configuration side by side.
 * A configuration that does not come is no reason to stay shut: the chat then uses its own wording.
 * @param {Options} options
 * @param {Visitor} visitor
 * @returns {Promise<{ mountChat: (args: MountArguments) => Chat, rawConfig: unknown, words: MountArguments["words"] }>}
 */
export async function loadChat(options, visitor) {
  // Browsers remember a module that failed to load, so each attempt has an address of its own.
  const retry = attempts++ ? `&retry=${attempts}` : "";
  const [chat, rawConfig] = await Promise.all([
    import(new URL(`chat.js?v=${BUILD_ID}${retry}`, options.script).href),
    fetchConfig(options, visitor),
  ]);
  attempts = 0;
  return { mountChat: chat.mountChat, rawConfig, words: await chat.loadWords(rawConfig, options, visitor) };
}

/**
 * The configuration in the visitor's language, and who is at the desk now.
 * @param {Options} options
 * @param {Visitor} visitor
 * @returns {Promise<any>} null when it does not come
 */
export async function fetchConfig({ base, widget, lang }, { context }) {
  const spoken = context.lang || (lang === "auto" ? navigator.language : lang);
  try {
    const response = await fetch(`${base}config?widget=${encodeURIComponent(widget)}&lang=${encodeURIComponent(spoken)}`, {
      cache: "no-cache",
      credentials: "omit",
      signal: AbortSignal.timeout(5000),
    });
    return response.ok ? await response.json() : null;
  } catch {
    return null;
  }
}
