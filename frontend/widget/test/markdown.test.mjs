import assert from "node:assert/strict";
import { test } from "node:test";
import { citedLast } from "../src/markdown/cited-last.js";
import { safeHref } from "../src/markdown/href.js";
import { parseMarkdown } from "../src/markdown/parse.js";

/** @param {string} text */
const inlineOf = (text) => parseMarkdown(text)[0].inline;

test("emphasis nests and unmatched markers stay text", () => {
  assert.deepEqual(inlineOf("**bold *both* **and * star"), [
    "**bold ", { type: "em", children: ["both"] }, " **and * star",
  ]);
  assert.deepEqual(inlineOf("***x*** snake_case_name"), [
    { type: "strong", children: [{ type: "em", children: ["x"] }] }, " snake_case_name",
  ]);
});

test("citations are separated from links", () => {
  assert.deepEqual(inlineOf("Open it [1][2, 3]."), [
    "Open it ", { type: "cite", index: 1 }, { type: "cite", index: 2 }, { type: "cite", index: 3 }, ".",
  ]);
  assert.deepEqual(inlineOf("[1](https://a.example/)"), [{ type: "link", href: "https://a.example/", children: ["1"] }]);
});

test("citations stand behind the punctuation after them", () => {
  const one = { type: "cite", index: 1 };
  const two = { type: "cite", index: 2 };
  assert.deepEqual(citedLast(inlineOf("Open it [1][2]. Then save [2]")), ["Open it. ", one, two, " Then save ", two]);
  assert.deepEqual(citedLast(inlineOf("Choose **Refund** [1].")), [
    "Choose ", { type: "strong", children: ["Refund"] }, ". ", one,
  ]);
  assert.deepEqual(citedLast(inlineOf("**Refund**[1]: now")), [{ type: "strong", children: ["Refund"] }, ": ", one, " now"]);
  assert.deepEqual(citedLast(inlineOf("It is [1] so. And [2] more")), ["It is ", one, " so. And ", two, " more"]);
});

test("code keeps its markers and its citations", () => {
  assert.deepEqual(inlineOf("use `**[1]**` or ``a`b``"), [
    "use ", { type: "code", text: "**[1]**" }, " or ", { type: "code", text: "a`b" },
  ]);
});

test("an image is its label", () => {
  assert.deepEqual(inlineOf("![a cat](https://evil.example/p.png) here"), ["a cat here"]);
});

test("bare addresses become links without the sentence's full stop", () => {
  assert.deepEqual(inlineOf("See https://help.example/a."), [
    "See ", { type: "link", href: "https://help.example/a", children: ["https://help.example/a"] }, ".",
  ]);
});

test("lists nest, keep their start and may be indented by two", () => {
  const [list] = parseMarkdown("3. three\n  - inner\n  - inner two\n4. four\n\n   still four");
  assert.equal(list.type, "list");
  assert.equal(list.start, 3);
  assert.equal(list.items.length, 2);
  assert.equal(list.items[0][1].type, "list");
  assert.equal(list.items[0][1].items.length, 2);
  assert.equal(list.items[1].length, 2);
});

test("tables, headings, code blocks and quotes are read", () => {
  const blocks = parseMarkdown("# Plans\n| Plan | Price |\n|---|--:|\n| Solo | 14 |\n\n```sh\n**not bold**\n```\n> quoted\n---\nend");
  assert.deepEqual(blocks.map(({ type }) => type), ["heading", "table", "code", "quote", "paragraph"]);
  assert.deepEqual(blocks[1].rows, [[["Solo"], ["14"]]]);
  assert.equal(blocks[2].text, "**not bold**");
});

test("links go only to https on known hosts and to their mail domain", () => {
  const hosts = new Set(["help.shop.example"]);
  assert.equal(safeHref("https://help.shop.example/a#b", hosts), "https://help.shop.example/a#b");
  assert.equal(safeHref("mailto:support@shop.example?body=secret", hosts), "mailto:support@shop.example");
  for (const raw of ["javascript:alert(1)", "http://help.shop.example/", "https://evil.example/", "/relative", "data:text/html,x",
    "https://help.shop.example@evil.example/", "https://u:p@help.shop.example/", "https://help.shop.example.evil.example/",
    "https://help.shop.example:444/", "mailto:a@evil.example", "mailto:a@shop.example,b@evil.example", "JaVaScRiPt:alert(1)"]) {
    assert.equal(safeHref(raw, hosts), null, raw);
  }
});

for (const [name, text] of Object.entries({
  stars: "*".repeat(100_000),
  "spaced stars": "*a ".repeat(50_000),
  "nested emphasis": "*a ".repeat(20_000) + "b* ".repeat(20_000),
  brackets: "[".repeat(100_000),
  "link starts": "[a](".repeat(30_000),
  "link ends": "](".repeat(50_000),
  backticks: Array.from({ length: 400 }, (_, i) => "`".repeat(i + 1)).join("a"),
  "nested lists": Array.from({ length: 2_000 }, (_, i) => `${" ".repeat(Math.min(i * 2, 60))}- x`).join("\n"),
  "deep list on one line": "- ".repeat(50_000),
  quotes: ">".repeat(100_000),
  "table bars": "|".repeat(50_000) + "\n" + "|-".repeat(25_000),
  "half tables": "a|b\n-|-|-\n".repeat(10_000),
  spaces: "# " + " ".repeat(100_000) + "x",
  addresses: "https://".repeat(12_000),
  digits: "[1,".repeat(30_000),
})) {
  test(`hostile input is read in time proportional to its length: ${name}`, { timeout: 5_000 }, () => {
    const began = performance.now();
    parseMarkdown(text);
    assert.ok(performance.now() - began < 1_500);
  });
}
