/** @import {Translate} from "../types" */

/** @param {Date} a @param {Date} b */
const sameDay = (a, b) => a.toDateString() === b.toDateString();

/** @param {Date} date @param {string} lang */
const time = (date, lang) => date.toLocaleTimeString(lang, { hour: "2-digit", minute: "2-digit", hour12: false });

/** @param {Date} date @param {string} lang @param {Date} [now] @returns {string} "14:03", with the day when it is not today */
export function stamp(date, lang, now = new Date()) {
  const day = sameDay(date, now) ? "" : `${date.toLocaleDateString(lang, { day: "numeric", month: "short" })}, `;
  return day + time(date, lang);
}

/**
 * "at 14:35", "tomorrow at 09:00" or "on 3 May at 09:00"; rounded up, so that nobody comes back too early.
 * @param {Date} moment
 * @param {string} lang
 * @param {Translate} t
 * @param {Date} [now]
 */
export function when(moment, lang, t, now = new Date()) {
  const date = new Date(Math.ceil(moment.getTime() / 60_000) * 60_000);
  const tomorrow = new Date(now.getFullYear(), now.getMonth(), now.getDate() + 1);
  if (sameDay(date, now)) return t("at_time", { time: time(date, lang) });
  if (sameDay(date, tomorrow)) return t("tomorrow_at", { time: time(date, lang) });
  return t("on_date", { date: date.toLocaleDateString(lang, { day: "numeric", month: "long" }), time: time(date, lang) });
}
