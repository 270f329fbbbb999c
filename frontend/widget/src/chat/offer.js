/** @import {Context, Offer} from "../types" */
import { el } from "../shared/dom.js";
import { icon } from "../shared/icon.js";
import { PERSON } from "./icons.js";

/**
 * The way to a person under a message: a soft link in a sentence, or a button.
 * @param {Context} context
 * @param {Offer} offer
 * @param {string} reason
 * @returns {HTMLElement | null}
 */
export function createOffer({ t, actions, config }, offer, reason) {
  if (offer === "none" || !config.person.available) return null;
  const click = () => actions.person(reason);
  if (offer === "button") {
    return el("button", { type: "button", class: "person-button", click }, icon(PERSON), el("span", { text: t("person") }));
  }
  return el("p", { class: "soft-offer" },
    `${t("soft_person")} `, el("button", { type: "button", class: "link", text: t("person"), click }));
}
