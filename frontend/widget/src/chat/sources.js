/** @import {Reply, Translate} from "../types" */
import { el } from "../shared/dom.js";
import { icon } from "../shared/icon.js";
import { hostsOf } from "../markdown/href.js";
import { ARTICLE } from "./icons.js";

/**
 * A link to an article. What the server cites may be linked, but only over https; the rest is text.
 * @param {string} url
 * @param {string} label
 * @param {Translate} t
 * @returns {HTMLElement}
 */
export function articleLink(url, label, t) {
  if (!hostsOf([url]).length) return el("span", { text: label });
  return el("a", { href: url, target: "_blank", rel: "noopener noreferrer nofollow ugc" },
    label, el("span", { class: "hidden", text: ` (${t("new_tab")})` }));
}

/**
 * @param {Reply} reply
 * @param {{ links?: number, label?: string }} look
 * @param {Translate} t
 * @returns {HTMLElement | null}
 */
export function createSources({ sources }, { links = 0, label }, t) {
  if (!links || !sources.length) return null;
  const items = sources.slice(0, links).map(({ title, url }) => el("li", {}, icon(ARTICLE), articleLink(url, title, t)));
  return el("div", { class: "sources" },
    el("p", { class: "label", text: t(label ?? "sources") }),
    el("ul", { "aria-label": t(label ?? "sources") }, ...items));
}
