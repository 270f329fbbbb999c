/** @import {Desk, Detail, Item, Similar} from "../types" */
import { el } from "../../../widget/src/shared/dom.js";
import { stamp } from "../format.js";
import { plain } from "../plain.js";
import { chip, reasonChip } from "../shared/controls.js";
import { word } from "../strings.js";
import { claims, passages, verdict } from "./evidence.js";

const SHOWN_VALUE = 300;

/** What is known beside the words: the visitor, why it is here, what the assistant found, and what was like it. @param {Desk} desk @param {string} path */
export function createSide(desk, path) {
  const { t, api } = desk;
  const visitor = el("div");
  const why = el("div");
  const similar = el("div", {}, el("p", { class: "hint", text: t("loading") }));
  let asked = false;
  let shown = "";

  async function loadSimilar() {
    try {
      const answer = await api.get(`${path}/similar`);
      const found = /** @type {Similar[]} */ (answer.items ?? answer);
      similar.replaceChildren(found.length ? el("ul", { class: "cards" }, ...found.map(card)) : el("p", { class: "hint", text: t("similar_none") }));
    } catch {
      similar.replaceChildren(el("p", { class: "hint", text: t("similar_failed") }));
    }
  }

  /** @param {Similar | Item} one */
  function card(one) {
    const cause = "resolve_cause" in one && one.resolve_cause ? word("cause", one.resolve_cause) : "state" in one ? word("state", one.state) : "";
    return el("li", {}, el("a", { href: `#/queue/${encodeURIComponent(one.id)}` },
      el("span", { class: "subject", dir: "auto", text: one.subject || t("no_subject") }),
      one.last_text && el("span", { class: "words", dir: "auto", text: plain(one.last_text) }),
      el("span", { class: "hint", text: [cause, one.updated_at ? stamp(one.updated_at) : ""].filter(Boolean).join(" · ") })));
  }

  /** @param {[string, string][]} rows */
  const facts = (rows) => el("dl", { class: "context" }, ...rows.filter(([, value]) => value).map(([name, value]) =>
    el("div", {}, el("dt", { text: name === "email" ? t("email") : name.replaceAll("_", " ") }), el("dd", { dir: "auto", text: value.slice(0, SHOWN_VALUE) }))));

  /** @param {Detail} detail */
  function show(detail) {
    if (!asked) { asked = true; void loadSimilar(); }
    const { conversation, turns, visitor: known } = detail;
    const state = JSON.stringify([known, turns, conversation.csat, conversation.csat_comment, conversation.reason, conversation.label, conversation.concern_turn_id]);
    if (state === shown) return;
    shown = state;
    const { signed = {}, ...said } = known.context ?? {};
    const rows = flatten(said);
    const proven = flatten(/** @type {Record<string, unknown>} */ (signed));
    const others = known.other_conversations ?? [];
    visitor.replaceChildren(
      ...(known.online === undefined ? [] : [el("p", { class: "chips" }, chip(t(known.online ? "visitor_here" : "visitor_gone"), known.online ? "good" : ""))]),
      ...(proven.length ? [el("h3", { text: t("visitor_signed") }), facts(proven)] : []),
      ...(proven.length && rows.length ? [el("h3", { text: t("visitor_said") })] : []),
      facts([...(known.email && known.email !== said.email ? [/** @type {[string, string]} */ (["email", known.email])] : []), ...rows]),
      ...(rows.length || proven.length || known.email ? [] : [el("p", { class: "hint", text: t("visitor_unknown") })]),
      ...(conversation.csat ? [el("p", { class: "rated" }, t("csat", { score: conversation.csat }), conversation.csat_comment && el("q", { dir: "auto", text: conversation.csat_comment }))] : []),
      ...(others.length ? [el("h3", { text: t("other_conversations", { n: others.length }) }), el("ul", { class: "cards" }, ...others.map(card))] : []));
    // It is here because of its gravest matter, whatever was said after that.
    const about = turns.find((turn) => turn.turn_id === conversation.concern_turn_id) ?? turns.find((turn) => turn.label === "high_stakes")
      ?? [...turns].reverse().find((turn) => turn.routing !== "handed_off");
    why.replaceChildren(
      el("p", { class: "chips" }, ...reasonChip(conversation), ...(conversation.label ? [chip(word("label", conversation.label), conversation.label === "high_stakes" ? "care" : "")] : [])),
      ...(about ? [verdict(about), claims(about.claims ?? []), passages(about.passages ?? [])].filter((one) => one !== null) : [el("p", { class: "hint", text: t("no_turns") })]));
  }

  return {
    element: el("aside", { class: "side", "aria-label": t("details"), tabindex: 0 },
      el("section", {}, el("h2", { text: t("why_here") }), why),
      el("section", {}, el("h2", { text: t("visitor") }), visitor),
      el("section", {}, el("h2", { text: t("similar") }), similar)),
    show,
  };
}

/** @param {Record<string, unknown>} context @param {string} [before] @returns {[string, string][]} nested values by their dotted names */
function flatten(context, before = "") {
  return Object.entries(context).flatMap(([name, value]) =>
    typeof value === "object" && value !== null && !Array.isArray(value)
      ? flatten(/** @type {Record<string, unknown>} */ (value), `${before}${name}.`)
      : [/** @type {[string, string]} */ ([before + name, value === null ? "" : Array.isArray(value) ? value.join(", ") : String(value)])]);
}
