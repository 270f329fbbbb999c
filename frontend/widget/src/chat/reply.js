/** @import {Context, Entry, Reply} from "../types" */
import { el } from "../shared/dom.js";
import { icon } from "../shared/icon.js";
import { hostsOf } from "../markdown/href.js";
import { renderMarkdown } from "../markdown/render.js";
import { createActions } from "./actions.js";
import { createChips } from "./chips.js";
import { CHECK, CLOUD, HEART, QUESTION, SEARCH, SIGN, WARN } from "./icons.js";
import { createMessage } from "./message.js";
import { createOffer } from "./offer.js";
import { createPassages } from "./passages.js";
import { offerOf, ROUTINGS } from "./routings.js";
import { createSources } from "./sources.js";

/** @type {Partial<Record<Reply["routing"], string>>} */
const TAG_ICONS = {
  followup: QUESTION, cannot_answer: SEARCH, high_stakes: HEART, out_of_scope: SIGN, handed_off: CHECK, unavailable: CLOUD,
};

/**
 * One reply, put together from what its routing calls for.
 * @param {Context} context
 * @param {Entry & { kind: "reply" }} entry
 * @returns {HTMLElement}
 */
export function createReply(context, entry) {
  const { reply, at, takenBack } = entry;
  const { t, config, actions } = context;
  const look = ROUTINGS[reply.routing];
  const passages = look.passages ? createPassages(context, reply, look.passages) : null;
  const hosts = hostsFor(context, reply);
  const cite = passages?.cite ?? (() => null);
  const offer = createOffer(context, offerOf(reply), reply.escalationReason || reply.refusalReason || reply.routing);
  const topics = look.topics ? (reply.suggestions.length ? reply.suggestions : config.topics) : reply.suggestions;

  const body = el("div", { class: `body markdown${look.lead ? " lead" : ""}`, dir: "auto" }, renderMarkdown(reply.answer, { hosts, cite }));
  const bubble = el("div", { class: "bubble" },
    // Whoever asks for a person has not asked too much.
    look.tag && reply.escalationReason !== "visitor_request" && createTag(t(`tag_${reply.routing}`), TAG_ICONS[reply.routing] ?? WARN),
    !look.disclaimer && reply.disclaimer && createDisclaimer(reply.disclaimer),
    reply.notice && el("p", { class: "lang-note", dir: "auto", text: reply.notice }),
    body,
    takenBack && el("p", { class: "taken-back", text: t(reply.citations.length ? "replaced" : "withdrawn") }),
    look.lead && offer,
    createSources(reply, look, t),
    !look.lead && offer,
    passages?.element);
  if (look.passages || look.disclaimer) void context.pieces().then((found) => found?.lay(body, reply, { hosts, cite }));
  if (config.meter) void context.more().then((found) => bubble.append(found?.meter(reply) ?? ""));
  return createMessage(context, { by: look.team ? "team" : "assistant", at, routing: reply.routing },
    look.disclaimer ? createDisclaimer(reply.disclaimer || t("disclaimer")) : null,
    bubble,
    look.team ? null : createActions(context, entry),
    createChips(t(look.topics ? "topics" : look.links ? "follow_ups" : "suggestions"), topics, actions.ask));
}

/** @param {Context} context @param {Reply} reply @returns {Set<string>} where its links may go */
export function hostsFor({ config }, { routing, citations, sources }) {
  const cited = hostsOf([...citations, ...sources].map(({ url }) => url));
  return new Set(ROUTINGS[routing].disclaimer ? [] : [...cited, ...config.linkHosts.map((host) => host.toLowerCase())]);
}

/** @param {string} text */
function createDisclaimer(text) {
  return el("p", { class: "disclaimer", dir: "auto" }, icon(WARN), el("span", { text }));
}

/** @param {string} text @param {string} path */
function createTag(text, path) {
  return el("p", { class: "tag" }, icon(path), el("span", { text }));
}
