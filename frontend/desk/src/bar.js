/** @import {Desk} from "./types" */
import { el } from "../../widget/src/shared/dom.js";
import { icon } from "../../widget/src/shared/icon.js";
import { createNow } from "./queue/now.js";
import { iconButton } from "./shared/controls.js";
import { openDialog } from "./shared/dialog.js";
import { BELL, BELL_OFF, BOOK, CHART, CLOCK, EXIT, GAP, GEAR, KEYS, QUEUE } from "./shared/icons.js";

/** @type {[string, string][]} */
const LINKS = [["queue", QUEUE], ["reports", CHART], ["gaps", GAP], ["articles", BOOK], ["settings", GEAR]];
const FOR_LEADS = ["articles"];

/**
 * The desk's top bar: pages, whether one is there for visitors, sound, help and the way out.
 * @param {Desk} desk
 * @param {() => void} leave
 * @param {() => void} help
 */
export function createBar(desk, leave, help) {
  const { t, me, api, preferences } = desk;
  const waiting = el("span", { class: "count", hidden: true });
  const links = LINKS.filter(([name]) => me.role !== "agent" || !FOR_LEADS.includes(name)).map(([name, path]) =>
    el("a", { href: `#/${name}`, "data-page": name }, icon(path), el("span", { text: t(`page_${name}`) }), name === "queue" && waiting));
  const online = el("button", { type: "button", class: "presence", role: "switch", click: () => setOnline(!there) },
    el("span", { class: "dot", "aria-hidden": "true" }), el("span", { class: "presence-text" }));
  const sound = iconButton("", BELL_OFF, () => setSound(!preferences.get("sound")));
  let there = !preferences.get("away");

  /** @param {boolean} value */
  function showOnline(value) {
    there = value;
    online.setAttribute("aria-checked", String(value));
    online.setAttribute("aria-label", t("presence_label"));
    /** @type {HTMLElement} */ (online.lastElementChild).textContent = t(value ? "online" : "away");
  }

  function tell() {
    api.post("presence", { online: there }).catch(() => {});
  }

  /** @param {boolean} value */
  function setOnline(value) {
    showOnline(value);
    preferences.set("away", !value);
    api.post("presence", { online: value }).catch(desk.fail);
  }

  /** @param {boolean} value */
  function setSound(value) {
    preferences.set("sound", value);
    sound.setAttribute("aria-pressed", String(value));
    sound.setAttribute("aria-label", t("sound"));
    sound.title = t(value ? "sound_on" : "sound_off");
    sound.replaceChildren(icon(value ? BELL : BELL_OFF));
    if (value) desk.emit("ring");
  }

  function openNow() {
    const now = createNow(desk);
    openDialog(t("now_title"), [now.element]).addEventListener("close", now.close);
  }

  showOnline(there);
  tell();
  desk.on("reconnected", tell);
  const value = preferences.get("sound");
  sound.setAttribute("aria-pressed", String(value));
  sound.setAttribute("aria-label", t("sound"));
  sound.replaceChildren(icon(value ? BELL : BELL_OFF));
  desk.on("counts", (counts) => {
    waiting.hidden = !counts.queued;
    waiting.textContent = counts.queued > 999 ? "999+" : String(counts.queued);
    waiting.setAttribute("aria-label", t("waiting_count", { n: counts.queued }));
    waiting.setAttribute("role", "img");
  });

  return {
    element: el("header", { class: "bar" },
      el("p", { class: "brand" }, icon(QUEUE), el("span", { text: desk.brand || t("product") })),
      el("nav", { "aria-label": t("pages") }, ...links),
      el("div", { class: "bar-end" }, online, sound, iconButton(t("now_title"), CLOCK, openNow), iconButton(t("shortcuts"), KEYS, help, { class: "icon-button for-keys" }),
        el("span", { class: "me", text: me.name }),
        iconButton(t("sign_out"), EXIT, () => void api.post("sign-out").then(leave, leave)))),
    /** @param {string} page */
    mark(page) {
      for (const link of links) {
        if (link.dataset.page === page) link.setAttribute("aria-current", "page");
        else link.removeAttribute("aria-current");
      }
      document.title = `${t(`page_${page}`)} · ${t("desk")}`;
      desk.emit("title");
    },
  };
}
