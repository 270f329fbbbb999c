/** @import {Context, Reply, Translate} from "../types" */
import { el } from "../shared/dom.js";

/** @param {Context} context @param {Translate} t @param {Reply} reply what the answer took, for operators who ask to see it */
export function createMeter({ config }, t, { tokensIn, tokensOut, costUsd }) {
  if (!(tokensIn + tokensOut)) return null;
  const cost = new Intl.NumberFormat(config.lang, { style: "currency", currency: "USD", maximumFractionDigits: 4 }).format(costUsd);
  return el("p", { class: "meter", text: t("meter", { input: tokensIn, output: tokensOut, cost }) });
}
