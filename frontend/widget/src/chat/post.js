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
      headers: { "Content-Type": "application/json", ...headers },
      body: JSON.stringify(body),
      signal: AbortSignal.any ? AbortSignal.any([signal, AbortSignal.timeout(90_000)]) : signal,
    });
    if (!response.ok) return await refusalOf(response);
    const value = await response.json().catch(() => null);
    if (value) return { ok: true, value };
  } catch {
    // Nothing came back; what we know is only that the same turn may be sent again.
  }
  return failed();
}

/** @param {number} [wait] milliseconds after which the server wants to be asked again @returns {Result<never>} */
export const failed = (wait) => ({ ok: false, kind: "failed", offline: navigator.onLine === false, wait });

/** @param {Response} response @returns {Promise<Result<never>>} */
export async function refusalOf(response) {
  const { status, headers } = response;
  const error = record(record(await response.json().catch(() => null)).error);
  if (status === 429 || status === 503) {
    const wait = msOf(error.retry_after_s ?? headers.get("Retry-After") ?? (status === 429 ? 60 : 3));
    return status === 429 ? { ok: false, kind: "limited", retryAt: new Date(Date.now() + wait) } : failed(Math.max(1000, wait));
  }
  if (status >= 400 && status < 500 && status !== 408) return { ok: false, kind: "rejected", code: text(error.code), message: text(error.message), challenge: error.challenge };
  return failed();
}

/** @param {unknown} when seconds or an HTTP date (RFC 9110, 10.2.3) @returns {number} milliseconds from now; a minute when it cannot be read */
function msOf(when) {
  const wait = Number(when) * 1000;
  return Number.isFinite(wait) ? wait : Math.max(0, Date.parse(String(when)) - Date.now()) || 60_000;
}
