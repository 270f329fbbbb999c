const NAMES = ["conversation", "typing", "presence", "state", "read", "note", "pause", "sync"];
const RETRY_MS = [1000, 2000, 5000, 10_000];

/**
 * The desk's events. After every gap `reconnected` is emitted: events only say where to look, so the lists are read again.
 * @param {string} url
 * @param {(name: string, detail?: any) => void} emit gets each event, and `connection` with whether there is one
 * @returns {() => void} stops it
 */
export function listen(url, emit) {
  /** @type {EventSource | null} */
  let source = null;
  let failures = 0;
  let lost = false;
  let timer = 0;

  /** @param {MessageEvent} event */
  function receive(event) {
    let data;
    try {
      data = JSON.parse(event.data);
    } catch {
      return;
    }
    emit(data.type ?? event.type, data);
  }

  function connect() {
    source = new EventSource(url);
    source.onopen = () => {
      failures = 0;
      emit("connection", true);
      if (lost) emit("reconnected");
      lost = false;
    };
    source.onerror = () => {
      lost = true;
      emit("connection", false);
      if (source?.readyState !== EventSource.CLOSED) return;
      // Refused for good, such as by a proxy's 502 or a session that ended: try again ourselves, more and more slowly.
      timer = window.setTimeout(connect, RETRY_MS[Math.min(failures++, RETRY_MS.length - 1)]);
      emit("refused");
    };
    source.onmessage = receive;
    for (const name of NAMES) source.addEventListener(name, (event) => receive(/** @type {MessageEvent} */ (event)));
  }

  connect();
  return () => {
    clearTimeout(timer);
    source?.close();
  };
}
