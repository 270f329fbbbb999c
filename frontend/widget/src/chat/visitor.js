/** @import {Context, Visitor} from "../types" */
import { record, text } from "./shape.js";

const EARLY_MS = 120_000;

/** @param {Visitor} visitor what the host page said of them, for people at the desk */
export const knownOf = ({ user, context }) => ({ context: { ...context.data, ...user }, context_token: context.token });

/**
 * Who the visitor is to the server: a short-lived token, asked for when something is first sent and renewed before it ends.
 * A server that gives none is talked to without. Kept at once, so that a page reloaded in the middle of a turn finds it.
 * @param {Context} context
 * @returns {() => Promise<Record<string, string>>} headers for a request
 */
export function createVisitor(context) {
  const { options, session, signal } = context;
  /** @type {Promise<void> | null} */
  let coming = null;

  async function renew() {
    try {
      const response = await fetch(`${options.base}visitor`, { method: "POST", credentials: "omit", headers: { "Content-Type": "application/json" },
        body: JSON.stringify(session.token ? { token: session.token } : {}), signal: AbortSignal.timeout(5000) });
      const given = record(response.ok ? await response.json() : null);
      if (response.status === 401) session.token = "";
      session.token = text(given.token, session.token);
      session.tokenUntil = Date.now() + (Number(given.expires_in) || 60) * 1000;
    } catch {
      session.tokenUntil = Date.now() + 60_000;
    }
    context.save();
  }

  return async () => {
    if (!signal.aborted && Date.now() > session.tokenUntil - EARLY_MS) await (coming ??= renew().finally(() => { coming = null; }));
    /** @type {Record<string, string>} */
    const headers = {};
    if (session.token) headers.Authorization = `Bearer ${session.token}`;
    return headers;
  };
}
