/** Builds src/ into dist/: the page, its styles, the desk as a module and the charts as another, and the hash of what they came from. */
import { createHash } from "node:crypto";
import { cp, mkdir, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { dirname, join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const frontend = dirname(here);
const dist = join(here, "dist");
const FOLDERS = ["desk/src", "widget/src/shared", "widget/src/markdown"];

/** sha256 over every source's path and bytes, in path order; tests/browser/test_desk_build.py computes the same. */
async function hashSources() {
  const lists = await Promise.all(FOLDERS.map((folder) => readdir(join(frontend, folder), { recursive: true, withFileTypes: true })));
  const files = lists.flat().filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const names = [...files, join(here, "build.mjs")].map((file) => relative(frontend, file).split(sep).join("/")).sort();
  const hash = createHash("sha256");
  for (const name of names) {
    const text = (await readFile(join(frontend, name), "utf8")).replaceAll("\r\n", "\n");
    hash.update(`${name}\0${text}\0`);
  }
  return hash.digest("hex");
}

const sources = await hashSources();
const shared = { bundle: true, minify: true, target: ["es2021"], charset: "utf8", legalComments: "none" };

await rm(dist, { recursive: true, force: true });
await mkdir(dist, { recursive: true });
await build({
  ...shared, entryPoints: [join(here, "src/main.js")], format: "esm", outfile: join(dist, "desk.js"),
  define: { BUILD_ID: JSON.stringify(sources.slice(0, 12)) },
});
await build({ ...shared, entryPoints: [join(here, "src/reports/charts.js")], format: "esm", outfile: join(dist, "charts.js") });
await build({ ...shared, entryPoints: [join(here, "src/styles/desk.css")], outfile: join(dist, "desk.css") });
await cp(join(here, "src/icon.svg"), join(dist, "icon.svg"));
const page = await readFile(join(here, "src/index.html"), "utf8");
await writeFile(join(dist, "index.html"), page.replaceAll("BUILD_ID", sources.slice(0, 12)));
await writeFile(join(dist, "sources.sha256"), `${sources}\n`);
