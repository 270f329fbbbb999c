/** @import {Citation, Reply, Source} from "../types" */
import { ROUTINGS } from "./routings.js";
import { list, record, text, texts } from "./shape.js";

/**
 * A turn's result as the widget uses it. A routing we do not know is shown as plain text.
 * @param {unknown} raw
 * @returns {Reply}
 */
export function readReply(raw) {
  const reply = record(raw);
  const escalation = record(reply.escalation);
  const meta = record(reply.meta);
  const offer = escalation.offer;
  return {
    answer: text(reply.answer),
    routing: Object.hasOwn(ROUTINGS, reply.routing) ? reply.routing : "unknown",
    refusalReason: text(reply.refusal_reason),
    disclaimer: text(reply.disclaimer),
    notice: text(reply.notice),
    citations: list(reply.citations).flatMap(readCitation).slice(0, 20),
    sources: list(reply.sources).flatMap(readSource).slice(0, 10),
    pieces: list(reply.pieces),
    closest: list(reply.closest),
    suggestions: texts(reply.suggestions, 6),
    offer: offer === "link" || offer === "button" ? offer : "none",
    escalationReason: text(escalation.reason),
    conversationId: text(reply.conversation_id),
    turnId: text(reply.turn_id),
    tokensIn: Number(record(meta.tokens).input) || 0,
    tokensOut: Number(record(meta.tokens).output) || 0,
    costUsd: Number(meta.cost_usd) || 0,
  };
}

/** @param {unknown} raw @returns {Citation[]} */
function readCitation(raw) {
  const { index, title, url, excerpt, quote, quotes, places } = record(raw);
  if (!Number.isInteger(index)) return [];
  return [{ index, title: text(title, text(url, String(index))), url: text(url), excerpt: text(excerpt),
    quotes: texts(Array.isArray(quotes) && quotes.length ? quotes : [quote], 8), places: list(places) }];
}

/** @param {unknown} raw @returns {Source[]} */
function readSource(raw) {
  const { title, url } = record(raw);
  return text(url) ? [{ title: text(title, text(url)), url: text(url) }] : [];
}
