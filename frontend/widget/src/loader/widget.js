/** @import {Bus, Chat, Options, Visitor} from "../types" */
import styles from "../styles/launcher.css";
import { recall, remember } from "../shared/memory.js";
import { sheet } from "../shared/sheet.js";
import { keepAttached } from "./attach.js";
import { createLauncher } from "./launcher.js";
import { fetchConfig, loadChat } from "./load.js";

/**
 * The floating widget: its launcher now, its chat on first open. Returns the page's commands.
 * @param {Options} options
 * @param {Visitor} visitor
 * @param {Bus} bus
 */
export function createWidget(options, visitor, bus) {
  const host = document.createElement("handrail-widget");
  const root = host.attachShadow({ mode: "open" });
  root.adoptedStyleSheets = [sheet(styles)];
  const launcher = createLauncher(root, options, visitor, () => commands.toggle());
  let wanted = false;
  let unread = 0;
  let alive = true;
  /** @type {Element | null} what had the focus before the chat took it */
  let opener = null;
  /** @type {Chat | null} */
  let chat = null;
  /** @type {Promise<Chat> | null} */
  let coming = null;

  /** @param {string} name @param {unknown} [detail] */
  function emit(name, detail) {
    if (name === "answer" && !wanted) launcher.show({ unread: ++unread });
    if (name === "unread") return launcher.show({ unread: (unread = Number(detail)) });
    bus.emit(name, detail);
  }

  async function mount() {
    const { mountChat, rawConfig, words } = await loadChat(options, visitor);
    launcher.paint(/** @type {any} */ (rawConfig)?.brand?.accent ?? "");
    return (chat = mountChat({ root, inline: false, rawConfig, words, options, visitor, emit,
      fetchConfig: () => fetchConfig(options, visitor), onClose: () => commands.close() }));
  }

  /** @param {boolean} focus */
  async function open(focus) {
    if (wanted || !alive) return;
    wanted = true;
    opener = document.activeElement;
    unread = 0;
    launcher.show({ busy: true, failed: false, unread });
    try {
      const ready = await (coming ??= mount());
      if (!alive) return ready.destroy();
      launcher.show({ busy: false, open: wanted });
      if (wanted) ready.open(focus);
      if (wanted) emit("open");
    } catch (error) {
      coming = null;
      wanted = false;
      launcher.show({ busy: false, failed: true });
      emit("error", error);
    }
  }

  function giveBackFocus() {
    const elsewhere = opener instanceof HTMLElement && opener.isConnected && opener !== host && opener !== document.body;
    const target = elsewhere ? /** @type {HTMLElement} */ (opener) : launcher.button;
    target.focus({ preventScroll: true });
  }

  const commands = {
    open: () => void open(true),
    close() {
      if (!wanted) return;
      wanted = false;
      const inside = root.activeElement !== null;
      launcher.show({ open: false, busy: false });
      chat?.close();
      if (inside) giveBackFocus();
      emit("close");
    },
    toggle: () => (wanted ? commands.close() : commands.open()),
    /** @param {Visitor["user"]} user */
    setUser: (user) => void Object.assign(visitor.user, user),
    /** @param {Visitor["context"]} context */
    setContext(context) {
      Object.assign(visitor.context, context);
      launcher.show({});
    },
    on: bus.on,
    reset() {
      remember(options.widget, null);
      chat?.reset();
      emit("reset");
    },
    destroy() {
      alive = false;
      chat?.destroy();
      detach();
      delete window.handrail;
    },
  };

  const detach = keepAttached(host, () => {
    launcher.paint("");
    chat?.settle();
  });
  launcher.show({});
  // A conversation left open on the last page goes on here, without taking the focus from the page; one with people
  // is listened to behind the launcher.
  const kept = recall(options.widget);
  if (kept?.open && !matchMedia("(max-width: 639.98px)").matches) void open(false);
  else if (kept?.live) (coming = mount()).catch(() => { coming = null; });
  return commands;
}
