/** @import {Desk, View} from "../types" */
import { el } from "../../../widget/src/shared/dom.js";
import { cannedSettings } from "./canned.js";
import { usersSettings } from "./users.js";

/** Canned replies for everybody, users for admins. @param {Desk} desk @returns {View} */
export function settingsPage(desk) {
  const { t, me } = desk;
  return {
    element: el("div", { class: "page narrow" }, el("header", { class: "page-header" }, el("h1", { text: t("page_settings") })),
      cannedSettings(desk), ...(me.role === "admin" ? [usersSettings(desk)] : [])),
  };
}
