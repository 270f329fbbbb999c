/** @import {Canned, Desk, Detail} from "../types" */
import { el } from "../../../widget/src/shared/dom.js";
import { input } from "../shared/controls.js";
import { openDialog } from "../shared/dialog.js";

/**
 * The text with its variables filled in; a name nobody knows is left for the agent to see.
 * @param {string} text
 * @param {Desk} desk
 * @param {Detail} detail
 */
export function fill(text, desk, detail) {
  const context = detail.visitor.context ?? {};
  const user = /** @type {Record<string, unknown>} */ (context.user ?? {});
  const signed = /** @type {Record<string, unknown>} */ (context.signed ?? {});
  const name = signed.name ?? context.name ?? user.name;
  /** @type {Record<string, string>} */
  const values = {
    visitor_name: typeof name === "string" && name ? name : desk.t("visitor_fallback"), agent_name: desk.me.name,
    reference: detail.conversation.reference ?? "", brand: desk.brand,
  };
  return text.replace(/\{(\w+)\}/g, (whole, key) => values[key] || whole);
}

/**
 * A dialog to find a canned reply in; the chosen one goes to where the agent writes, never to the visitor.
 * @param {Desk} desk
 * @param {Detail} detail
 * @param {(text: string) => void} insert
 */
export async function pickCanned(desk, detail, insert) {
  const { t, api } = desk;
  /** @type {Canned[]} */
  let replies;
  try {
    const answer = await api.get("canned");
    replies = answer.items ?? answer;
  } catch (error) {
    return desk.fail(error);
  }
  const search = input(t("canned_search"), { type: "search", autocomplete: "off", input: show });
  const list = el("ul", { class: "picks" });

  function show() {
    const words = search.field.value.trim().toLowerCase();
    const found = replies.filter((reply) => `${reply.title} ${reply.text}`.toLowerCase().includes(words));
    list.replaceChildren(...found.map((reply) => el("li", {}, el("button", {
      type: "button", class: "pick", click: () => { dialog.close(); insert(fill(reply.text, desk, detail)); },
    }, el("strong", { text: reply.title }), el("span", { dir: "auto", text: fill(reply.text, desk, detail) })))));
    if (!found.length) list.replaceChildren(el("li", { class: "hint", text: t(replies.length ? "canned_none_found" : "canned_none") }));
  }

  const dialog = openDialog(t("canned_title"), [search.element, list], {
    wide: true, submit: () => /** @type {HTMLElement | null} */ (list.querySelector("button"))?.click(),
  });
  show();
  search.field.focus();
}
