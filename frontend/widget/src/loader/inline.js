/** @import {Bus, Chat, Options, Visitor} from "../types" */
import styles from "../styles/inline.css";
import { sheet } from "../shared/sheet.js";
import { fetchConfig, loadChat } from "./load.js";

/**
 * Defines `<handrail-chat>`: the same chat, in the flow of the page, for as long as the element is on it.
 * @param {Options} options
 * @param {Visitor} visitor
 * @param {Bus} bus
 */
export function defineInline(options, visitor, bus) {
  if (customElements.get("handrail-chat")) return;

  class HandrailChat extends HTMLElement {
    /** @type {Chat | null} */
    #chat = null;

    async connectedCallback() {
      const root = this.shadowRoot ?? this.attachShadow({ mode: "open" });
      root.adoptedStyleSheets = [sheet(styles)];
      const loaded = await loadChat(options, visitor).catch(() => null);
      if (!loaded || !this.isConnected || this.#chat) return;
      this.#chat = loaded.mountChat({
        root, inline: true, rawConfig: loaded.rawConfig, words: loaded.words, options, visitor, emit: bus.emit,
        fetchConfig: () => fetchConfig(options, visitor), onClose() {},
      });
    }

    disconnectedCallback() {
      this.#chat?.destroy();
      this.#chat = null;
    }
  }
  customElements.define("handrail-chat", HandrailChat);
}
