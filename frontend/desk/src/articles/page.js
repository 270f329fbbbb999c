/** @import {ArticleFile, Desk, Upload, View} from "../types" */
import { el } from "../../../widget/src/shared/dom.js";
import { size, stamp } from "../format.js";
import { attempt } from "../shared/attempt.js";
import { button, chip, placeIn } from "../shared/controls.js";
import { openDialog } from "../shared/dialog.js";
import { readUpload } from "./preview.js";
import { sourcesSection } from "./sources.js";
import { dropZone } from "./zone.js";

/** Files of articles: bringing them, what waits for approval, and what visitors get answers from. @param {Desk} desk @returns {View} */
export function articlesPage(desk) {
  const { t, api } = desk;
  const zone = dropZone(desk, () => load());
  const sources = sourcesSection(desk);
  const waiting = el("ul", { class: "rows" });
  const files = el("ul", { class: "rows" });
  const waitingTitle = el("h2", { text: t("waiting_files"), tabindex: -1 });
  const filesTitle = el("h2", { text: t("approved_files"), tabindex: -1 });

  async function load() {
    try {
      const found = await api.get("uploads");
      zone.bound(found.max_bytes);
      draw(waiting, found.waiting, waitingRow, "waiting_files_none");
      draw(files, found.files, fileRow, "approved_files_none");
    } catch (error) {
      for (const list of [waiting, files]) list.replaceChildren(el("li", { class: "hint", text: t("report_failed") }));
      if (/** @type {any} */ (error).status === 401) desk.fail(error);
    }
  }

  /** @param {HTMLElement} list @param {any[]} found @param {(one: any) => HTMLElement} row @param {string} none */
  function draw(list, found, row, none) {
    list.replaceChildren(...(found.length ? found.map(row) : [el("li", { class: "hint", text: t(none) })]));
  }

  /** @param {HTMLElement} list @param {HTMLElement} title @returns {() => void} draws everything anew, with the focus where it is now */
  function reload(list, title) {
    const back = placeIn(list, title);
    return () => void load().then(back);
  }

  /** @param {Upload} one */
  const waitingRow = (one) => el("li", {}, about(one),
    button(t("review"), () => readUpload(desk, one.id, reload(waiting, waitingTitle)), { "aria-label": t("review_named", { name: one.name }) }));

  /** @param {ArticleFile} one */
  const fileRow = (one) => el("li", {}, about(one, [
    chip(t(one.articles.length === 1 ? "one_article" : "n_articles", { n: one.articles.length })), ...one.tags.map((tag) => chip(tag))]),
    one.versions.length > 1 && button(t("versions"), () => versions(one), { "aria-label": t("versions_named", { name: one.name }) }),
    button(t("delete"), () => drop(one), { "aria-label": t("delete_named", { name: one.name }) }));

  /** @param {Upload | ArticleFile} one @param {Node[]} [chips] */
  function about(one, chips = []) {
    const who = desk.people.get(one.by)?.name;
    return el("div", {}, el("strong", { dir: "auto", text: one.name }),
      el("p", { class: "hint", text: [size(one.size), who, stamp(one.at)].filter(Boolean).join(" · ") }), chips.length > 0 && el("p", { class: "chips" }, ...chips));
  }

  /** @param {ArticleFile} file */
  function versions(file) {
    const again = reload(files, filesTitle);
    const rows = file.versions.map((n) => el("li", {}, el("div", {}, el("strong", { text: t("version_n", { n }) })),
      n === file.version ? chip(t("current"), "good") : button(t("restore"), () => void attempt(desk,
        () => api.post(`files/${encodeURIComponent(file.name)}/restore`, { version: n }), { done: "restored_file", dialog, then: again }),
        { "aria-label": t("restore_named", { n }) })));
    const dialog = openDialog(t("versions_named", { name: file.name }), [el("ul", { class: "rows" }, ...rows)]);
  }

  /** @param {ArticleFile} file */
  function drop(file) {
    const again = reload(files, filesTitle);
    const dialog = openDialog(t("delete_named", { name: file.name }), [el("p", { text: t("delete_file_means") })], {
      action: t("delete"),
      submit: () => void attempt(desk, () => api.remove(`files/${encodeURIComponent(file.name)}`), { done: "deleted_file", dialog, then: again }),
    });
  }

  const index = button(t("index_again"), () => void attempt(desk, () => api.post("files/index"), { done: "indexed_again", then: () => void load() }));
  void load();
  return {
    element: el("div", { class: "page narrow" }, el("header", { class: "page-header" }, el("h1", { text: t("page_articles") })),
      el("section", { class: "card" }, el("header", {}, el("h2", { text: t("bring_files") })), el("p", { class: "hint", text: t("bring_files_means") }), zone.element),
      el("section", { class: "card" }, el("header", {}, waitingTitle), el("p", { class: "hint", text: t("waiting_files_means") }), waiting),
      el("section", { class: "card" }, el("header", {}, filesTitle, index), el("p", { class: "hint", text: t("approved_files_means") }), files), sources.element),
    close() {
      zone.stop();
      sources.stop();
    },
  };
}
