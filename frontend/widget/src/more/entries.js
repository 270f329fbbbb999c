/** @import {Entry} from "../types" */
import { readReply } from "../chat/read-reply.js";
import { list, record, text } from "../chat/shape.js";

/**
 * What the chat draws, from a conversation as the server keeps it.
 * @param {Record<string, any>} known
 * @returns {{ entries: Entry[], seen: number }}
 */
export function entriesOf({ messages, turns }) {
  const outcomes = new Map(list(turns).map((turn) => [record(turn).turn_id, turn]));
  let seen = 0;
  const entries = list(messages).map(record).flatMap((message) => {
    const at = Number(message.at) * 1000;
    const words = text(message.text);
    seen = Math.max(seen, Number(message.seq) || 0);
    if (!words || !Number.isFinite(at)) return [];
    /** @type {Entry} */
    let entry;
    if (message.author === "visitor") entry = { kind: "visitor", text: words, at, turnId: text(message.turn_id, text(message.id)), seq: message.seq };
    else if (message.author === "assistant") {
      const outcome = { routing: "answered", ...record(outcomes.get(message.turn_id)), answer: words };
      entry = { kind: "reply", reply: { ...readReply(outcome), turnId: text(message.turn_id) }, at };
    } else entry = { kind: "person", by: message.author === "agent" ? "agent" : "system", name: text(message.name), text: words, at, seq: message.seq };
    return [entry];
  });
  return { entries, seen };
}
