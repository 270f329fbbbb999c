/** @import {Desk} from "../types" */
import { el } from "../../../widget/src/shared/dom.js";
import { duration, stamp } from "../format.js";
import { chip } from "../shared/controls.js";

const EVERY_MS = 60_000;
const DAYS = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];

/**
 * Who is there, when the desk is open, and what visitors who ask for a person are told meanwhile.
 * @param {Desk} desk
 * @returns {{ element: HTMLElement, close: () => void }}
 */
export function createNow(desk) {
  const { t, api } = desk;
  const element = el("div", { class: "now" }, el("p", { class: "hint", text: t("loading") }));

  async function load() {
    try {
      show(await api.get("now"));
    } catch (error) {
      element.replaceChildren(el("p", { class: "hint", text: t("report_failed") }));
      if (/** @type {any} */ (error).status === 401) desk.fail(error);
    }
  }

  /** @param {any} found */
  function show(found) {
    const names = /** @type {{ id: string, name: string }[]} */ (found.online);
    const wait = typeof found.wait_s !== "number" ? t("now_wait_unknown")
      : t("now_wait", { time: duration(found.wait_s) }) + (typeof found.wait_most_s === "number" ? t("now_wait_most", { time: duration(found.wait_most_s) }) : "");
    element.replaceChildren(el("dl", { class: "context" },
      row("now_online", names.length ? el("span", { class: "chips" }, ...names.map((one) => chip(one.id === desk.me.id ? t("now_you", { name: one.name }) : one.name, "good"))) : t("nobody")),
      row("now_desk", t(`now_${found.state}`) + (found.opens_at ? t("now_opens", { time: stamp(Date.parse(found.opens_at) / 1000) }) : "")),
      row("now_hours", found.week.length ? el("ul", {}, ...week(found.week).map((text) => el("li", { text })), el("li", { class: "hint", text: found.time_zone })) : t("now_always")),
      ...(found.holidays.length ? [row("now_holidays", el("ul", {}, ...found.holidays.map((/** @type {any} */ one) => el("li", { text: `${one.date}: ${one.hours || t("now_closed_all_day")}` }))))] : []),
      row("now_expected", wait),
      row("now_told", el("q", { text: found.told }))));
  }

  /** @param {string} key @param {string | HTMLElement} value */
  const row = (key, value) => el("div", {}, el("dt", { text: t(key) }), el("dd", {}, value));

  /** Days in a row with the same hours stand in one line. @param {string[]} hours @returns {string[]} */
  function week(hours) {
    /** @type {[number, number][]} */
    const runs = [];
    hours.forEach((text, day) => {
      const run = runs.at(-1);
      if (run && hours[run[0]] === text) run[1] = day;
      else runs.push([day, day]);
    });
    const name = (/** @type {number} */ day) => t(`day_${DAYS[day]}`);
    return runs.map(([first, last]) => `${first === last ? name(first) : `${name(first)}–${name(last)}`} ${hours[first] || t("now_closed_all_day")}`);
  }

  const timer = window.setInterval(load, EVERY_MS);
  const stops = [desk.on("people", () => void load()), desk.on("reconnected", () => void load())];
  void load();
  return {
    element,
    close() {
      clearInterval(timer);
      stops.forEach((stop) => stop());
    },
  };
}
