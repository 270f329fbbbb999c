/** What Markdown rendering drops or changes; positions are counted without it on both sides. */
const UNSEEN = /[\s*_`|#>\\]/;

/** @typedef {{ node: Text, offset: number }} Place */

/**
 * The letters of what was rendered, and where each of them stands.
 * @param {Node} root
 * @returns {{ letters: string, places: Place[] }}
 */
export function lettersOf(root) {
  /** @type {Place[]} */
  const places = [];
  let letters = "";
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const text = node.nodeValue ?? "";
    for (let offset = 0; offset < text.length; offset++) {
      const letter = text.charAt(offset);
      if (UNSEEN.test(letter)) continue;
      letters += letter;
      places.push({ node: /** @type {Text} */ (node), offset });
    }
  }
  return { letters, places };
}

/**
 * Marks the words of `quote` inside what was rendered from the text that holds it. Leaves all as it is when they are not there.
 * @param {Node} root
 * @param {string} quote
 */
export function markQuote(root, quote) {
  const wanted = squeezed(quote);
  const start = wanted ? lettersOf(root).letters.indexOf(wanted) : -1;
  if (start >= 0) markLetters(root, start, start + wanted.length);
}

/** @param {Node} root @param {number} start @param {number} end of its letters */
export function markLetters(root, start, end) {
  /** @type {Map<Text, [number, number]>} */
  const runs = new Map();
  for (const { node, offset } of lettersOf(root).places.slice(start, end)) {
    runs.set(node, [runs.get(node)?.[0] ?? offset, offset + 1]);
  }
  const nodes = [...runs.keys()];
  // Between the first and the last run the spaces are marked, too: words in bold do not tear the mark.
  for (const [node, [from, to]] of runs) wrap(node, node === nodes[0] ? from : 0, node === nodes.at(-1) ? to : node.length);
}

/** @param {string} text list markers and numbering are not in the rendered words either */
const squeezed = (text) => [...text.replace(/^\s*(?:[-*+]|\d+[.)])\s+/gm, "").replace(/\[([^\]]*)\]\([^)]*\)/g, "$1")].filter((letter) => !UNSEEN.test(letter)).join("");

/** @param {Text} node @param {number} from @param {number} to */
function wrap(node, from, to) {
  const range = document.createRange();
  range.setStart(node, from);
  range.setEnd(node, to);
  range.surroundContents(document.createElement("mark"));
}
