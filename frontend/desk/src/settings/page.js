/** @import {Desk, View} from "../types" */
import { el } from "../../../widget/src/shared/dom.js";
import { accountSettings } from "./account.js";
import { auditSettings } from "./audit.js";
import { cannedSettings } from "./canned.js";
import { letterSettings } from "./letters.js";
import { pauseSettings } from "./pause.js";
import { usersSettings } from "./users.js";
import { visitorSettings } from "./visitors.js";

/** One's own account and canned replies for everybody, the pause, what could not be delivered and who tried to get in for leads, people and their data for admins. @param {Desk} desk @returns {View} */
export function settingsPage(desk) {
  const { t, me } = desk;
  const pause = me.role !== "agent" ? pauseSettings(desk) : null;
  return {
    close: () => pause?.stop(),
    element: el("div", { class: "page narrow" }, el("header", { class: "page-header" }, el("h1", { text: t("page_settings") })),
      accountSettings(desk), ...(pause ? [pause.element] : []), cannedSettings(desk), ...(me.role !== "agent" ? [letterSettings(desk)] : []),
      ...(me.role === "admin" ? [usersSettings(desk), visitorSettings(desk)] : []), ...(me.role !== "agent" ? [auditSettings(desk)] : [])),
  };
}
