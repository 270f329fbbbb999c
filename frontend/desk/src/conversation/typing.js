/** @import {Desk, Message} from "../types" */
import { el } from "../../../widget/src/shared/dom.js";

const FADES_MS = 6000;

/** "The visitor is typing…", until they send or stop. @param {Desk} desk @param {string} id */
export function createTyping(desk, id) {
  const element = el("p", { class: "typing", "aria-live": "off" });
  /** @type {Map<string, number>} */
  const timers = new Map();

  function show() {
    const names = [...timers.keys()];
    element.textContent = names.length ? desk.t("typing", { name: names.join(", ") }) : "";
  }

  /** @param {string} name */
  function stop(name) {
    clearTimeout(timers.get(name));
    timers.delete(name);
    show();
  }

  const off = desk.on("typing", (event) => {
    if (event.conversation_id !== id || event.user_id === desk.me.id) return;
    const name = event.author === "visitor" ? desk.t("author_visitor") : event.name ?? desk.t("colleague");
    if (event.author === "agent" && !event.user_id && name === desk.me.name) return;
    if (event.on === false) return stop(name);
    clearTimeout(timers.get(name));
    timers.set(name, window.setTimeout(() => stop(name), FADES_MS));
    show();
  });
  return {
    element,
    /** @param {Message} message */
    stopped: (message) => stop(message.author === "visitor" ? desk.t("author_visitor") : message.name ?? ""),
    close() {
      off();
      for (const timer of timers.values()) clearTimeout(timer);
    },
  };
}
