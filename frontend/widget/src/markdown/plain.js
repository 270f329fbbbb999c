/** @param {string} name of an element @returns {string} what stands between its parts */
function between(name) {
  if (name === "TR") return " | ";
  if (/^(OL|UL|LI|DIV|TABLE|THEAD|TBODY)$/.test(name)) return "\n";
  return /^[#B]/.test(name) ? "\n\n" : "";
}

/** @param {Node} node rendered Markdown @returns {string} the same as it is written in a letter: steps numbered, links with their address */
export function plainOf(node) {
  const { nodeName } = node;
  if (nodeName === "BR") return "\n";
  if (nodeName === "#text") return (node.textContent ?? "").replace(/\s+/g, " ");
  if (nodeName === "PRE") return node.textContent ?? "";
  const parts = [...node.childNodes].map((part, i) => {
    const text = plainOf(part);
    if (part.nodeName !== "LI") return text;
    return `${nodeName === "OL" ? `${/** @type {HTMLOListElement} */ (node).start + i}.` : "-"} ${text.trim().replaceAll("\n", "\n   ")}`;
  });
  const text = parts.join(between(nodeName));
  const to = nodeName === "A" ? /** @type {HTMLAnchorElement} */ (node).href.replace("mailto:", "") : "";
  return to && to !== text && to !== `${text}/` ? `${text} (${to})` : text;
}
