/** @import {Desk, UploadPreview} from "../types" */
import { el } from "../../../widget/src/shared/dom.js";
import { renderMarkdown } from "../../../widget/src/markdown/render.js";
import { attempt } from "../shared/attempt.js";
import { button, chip, fresh, input, select } from "../shared/controls.js";
import { openDialog } from "../shared/dialog.js";

const NO_HOSTS = new Set();

/**
 * What a waiting file holds, section by section as answers quote it, and the decision.
 * @param {Desk} desk
 * @param {string} id
 * @param {() => void} changed
 */
export async function readUpload(desk, id, changed) {
  const { t, api } = desk;
  const path = `uploads/${encodeURIComponent(id)}`;
  /** @type {UploadPreview} */
  let found;
  try {
    found = await api.get(path);
  } catch (error) {
    desk.fail(error);
    changed();
    return;
  }
  const one = found.articles.length === 1;
  const title = input(t("title"), { value: found.articles[0]?.title ?? "", maxlength: 200, dir: "auto" });
  const url = input(t("address"), { value: found.articles[0]?.url ?? "", type: "url", maxlength: 2000, placeholder: "https://" });
  const tags = input(t("tags"), { value: found.suggested_tags.join(", "), maxlength: 400, dir: "auto" });
  const audience = select(t("audience"), [["public", t("audience_public")], ["agents", t("audience_agents")]], found.articles.some((article) => article.for_agents) ? "agents" : "public", () => {});
  const trust = fresh("trust");
  const trusted = el("input", { id: trust, type: "checkbox" });

  const dialog = openDialog(found.name, [
    ...(found.replaces ? [el("p", { class: "hint", text: t("replaces_file") })] : []),
    ...found.notes.map((note) => el("p", { class: "error", text: note })),
    ...(found.planted ? [el("p", { class: "error", text: t("planted_means") }), el("p", { class: "check" }, trusted, el("label", { for: trust, text: t("trust_file") }))] : []),
    ...(one ? [title.element, url.element] : []), tags.element, audience.element,
    el("h3", { text: t("as_quoted") }), el("div", { class: "quoted", tabindex: 0, role: "group", "aria-label": t("as_quoted") }, ...found.articles.map(article)),
    el("p", { class: "chips" }, button(t("discard"), () => void attempt(desk, () => api.remove(path), { done: "discarded_file", dialog, then: changed }))),
  ], { wide: true, action: t("approve"), submit: () => void attempt(desk, () => api.post(`${path}/approve`, decided()), { done: "approved_file", dialog, then: changed }) });

  function decided() {
    const named = tags.field.value.split(",").map((tag) => tag.trim()).filter(Boolean);
    /** @type {Record<string, unknown>} */
    const body = { tags: [...new Set(named)], audience: audience.field.value, trusted: trusted.checked };
    const first = found.articles[0];
    if (one && title.field.value.trim() && title.field.value !== first?.title) body.title = title.field.value.trim();
    if (one && url.field.value.trim() && url.field.value !== first?.url) body.url = url.field.value.trim();
    return body;
  }

  /** @param {UploadPreview["articles"][number]} article */
  function article(article) {
    return el("section", {}, ...(one ? [] : [el("h4", { dir: "auto", text: article.title })]),
      ...(article.for_agents ? [chip(t("audience_agents"), "care")] : []),
      ...article.sections.map((section) => el("section", { class: "piece", dir: "auto" }, el("p", { class: "hint", text: section.heading }),
        renderMarkdown(section.text, { hosts: NO_HOSTS, cite: () => null }))));
  }
}
