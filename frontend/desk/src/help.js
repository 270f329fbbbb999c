/** @import {Desk} from "./types" */
import { el } from "../../widget/src/shared/dom.js";
import { openDialog } from "./shared/dialog.js";

/** @type {[string, string[][]][]} */
const GROUPS = [
  ["keys_queue", [["j", "key_next"], ["k", "key_previous"], ["/", "key_search"], ["Esc", "key_back"]]],
  ["keys_conversation", [["t", "key_take"], ["r", "key_reply"], ["n", "key_note"], ["d", "key_draft"], ["c", "key_canned"],
    ["x", "key_transfer"], ["h", "key_hand_back"], ["e", "key_resolve"]]],
  ["keys_composer", [["Enter", "key_send"], ["Shift+Enter", "key_line"]]],
  ["keys_pages", [["g q", "page_queue"], ["g r", "page_reports"], ["g g", "page_gaps"], ["g a", "page_articles"], ["g s", "page_settings"], ["?", "key_help"]]],
];

/** The keyboard shortcuts, and the switch for those of one key. @param {Desk} desk */
export function openHelp({ t, preferences }) {
  if (document.querySelector("dialog[open]")) return;
  const box = el("input", { type: "checkbox", id: "single-keys", change: () => preferences.set("shortcuts", box.checked) });
  box.checked = preferences.get("shortcuts");
  openDialog(t("shortcuts"), [
    el("div", { class: "key-groups" }, ...GROUPS.map(([title, rows]) => el("section", {}, el("h3", { text: t(title) }),
      el("dl", { class: "keys" }, ...rows.map(([key = "", text = ""]) =>
        el("div", {}, el("dt", {}, ...key.split(" ").map((part) => el("kbd", { text: part }))), el("dd", { text: t(text) }))))))),
    el("p", { class: "check" }, box, el("label", { for: "single-keys", text: t("single_keys") })),
  ], { wide: true });
}
