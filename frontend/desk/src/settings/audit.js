/** @import {Desk} from "../types" */
import { el } from "../../../widget/src/shared/dom.js";
import { iso, stamp } from "../format.js";
import { button, select } from "../shared/controls.js";
import { nameOf } from "../people.js";
import { t, word } from "../strings.js";

/** What is done to a conversation, whose id is the target. */
const OF_CONVERSATION = ["take", "transfer", "hand_back", "resolve", "reopen"];
const SHORT_ID = 8;
const PAGE = 50;
const ACTIONS = ["sign_in", "sign_in_failed", "take", "transfer", "hand_back", "resolve", "add_user", "export_visitor", "delete_visitor", "retry_letters", "case_confirmed", "draft_approved", "answers_fell", "crossing", "change_user", "pause_assistant", "resume_assistant"];

/** @param {Desk} desk @param {any} entry @returns {(string | HTMLElement)[]} what it was done to, and how, in words */
function about(desk, { action, target, detail }) {
  const said = Object.entries(detail ?? {}).map(([name, value]) => detailOf(desk, name, String(value))).filter(Boolean).join(", ");
  const what = !target ? "" : OF_CONVERSATION.includes(action) ? el("a", { href: `#/queue/${encodeURIComponent(target)}`, title: target, text: t("audit_conversation") })
    : action.startsWith("case") ? t("audit_case_of", { id: target.slice(0, SHORT_ID) }) : action.startsWith("draft") ? t("audit_draft_of", { id: target.slice(0, SHORT_ID) }) : target;
  return [what, what && said ? " · " : "", said];
}

/** @param {Desk} desk @param {string} name @param {string} value */
function detailOf(desk, name, value) {
  switch (name) {
    case "generation":
      return "";
    case "to":
      return t("audit_to", { name: nameOf(desk, value) });
    case "resolve_cause":
      return t("audit_cause", { cause: word("cause", value) });
    case "role":
      return word("role", value);
    case "from":
      return t("audit_from", { place: value.slice(0, SHORT_ID) });
    default:
      return `${name.replaceAll("_", " ")}: ${value}`;
  }
}

/** Who did what at the desk, the newest first. @param {Desk} desk */
export function auditSettings(desk) {
  const { t, api, me } = desk;
  const body = el("tbody");
  const none = el("p", { class: "hint", hidden: true, text: t("audit_none") });
  const action = select(t("audit_action"), [["", t("any")], ...ACTIONS.map((one) => /** @type {[string, string]} */ ([one, word("audit", one)]))], "", () => void load());
  const more = button(t("show_more"), () => void load(last), { hidden: true });
  /** @type {number | null} */
  let last = null;

  /** @param {number | null} [before] */
  async function load(before = null) {
    try {
      const { items } = await api.get("audit", { limit: PAGE, action: action.field.value, before });
      const rows = items.map(row);
      if (before === null) body.replaceChildren(...rows);
      else body.append(...rows);
      last = items.at(-1)?.at ?? null;
      more.hidden = items.length < PAGE;
      none.hidden = body.childElementCount > 0;
    } catch (error) {
      desk.fail(error);
    }
  }

  /** @param {any} entry */
  const row = (entry) => el("tr", {}, el("td", {}, el("time", { datetime: iso(entry.at), text: stamp(entry.at) })), el("td", { dir: "auto", text: entry.user?.name || "–" }),
    el("td", { text: word("audit", entry.action) }), el("td", { dir: "auto" }, ...about(desk, entry)));

  void load();
  return el("section", { class: "card" }, el("header", {}, el("h2", { text: t("audit_title") })), el("p", { class: "hint", text: t(me.role === "admin" ? "audit_means" : "audit_means_crossing") }),
    ...(me.role === "admin" ? [el("div", { class: "range" }, action.element)] : []),
    el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": t("audit_title") }, el("table", {},
      el("thead", {}, el("tr", {}, ...["time", "who", "what", "about"].map((name) => el("th", { scope: "col", text: t(`audit_${name}`) })))), body)), none, more);
}
