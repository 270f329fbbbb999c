/** @import {Context, Translate} from "../types" */
import { el } from "../shared/dom.js";
import { authorOf } from "../chat/message.js";
import { readReply } from "../chat/read-reply.js";
import { list, record } from "../chat/shape.js";

/** @param {Context} context @param {Translate} t @returns {string} the conversation as plain text */
export function writeTranscript(context, t) {
  const { config, session, plain } = context;
  const title = t("transcript_title", { name: authorOf(context, "assistant") });
  const turns = session.entries.map((entry) => {
    const at = new Date(entry.at).toLocaleString(config.lang);
    if (entry.kind === "visitor") return `${authorOf(context, "visitor")}, ${at}\n${entry.text}`;
    if (entry.kind === "handoff") {
      const { reference, sent } = entry.receipt;
      return [`${t("transcript_reference", { reference })}, ${at}`, sent].filter(Boolean).join("\n");
    }
    if (entry.kind === "person") return entry.by === "system" ? entry.text : `${entry.name || authorOf(context, "team")}, ${at}\n${entry.text}`;
    if (entry.kind === "stopped") return [`${authorOf(context, "assistant")} (${t("ai_label")}), ${at}`, plain({ ...readReply({}), answer: entry.text }), t("stopped")].filter(Boolean).join("\n");
    const { disclaimer, citations, routing } = entry.reply;
    const author = routing === "handed_off" ? authorOf(context, "team") : `${authorOf(context, "assistant")} (${t("ai_label")})`;
    const noted = routing === "low_confidence" ? [] : citations;
    const notes = noted.map(({ index, title: name, url }) => `[${index}] ${name} ${url}`.trim());
    const answer = plain(entry.reply, (n) => (noted.some(({ index }) => index === n) ? `[${n}]` : null));
    const closed = list(entry.reply.closest).map(record).filter(({ open }) => !open)
      .map(({ title, section }) => `- ${[title, section].filter(Boolean).join(" › ")}`);
    return [`${author}, ${at}`, disclaimer, answer, ...closed, ...notes].filter(Boolean).join("\n");
  });
  return [title, ...turns].join("\n\n") + "\n";
}

/** @param {string} text saved by a data address: a strict policy may forbid blob: ones */
export function saveText(text) {
  const day = new Date().toISOString().slice(0, 10);
  el("a", { href: `data:text/plain;charset=utf-8,${encodeURIComponent(text)}`, download: `conversation-${day}.txt` }).click();
}
