/** @import {Offer, Reply} from "../types" */

/**
 * How each routing looks.
 * - `tag`: a word above the message saying what kind of reply this is.
 * - `links`: how many source links stand under it; `label` words them as something other than sources.
 * - `passages`: the cited passages as an accordion; "plain" without links to their articles.
 * - `offer`: the least offer of a person; the server may ask for more, never for less.
 * - `team`: said on behalf of the people, not by the AI.
 * @typedef {{
 *   tag?: boolean, disclaimer?: boolean, lead?: boolean, links?: number, label?: string,
 *   passages?: "full" | "plain", offer?: Offer, topics?: boolean, team?: boolean,
 * }} Look
 * @type {Record<Reply["routing"], Look>}
 */
export const ROUTINGS = {
  answered: { links: 2, passages: "full" },
  partially_answered: { links: 1, label: "related_article", passages: "plain", offer: "link" },
  low_confidence: { disclaimer: true },
  followup: { tag: true },
  cannot_answer: { tag: true, offer: "button" },
  high_stakes: { tag: true, lead: true, passages: "full", offer: "button" },
  out_of_scope: { tag: true, offer: "button" },
  irrelevant: { topics: true },
  nonsense: { topics: true },
  handed_off: { tag: true, team: true },
  unavailable: { tag: true, offer: "button" },
  unknown: {},
};

/** @param {Reply} reply @returns {Offer} the greater of the routing's own offer and the server's */
export function offerOf({ routing, offer }) {
  /** @type {Offer[]} */
  const order = ["none", "link", "button"];
  if (routing === "handed_off") return "none";
  const least = ROUTINGS[routing].offer ?? "none";
  return order.indexOf(offer) > order.indexOf(least) ? offer : least;
}
