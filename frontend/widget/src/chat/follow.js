/** @import {Part, Result} from "../types" */
import { createPatience, pause } from "./patience.js";
import { post, refusalOf, failed } from "./post.js";
import { createEventReader } from "./sse.js";
import { record, text } from "./shape.js";

const WAITS_MS = [400, 1000, 2000, 4000, 8000];

/**
 * Follows one turn to its outcome: its parts as they come, again from where it was when the connection is lost, and again when
 * a server that is starting or busy says so.
 * @param {string} base
 * @param {{ turn_id: string } & Record<string, unknown>} body what `/ask` takes; the same turn may be followed twice
 * @param {{ signal: AbortSignal, part: (part: Part) => void, say: (key: "reconnecting" | "still_trying") => void,
 *   auth: () => Promise<Record<string, string>>, resume?: boolean, fresh?: boolean }} options `resume` follows a turn that was asked
 *   before; where the server does not know it, a `fresh` one is asked again: its page may have gone before the server heard it
 * @returns {Promise<Result<unknown>>}
 */
export async function follow(base, body, { signal, part, say, auth, resume = false, fresh = false }) {
  /** @type {Result<unknown> | null} */
  let result = null;
  let seen = "";
  const losses = [...WAITS_MS];
  const patience = createPatience(signal, () => say("still_trying"));
  const read = (/** @type {{ id: string, data: string }} */ event) => {
    seen = event.id || seen;
    const chunk = record(parsed(event.data));
    if (chunk.type === "data-outcome") result = { ok: true, value: chunk.data };
    else if (chunk.type === "abort") result = { ok: false, kind: "stopped" };
    else if (chunk.type === "error") result = failed();
    else part({ type: text(chunk.type), id: text(chunk.id), delta: typeof chunk.delta === "string" ? chunk.delta : "", data: record(chunk.data) });
  };

  /** @returns {Promise<Result<unknown> | null>} null when the stream is over: it has told the outcome, or was lost */
  async function attempt() {
    try {
      const again = resume || seen;
      const response = await fetch(again ? `${base}chat/stream/${body.turn_id}` : `${base}chat/stream`, {
        method: again ? "GET" : "POST",
        credentials: "omit",
        headers: { ...(await auth()), ...(again ? seen && { "Last-Event-ID": seen } : { "Content-Type": "application/json" }) },
        body: again ? undefined : JSON.stringify(body),
        signal,
      });
      if (response.status === 404 || response.status === 405) {
        if (!resume) return await post(`${base}ask`, body, signal, await auth());
        if (!fresh) return failed();
        resume = false;
        return await attempt();
      }
      if (!response.ok) return await refusalOf(response);
      await drain(response, createEventReader(read));
    } catch {
      // What has been read until then is kept.
    }
    return null;
  }

  for (;;) {
    const told = await attempt();
    if (result || signal.aborted) return result ?? failed();
    if (told) {
      if (await patience(told)) continue;
      return told;
    }
    // A question that never arrived is the visitor's to send again; one that did is followed.
    const wait = seen || resume ? losses.shift() : 0;
    if (!wait) return failed();
    say("reconnecting");
    await pause(wait, signal);
  }
}

/** @param {Response} response @param {(bytes: Uint8Array) => void} take */
async function drain(response, take) {
  const reader = /** @type {ReadableStream<Uint8Array>} */ (response.body).getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    take(value);
  }
}

/** @param {string} data @returns {unknown} null for `[DONE]` and anything else that is no JSON */
function parsed(data) {
  try {
    return JSON.parse(data);
  } catch {
    return null;
  }
}
