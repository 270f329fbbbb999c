/** @import {Desk, Item} from "./types" */

const OPENING = /^\(\d+\) /;
const SETTLE_MS = 400;

/**
 * The number in the title (conversations that wait or are worth a look, and own ones with something unread), and a sound for what is new, if wanted.
 * @param {Desk} desk
 * @returns {() => void}
 */
export function watchUnread(desk) {
  let queued = 0;
  let worth = 0;
  /** @type {Map<string, number>} */
  const mine = new Map();
  let timer = 0;

  function title() {
    const count = queued + worth + [...mine.values()].filter(Boolean).length;
    document.title = (count ? `(${count}) ` : "") + document.title.replace(OPENING, "");
  }

  async function look() {
    try {
      const page = await desk.api.get("conversations", { owner: "me", state: "person", limit: 100 });
      mine.clear();
      for (const item of /** @type {Item[]} */ (page.items)) mine.set(item.id, item.unread);
      const { queued: now, worth: pressing } = page.counts;
      if (queued < now || worth < pressing) desk.emit("ring");
      [queued, worth] = [now, pressing];
      desk.emit("counts", page.counts);
      title();
    } catch {
      // The queue itself says what is wrong; the number is right again with the next event.
    }
  }

  function soon() {
    if (!timer) timer = window.setTimeout(() => { timer = 0; void look(); }, SETTLE_MS);
  }

  void look();
  const stops = [
    desk.on("conversation", soon), desk.on("reconnected", soon), desk.on("seen", soon), desk.on("title", title),
    desk.on("message", (event) => {
      soon();
      if ((event.message ?? event).author === "visitor") desk.emit("ring");
    }),
    desk.on("ring", () => { if (desk.preferences.get("sound")) ring(); }),
  ];
  return () => {
    clearTimeout(timer);
    stops.forEach((stop) => stop());
  };
}

/** @type {AudioContext | undefined} */
let audio;

/** Two soft notes. A browser that forbids sound keeps silent. */
function ring() {
  try {
    audio ??= new AudioContext();
    const at = audio.currentTime;
    const volume = audio.createGain();
    volume.gain.setValueAtTime(0.08, at);
    volume.gain.exponentialRampToValueAtTime(0.001, at + 0.35);
    volume.connect(audio.destination);
    [660, 880].forEach((hertz, i) => {
      const note = new OscillatorNode(/** @type {AudioContext} */ (audio), { frequency: hertz });
      note.connect(volume);
      note.start(at + i * 0.12);
      note.stop(at + 0.2 + i * 0.12);
    });
  } catch {
    audio = undefined;
  }
}
