/** @import {Claim, Passage, Turn} from "../types" */
import { hostsOf, safeHref } from "../../../widget/src/markdown/href.js";
import { el } from "../../../widget/src/shared/dom.js";
import { score } from "../format.js";
import { plain } from "../plain.js";
import { chip } from "../shared/controls.js";
import { t, word } from "../strings.js";

/**
 * What the assistant saw before it wrote: class, verdict, passages with their scores, claims with their labels.
 * @param {Turn} turn
 * @param {Node} mark what marks it as wrong
 */
export function evidence(turn, mark) {
  return el("details", { class: "evidence" },
    el("summary", {}, el("span", { text: t("what_it_saw") }), chip(word("routing", turn.routing), `routing-${turn.routing}`)),
    verdict(turn), claims(turn.claims ?? []), passages(turn.passages ?? []),
    turn.traced && el("p", {}, el("a", { href: `#/trace/${encodeURIComponent(turn.turn_id)}`, text: t("trace_link") })), mark);
}

/** @param {Turn} turn */
export function verdict(turn) {
  /** @type {[string, string][]} */
  const rows = [
    [t("question"), turn.question], [t("class"), word("label", turn.label)], [t("routing"), word("routing", turn.routing)],
    [t("refused_because"), word("reason", turn.refusal_reason)], [t("confidence"), turn.confidence === null || turn.confidence === undefined ? "" : score(turn.confidence)],
  ];
  return el("dl", { class: "verdict" }, ...rows.filter(([, value]) => value).map(([name, value]) =>
    el("div", {}, el("dt", { text: name }), el("dd", { dir: "auto", text: value }))));
}

/** @param {Passage[]} found */
export function passages(found) {
  if (!found.length) return el("p", { class: "hint", text: t("no_passages") });
  return el("section", {}, el("h3", { text: t("passages") }), el("ol", { class: "passages" }, ...found.map((passage) => {
    const href = passage.url ? safeHref(passage.url, new Set(hostsOf([passage.url]))) : null;
    const meter = el("meter", { min: 0, max: 1, "aria-label": t("gate_score"), value: typeof passage.score === "number" ? Math.max(0, Math.min(1, passage.score)) : 0 });
    return el("li", {},
      el("p", { class: "passage-title" }, href ? el("a", { href, target: "_blank", rel: "noopener noreferrer", text: passage.title }) : el("strong", { text: passage.title }),
        el("span", { class: "gate", title: t("gate_score") }, meter, score(passage.score))),
      el("p", { class: "excerpt", dir: "auto", text: plain(passage.excerpt) }));
  })));
}

/** @param {Claim[]} made */
export function claims(made) {
  if (!made.length) return null;
  return el("section", {}, el("h3", { text: t("claims") }), el("ul", { class: "claims" }, ...made.map((claim) => el("li", {},
    chip(word("support", claim.support), `support-${claim.support}`), el("span", { dir: "auto", text: plain(claim.text) }),
    typeof claim.score === "number" && el("span", { class: "hint", text: score(claim.score) })))));
}
