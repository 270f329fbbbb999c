/** Builds src/ into dist/: the loader as a classic script, the chat as a module, and the hash of what they came from. */
import { createHash } from "node:crypto";
import { cp, mkdir, readFile, readdir, writeFile } from "node:fs/promises";
import { dirname, join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { build, transform } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const dist = join(here, "dist");

/** sha256 over every source's path and bytes, in path order; tests/browser/test_build.py computes the same. */
async function hashSources() {
  const entries = await readdir(join(here, "src"), { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const names = [...files, join(here, "build.mjs")].map((file) => relative(here, file).split(sep).join("/")).sort();
  const hash = createHash("sha256");
  for (const name of names) {
    const text = (await readFile(join(here, name), "utf8")).replaceAll("\r\n", "\n");
    hash.update(`${name}\0${text}\0`);
  }
  return hash.digest("hex");
}

const minifiedCss = {
  name: "minified-css",
  setup(/** @type {import("esbuild").PluginBuild} */ plugin) {
    plugin.onLoad({ filter: /\.css$/ }, async ({ path }) => {
      const { code } = await transform(await readFile(path, "utf8"), { loader: "css", minify: true });
      return { contents: code.trim(), loader: "text" };
    });
  },
};

const sources = await hashSources();
const shared = {
  bundle: true,
  minify: true,
  target: ["es2021"],
  charset: "utf8",
  legalComments: "none",
  define: { BUILD_ID: JSON.stringify(sources.slice(0, 12)) },
  plugins: [minifiedCss],
};

await mkdir(dist, { recursive: true });
await build({ ...shared, entryPoints: [join(here, "src/loader/main.js")], format: "iife", outfile: join(dist, "widget.js") });
await build({ ...shared, entryPoints: [join(here, "src/chat/main.js")], format: "esm", outfile: join(dist, "chat.js") });
await build({ ...shared, entryPoints: [join(here, "src/live/main.js")], format: "esm", outfile: join(dist, "live.js") });
await build({ ...shared, entryPoints: [join(here, "src/pieces/main.js")], format: "esm", outfile: join(dist, "pieces.js") });
await build({ ...shared, entryPoints: [join(here, "src/more/main.js")], format: "esm", outfile: join(dist, "more.js") });
await build({ ...shared, entryPoints: [join(here, "src/page/main.js")], format: "esm", outfile: join(dist, "page.js") });
await build({ ...shared, entryPoints: [join(here, "src/proof/main.js")], format: "esm", outfile: join(dist, "proof.js") });
await cp(join(here, "src/lang"), join(dist, "lang"), { recursive: true, filter: (path) => !/en\.(\w+\.)?json$/.test(path) });
await writeFile(join(dist, "sources.sha256"), `${sources}\n`);
