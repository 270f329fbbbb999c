/** @import {Chat, Options} from "../types" */
import styles from "../styles/inline.css";
import { createBus } from "../shared/bus.js";
import { sheet } from "../shared/sheet.js";
import { loadChat } from "./load.js";

/**
 * Defines `<handrail-chat>`: the same chat, in the flow of the page, for as long as the element is on it.
 * @param {Options} options
 * @param {{ setUser: Function }} _widget
 */
export function defineInline(options, _widget) {
  if (customElements.get("handrail-chat")) return;

  class HandrailChat extends HTMLElement {
    /** @type {Chat | null} */
    #chat = null;
    #bus = createBus();

    async connectedCallback() {
      const root = this.shadowRoot ?? this.attachShadow({ mode: "open" });
      root.adoptedStyleSheets = [sheet(styles)];
      const loaded = await loadChat(options).catch(() => null);
      if (!loaded || !this.isConnected || this.#chat) return;
      this.#chat = loaded.mountChat({
        root, inline: true, rawConfig: loaded.rawConfig, options, visitor: { user: {}, context: {} },
        emit: (name, detail) => this.dispatchEvent(new CustomEvent(`handrail:${name}`, { detail })) && this.#bus.emit(name, detail),
        onClose: () => {},
      });
    }

    disconnectedCallback() {
      this.#chat?.destroy();
      this.#chat = null;
    }
  }
  customElements.define("handrail-chat", HandrailChat);
}
