/** @import {Result} from "../types" */
import { record, text } from "./shape.js";

/**
 * POSTs JSON and sorts every way it can end: done, wait, change it, or try again.
 * @param {string} url
 * @param {unknown} body
 * @param {AbortSignal} signal
 * @param {Record<string, string>} [headers]
 * @returns {Promise<Result<unknown>>}
 */
export async function post(url, body, signal, headers = {}) {
  try {
    const response = await fetch(url, {
      method: "POST",
      credentials: "omit",
      headers: { "Content-Type": "application/json", Accept: "application/json", ...headers },
      body: JSON.stringify(body),
      signal: AbortSignal.any ? AbortSignal.any([signal, AbortSignal.timeout(90_000)]) : signal,
    });
    if (!response.ok) return (await refusalOf(response)) ?? failed();
    const value = await response.json().catch(() => null);
    if (value) return { ok: true, value };
  } catch {
    // Nothing came back; what we know is only that the same turn may be sent again.
  }
  return failed();
}

/** @returns {Result<never>} */
export const failed = () => ({ ok: false, kind: "failed", offline: navigator.onLine === false });

/** @param {Response} response @returns {Promise<Result<never> | null>} null when the same request may be sent again */
export async function refusalOf(response) {
  const { status, headers } = response;
  const error = record(record(await response.json().catch(() => null)).error);
  if (status === 429) return { ok: false, kind: "limited", retryAt: retryAt(error.retry_after_s, headers.get("Retry-After")) };
  if (status >= 400 && status < 500 && status !== 408) return { ok: false, kind: "rejected", message: text(error.message) };
  return null;
}

/**
 * @param {unknown} seconds
 * @param {string | null} header seconds or an HTTP date (RFC 9110, 10.2.3)
 * @returns {Date}
 */
function retryAt(seconds, header) {
  const wait = Number(seconds ?? header ?? 60);
  if (Number.isFinite(wait) && wait >= 0) return new Date(Date.now() + wait * 1000);
  const date = new Date(header ?? "");
  return Number.isNaN(date.getTime()) ? new Date(Date.now() + 60_000) : date;
}
