/**
 * Pairs runs of backticks of equal length in one pass.
 * @param {string} text
 * @returns {(at: number) => { code: string | null, end: number }} for a run starting at `at`: its code and where to go on
 */
export function codeSpans(text) {
  /** @type {Map<number, number[]>} starts by length of run, last first */
  const starts = new Map();
  const runs = [...text.matchAll(/`+/g)].reverse();
  for (const { 0: run, index } of runs) {
    const known = starts.get(run.length) ?? [];
    known.push(index);
    starts.set(run.length, known);
  }
  return (at) => {
    let size = 1;
    while (text[at + size] === "`") size++;
    const candidates = starts.get(size) ?? [];
    while (candidates.length && (candidates.at(-1) ?? 0) <= at) candidates.pop();
    const close = candidates.at(-1);
    if (close === undefined) return { code: null, end: at + size };
    return { code: text.slice(at + size, close).replaceAll("\n", " ").trim(), end: close + size };
  };
}
