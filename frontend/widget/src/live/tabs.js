/** @import {Context} from "../types" */

/**
 * Hands a renewed token to the other tabs of this conversation: each token is exchanged once, and the one before it soon ends.
 * @param {Context} context
 */
export function shareToken(context) {
  const { session, signal, save } = context;
  const tabs = new BroadcastChannel("handrail");
  let told = session.token;
  context.save = () => {
    save();
    if (session.token && session.token !== told) tabs.postMessage([session.conversationId, (told = session.token), session.tokenUntil]);
  };
  tabs.onmessage = ({ data: [id, token, tokenUntil] }) => {
    if (id === session.conversationId && tokenUntil > session.tokenUntil) Object.assign(session, { token: (told = token), tokenUntil });
  };
  signal.addEventListener("abort", () => tabs.close());
}
