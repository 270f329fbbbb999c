/** @import {Desk, Source} from "../types" */
import { el } from "../../../widget/src/shared/dom.js";
import { attempt } from "../shared/attempt.js";
import { fresh, input, select } from "../shared/controls.js";
import { openDialog } from "../shared/dialog.js";
import { word } from "../strings.js";

const HELP_DESKS = ["zendesk", "intercom", "chatwoot"];
const KINDS = ["site", ...HELP_DESKS, "git", "folder"];
/** The fields that a kind has besides its address. @type {Record<string, string[]>} */
const MORE = { site: ["token"], zendesk: ["locale", "token"], intercom: ["locale", "token"], chatwoot: ["locale", "token"],
  git: ["branch", "folder", "url_base", "token"], folder: ["url_base"] };

/**
 * A source to declare, or one to change.
 * @param {Desk} desk
 * @param {string[]} folders where exports and folders may be
 * @param {Source | null} source
 * @param {(saved: Source) => void} done
 */
export function editSource(desk, folders, source, done) {
  const { t, api } = desk;
  const kind = select(t("source_kind"), KINDS.map((one) => [one, word("source", one)]), source?.kind ?? "site", () => show());
  const means = el("p", { class: "hint" });
  const where = input(t("source_where"), { value: source?.where ?? "", required: true, maxlength: 2000, dir: "ltr", autocomplete: "off" });
  const more = {
    locale: input(t("source_locale"), { value: source?.locale ?? "", maxlength: 20, placeholder: "en-us", dir: "ltr" }),
    branch: input(t("source_branch"), { value: source?.branch ?? "", maxlength: 200, dir: "ltr" }),
    folder: input(t("source_folder_of"), { value: source?.folder ?? "", maxlength: 500, dir: "ltr" }),
    url_base: input(t("source_url_base"), { value: source?.url_base ?? "", type: "url", maxlength: 2000, placeholder: "https://", dir: "ltr" }),
    token: input(t("source_token"), { type: "password", maxlength: 4000, autocomplete: "off", placeholder: source?.has_token ? t("source_token_kept") : "" }),
  };
  const drop = fresh("drop-token");
  const dropped = el("input", { id: drop, type: "checkbox" });
  const dropping = el("p", { class: "check" }, dropped, el("label", { for: drop, text: t("source_token_drop") }));

  const dialog = openDialog(t(source ? "source_edit" : "source_add"),
    [kind.element, where.element, means, ...Object.values(more).map((one) => one.element), dropping],
    { action: t("save"), submit: () => void attempt(desk, save, { done: source ? "source_saved" : "source_added", dialog }) });

  function show() {
    const fields = MORE[kind.field.value] ?? [];
    for (const [name, { element }] of Object.entries(more)) element.hidden = !fields.includes(name);
    dropping.hidden = !source?.has_token || !fields.includes("token");
    const place = folders.length ? t("source_folders", { folders: folders.join(", ") }) : t("source_folders_none");
    means.textContent = [t(`source_means_${kind.field.value}`), kind.field.value === "folder" || (HELP_DESKS.includes(kind.field.value) && folders.length) ? place : ""].join(" ");
  }

  async function save() {
    /** @type {Record<string, string>} */
    const body = { kind: kind.field.value, where: where.field.value.trim() };
    for (const name of /** @type {(keyof typeof more)[]} */ (MORE[kind.field.value] ?? [])) {
      const said = more[name].field.value.trim();
      if (said) body[name] = said;
    }
    if (dropped.checked && !body.token) body.token = "";
    done(source ? await api.put(`sources/${encodeURIComponent(source.id)}`, body) : await api.post("sources", body));
  }

  show();
}
