// Reads a recorded stream with the parser and the transport of the npm `ai` package, cut at every byte.
// Usage: node ui-message-stream.mjs FILE; prints {"cuts", "chunks", "message", "sent"} as JSON.
import { readFile } from "node:fs/promises";
import { DefaultChatTransport, parseJsonEventStream, readUIMessageStream, uiMessageChunkSchema } from "ai";

const bytes = new Uint8Array(await readFile(process.argv[2]));

/** @param {Uint8Array[]} pieces */
const streamOf = (pieces) =>
  new ReadableStream({
    start(controller) {
      for (const piece of pieces) controller.enqueue(piece);
      controller.close();
    },
  });

/** @param {Uint8Array[]} pieces */
const parsed = async (pieces) => {
  const chunks = [];
  for await (const result of parseJsonEventStream({ stream: streamOf(pieces), schema: uiMessageChunkSchema })) {
    if (!result.success) throw new Error(`not a UI message chunk: ${result.error}`);
    chunks.push(result.value);
  }
  return chunks;
};

const chunks = await parsed([bytes]);
const expected = JSON.stringify(chunks);
for (let cut = 1; cut < bytes.length; cut++) {
  const found = JSON.stringify(await parsed([bytes.slice(0, cut), bytes.slice(cut)]));
  if (found !== expected) throw new Error(`cut at byte ${cut}: ${found}`);
}
const singly = JSON.stringify(await parsed([...bytes].map((byte) => Uint8Array.of(byte))));
if (singly !== expected) throw new Error("byte by byte");

let sent;
const transport = new DefaultChatTransport({
  api: "http://handrail.test/chat/stream",
  prepareSendMessagesRequest: ({ messages }) => ({ body: { question: messages.at(-1).parts[0].text } }),
  fetch: async (url, options) => {
    sent = { url: String(url), body: JSON.parse(options.body) };
    return new Response(streamOf([bytes]), { headers: { "content-type": "text/event-stream" } });
  },
});
const stream = await transport.sendMessages({
  trigger: "submit-message",
  chatId: "c-1",
  messages: [{ id: "m-1", role: "user", parts: [{ type: "text", text: "How?" }] }],
});
let message;
for await (const state of readUIMessageStream({ stream })) message = state;
console.log(JSON.stringify({ cuts: bytes.length - 1, chunks, message, sent }));
