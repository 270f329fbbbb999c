import { t } from "./strings.js";

/** @param {number} seconds @returns {string} "40 s", "12 min", "3 h 5 min", "2 d 4 h" */
export function duration(seconds) {
  const whole = Math.max(0, Math.floor(seconds));
  if (whole < 60) return t("seconds", { n: whole });
  const minutes = Math.floor(whole / 60);
  if (minutes < 60) return t("minutes", { n: minutes });
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return minutes % 60 ? t("hours_minutes", { h: hours, m: minutes % 60 }) : t("hours", { n: hours });
  return hours % 24 ? t("days_hours", { d: Math.floor(hours / 24), h: hours % 24 }) : t("days", { n: Math.floor(hours / 24) });
}

/** @param {number} at seconds since the epoch @returns {string} "14:03", with the day when it is not today */
export function stamp(at, now = new Date()) {
  const date = new Date(at * 1000);
  const time = date.toLocaleTimeString("en", { hour: "2-digit", minute: "2-digit", hour12: false });
  return date.toDateString() === now.toDateString() ? time : `${date.toLocaleDateString("en", { day: "numeric", month: "short" })}, ${time}`;
}

/** @param {number} at @returns {string} for `<time datetime>` */
export const iso = (at) => new Date(at * 1000).toISOString();

/** @param {number | null | undefined} score @returns {string} two decimals, or a dash where there is none */
export const score = (score) => (typeof score === "number" ? score.toFixed(2) : "–");

/** @param {number} share @returns {string} "42 %" */
export const percent = (share) => `${Math.round(share * 100)} %`;

/** @param {number} bytes @returns {string} "812 KB" */
export function size(bytes) {
  if (bytes < 1000) return t("bytes", { n: bytes });
  return bytes < 1e6 ? t("kilobytes", { n: Math.round(bytes / 1000) }) : t("megabytes", { n: (bytes / 1e6).toFixed(1).replace(/\.0$/, "") });
}

export const now = () => Date.now() / 1000;
