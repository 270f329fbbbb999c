/** @import {Desk, Draft} from "../types" */

/**
 * A reply as the assistant would write it, with its sources under it. It is only ever put where the agent writes.
 * @param {Desk} desk
 * @param {string} path
 * @returns {Promise<string>} empty when the help articles hold no answer
 */
export async function fetchDraft(desk, path) {
  const draft = /** @type {Draft} */ (await desk.api.post(`${path}/draft`));
  const text = (draft.text ?? "").trim();
  const sources = (draft.citations ?? []).map((one) => `[${one.index}] ${one.title}${one.url ? `: ${one.url}` : ""}`);
  return text && sources.length ? `${text}\n\n${desk.t("sources")}\n${[...new Set(sources)].join("\n")}` : text;
}
