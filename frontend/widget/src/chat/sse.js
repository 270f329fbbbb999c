/**
 * Server-sent events out of bytes, however they are cut (HTML standard, 9.2.6).
 * @param {(event: { id: string, data: string }) => void} emit called once per event that has data
 * @returns {(bytes: Uint8Array) => void}
 */
export function createEventReader(emit) {
  const decoder = new TextDecoder();
  let rest = "";
  let id = "";
  /** @type {string[]} */
  let data = [];

  /** @param {string} line */
  function read(line) {
    if (!line) {
      if (data.length) emit({ id, data: data.join("\n") });
      data = [];
      return;
    }
    const colon = line.indexOf(":");
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (field === "data") data.push(value);
    else if (field === "id") id = value;
  }

  return (bytes) => {
    // A carriage return at the end may be half of a line end.
    const lines = (rest + decoder.decode(bytes, { stream: true })).split(/\r\n|\n|\r(?!$)/);
    rest = lines.pop() ?? "";
    for (const line of lines) read(line);
  };
}
