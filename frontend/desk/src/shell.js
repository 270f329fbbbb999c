/** @import {Api, Desk, Me, View} from "./types" */
import { createBus } from "../../widget/src/shared/bus.js";
import { el } from "../../widget/src/shared/dom.js";
import { Failure } from "./api.js";
import { articlesPage } from "./articles/page.js";
import { createBar } from "./bar.js";
import { watchCondition } from "./condition.js";
import { gapsPage } from "./gaps/page.js";
import { gradesPage } from "./grades/page.js";
import { createKeys } from "./keys.js";
import { listen } from "./live.js";
import { createPreferences } from "./preferences.js";
import { watchPeople } from "./people.js";
import { queuePage } from "./queue/page.js";
import { reportsPage } from "./reports/page.js";
import { settingsPage } from "./settings/page.js";
import { tracePage } from "./trace/page.js";
import { openHelp } from "./help.js";
import { createNotices } from "./notices.js";
import { watchPause } from "./pause.js";
import { t } from "./strings.js";
import { watchUnread } from "./unread.js";

/** @type {Record<string, (desk: Desk, rest: string[]) => View>} */
const PAGES = { queue: queuePage, reports: reportsPage, gaps: gapsPage, articles: articlesPage, settings: settingsPage, trace: tracePage, grades: gradesPage };

/**
 * The signed-in desk, until its session ends.
 * @param {Api} api
 * @param {Me} me
 * @param {string} brand
 * @param {() => void} signedOut
 */
export function createShell(api, me, brand, signedOut) {
  const bus = createBus();
  const notices = createNotices();
  const keys = createKeys();
  let over = false;

  /** @type {Desk} */
  const desk = {
    t, api, me, brand, people: new Map(), preferences: createPreferences(), ...bus, say: notices.say, keys: keys.bind,
    fail(error) {
      if (error instanceof Failure && (error.status === 401 || error.code === "second_factor_required")) return leave();
      if (!(error instanceof Failure)) console.error(error);
      const reached = error instanceof Failure && error.status !== 0;
      notices.say(!reached ? t("unreachable") : error.status === 403 ? t("forbidden") : error.message || t("failed"), "bad");
    },
  };
  keys.start(desk);
  const main = el("main", { id: "main", tabindex: -1 });
  const bar = createBar(desk, leave, () => openHelp(desk));
  const condition = watchCondition(desk);
  const pause = watchPause(desk);
  document.body.replaceChildren(
    el("a", { class: "skip", href: "#main", text: t("skip"), click: (/** @type {Event} */ event) => { event.preventDefault(); main.focus(); } }),
    bar.element, pause.element, condition.element, notices.element, main);

  /** @type {View | null} */
  let view = null;
  let shown = "";
  function route() {
    const [, wanted = "", ...rest] = location.hash.split("/");
    const name = PAGES[wanted] ? wanted : "queue";
    bar.mark(name);
    if (name === shown && view?.route) return view.route(rest);
    view?.close?.();
    const page = /** @type {(desk: Desk, rest: string[]) => View} */ (PAGES[name]);
    view = page(desk, rest);
    shown = name;
    main.replaceChildren(view.element);
  }

  const stops = [
    watchPeople(desk), watchUnread(desk), listen(api.url("events"), bus.emit), keys.stop, condition.stop, pause.stop,
    desk.on("sync", () => desk.emit("reconnected")), desk.on("connection", (connected) => notices.connection(connected)),
    desk.on("refused", () => void api.get("me").catch((error) => { if (error.status === 401) leave(); })),
    desk.keys({
      "?": () => openHelp(desk), "g q": () => go("queue"), "g r": () => go("reports"), "g g": () => go("gaps"), "g a": () => go("articles"), "g s": () => go("settings"),
    }),
  ];
  addEventListener("hashchange", route);
  route();

  function leave() {
    if (over) return;
    over = true;
    removeEventListener("hashchange", route);
    view?.close?.();
    for (const stop of stops) stop();
    for (const dialog of document.querySelectorAll("dialog")) dialog.close();
    signedOut();
  }
}

/** @param {string} page */
const go = (page) => void (location.hash = `#/${page}`);
