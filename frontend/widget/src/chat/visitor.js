/** @import {Context, Visitor} from "../types" */
import { post } from "./post.js";
import { record, text } from "./shape.js";

const EARLY_MS = 120_000;

/** @param {Visitor} visitor what the host page said of them, for people at the desk */
export const knownOf = ({ user, context }) => ({ context: { ...context.data, ...user }, context_token: context.token });

/**
 * Who the visitor is to the server: a short-lived token, asked for when something is first sent and renewed before it ends.
 * A server that gives none is talked to without. Kept at once, so that a page reloaded in the middle of a turn finds it, and
 * handed to other tabs that have the one before it: a duplicated tab is the same visitor, and a token is exchanged once.
 * @param {Context} context
 * @param {() => Promise<((challenge: any) => Promise<unknown>) | null>} proof brings what does the work that a new visitor may be asked for
 * @returns {() => Promise<Record<string, string>>} headers for a request
 */
export function createVisitor({ options, session, signal, save }, proof) {
  /** @type {Promise<void> | null} */
  let coming = null;
  const tabs = new BroadcastChannel(options.widget);
  tabs.onmessage = ({ data: [before, token, until] }) => { if (before === session.token) keep(token, until); };
  signal.onabort = () => tabs.close();

  /** @param {string} token @param {number} until */
  function keep(token, until) {
    session.token = token;
    session.tokenUntil = until;
    save();
  }

  /** @param {{ token?: string, proof?: unknown }} body @returns {Promise<void>} */
  async function renew(body) {
    const result = await post(`${options.base}visitor`, body, AbortSignal.timeout(5000));
    const given = record(result.ok ? result.value : result);
    if (given.challenge && !body.proof) return renew({ proof: await (await proof())?.(given.challenge) });
    if (given.code === "token_invalid" && body.token) {
      session.token = "";
      return renew({});
    }
    const until = Date.now() + (Number(given.expires_in) || 60) * 1000;
    if (body.token && given.token) tabs.postMessage([body.token, given.token, until]);
    keep(text(given.token, session.token), until);
  }

  return async () => {
    if (!signal.aborted && Date.now() > session.tokenUntil - EARLY_MS) await (coming ??= renew(session.token ? { token: session.token } : {}).finally(() => { coming = null; }));
    return session.token ? { Authorization: `Bearer ${session.token}` } : /** @type {Record<string, string>} */ ({});
  };
}
