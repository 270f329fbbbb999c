/** @import {Found, Sense, Stage} from "../types" */
import { hostsOf, safeHref } from "../../../widget/src/markdown/href.js";
import { el } from "../../../widget/src/shared/dom.js";
import { score } from "../format.js";
import { plain } from "../plain.js";
import { chip } from "../shared/controls.js";
import { t, word } from "../strings.js";
import { facts, said, shown } from "./values.js";

const ELSEWHERE = new Set(["requests", "gates", "acts"]);

/** @param {Stage[]} all @returns {HTMLLIElement[]} */
export const stages = (all) => all.map((stage) => el("li", { class: "card" },
  el("header", {}, el("h2", { text: word("stage", stage.name) }), time(stage)), ...content(stage)));

/** @param {Stage} stage @returns {(Node | string | null | undefined | false)[]} */
function content(stage) {
  const requests = /** @type {any[] | undefined} */ (stage.values.requests);
  const rest = Object.fromEntries(Object.entries(stage.values).filter(([name, value]) => !ELSEWHERE.has(name) && value !== null).map(([name, value]) => [word("value", name), value]));
  return [
    stage.error && el("p", { class: "problem", text: stage.error }),
    part("trace_input", stage.input), !requests && part("trace_output", stage.output),
    requests && stage.name === "understand" && el("ol", { class: "numbered" }, ...requests.map(understood)),
    requests && stage.name === "retrieve" && el("ol", { class: "numbered" }, ...requests.map((one) => found(one, /** @type {any} */ (stage.values.gates)))),
    Object.keys(rest).length > 0 && shown(rest),
    ...stage.stages.map(inner),
  ];
}

/** @param {Stage} stage what was asked of a model within a stage @returns {HTMLElement} */
function inner(stage) {
  const about = [stage.model, stage.prompt && `${stage.prompt.name} ${stage.prompt.origin} ${stage.prompt.version}`].filter(Boolean).join(" · ");
  return el("details", {}, el("summary", {}, `${word("stage", stage.name)} `, about && el("span", { class: "hint", text: about })),
    time(stage), stage.tokens && shown({ [t("trace_tokens")]: Object.entries(stage.tokens).map(([kind, count]) => `${kind} ${count}`).join(", ") }),
    ...content(stage));
}

/** @param {Stage} stage */
const time = (stage) => el("span", { class: "hint", text: stage.ms === null ? t("trace_unfinished") : t("trace_ms", { n: Math.round(stage.ms) }) });

/** @param {string} title @param {unknown} value */
const part = (title, value) => value !== null && value !== undefined && el("section", {}, el("h3", { text: t(title) }), shown(value));

/** @param {{ text: string, senses: Sense[] }} request */
const understood = (request) => el("li", {}, el("p", { class: "words", dir: "auto", text: request.text }),
  ...request.senses.map((sense) => el("div", { class: "sense" },
    el("p", { class: "chips" }, chip(word("label", sense.label)), meter(t("trace_probability"), sense.probability), el("span", { class: "hint", text: t("trace_decided", { by: word("trace_by", sense.by) }) })),
    sense.text !== request.text && facts([[t("trace_as"), sense.text], [t("trace_prior"), score(sense.prior)]]),
    el("p", { class: "hint", text: Object.entries(sense.probabilities).map(([label, value]) => `${word("label", label)} ${score(value)}`).join(", ") }))));

/** @param {Found} request @param {{ answered: number, closest: number }} gates */
const found = (request, gates) => el("li", {},
  facts([[t("trace_request"), request.text], [t("trace_query"), request.query], [t("class"), word("label", request.label)],
    [t("trace_band"), `${word("band", request.band)} (${score(request.probability)})`],
    [t("trace_gates"), t("trace_gates_of", { answered: score(gates.answered), closest: score(gates.closest) })],
    [t("trace_unlisted"), request.unlisted.join(", ")]]),
  request.sections.length > 0 && el("section", {}, el("h3", { text: t("trace_sections") }),
    el("ol", { class: "passages" }, ...request.sections.map((one) => el("li", {}, scored(one, one.probability), signals(one.signals))))),
  request.passages.length > 0 && el("details", {}, el("summary", { text: t("passages") }),
    el("ol", { class: "passages" }, ...request.passages.map((one) => el("li", {}, scored(one, one.final), el("p", { class: "excerpt", dir: "auto", text: plain(one.excerpt) }),
      signals({ dense: one.dense, keyword: one.keyword, fused: one.fused, late: one.late }))))));

/** @param {{ title: string, url: string }} one @param {number} value */
function scored({ title, url }, value) {
  const href = url ? safeHref(url, new Set(hostsOf([url]))) : null;
  return el("p", { class: "passage-title" }, href ? el("a", { href, target: "_blank", rel: "noopener noreferrer", text: title }) : el("strong", { text: title }), meter(t("trace_probability"), value));
}

/** @param {string} label @param {number} value */
const meter = (label, value) => el("span", { class: "gate" }, el("meter", { min: 0, max: 1, "aria-label": label, value: Math.max(0, Math.min(1, value)) }), score(value));

/** @param {Record<string, number | null>} given */
const signals = (given) => el("p", { class: "hint", text: Object.entries(given).filter(([, value]) => value !== null).map(([name, value]) => `${name.replaceAll("_", " ")} ${said(value)}`).join(", ") });
