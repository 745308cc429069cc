// Adds to target/tab what the build of the page does not make: the engine, the networks, the
// manifest, and the script that keeps all files for use without a network. `make tab` calls it.
import { createHash } from "node:crypto";
import { copyFileSync, cpSync, mkdirSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

const root = fileURLToPath(new URL("..", import.meta.url));
const out = join(root, "target", "tab");
const engine = join(root, "crates", "tab", "engine", "node_modules", "stockfish");

// The program, as `cargo rustc` left it.
copyFileSync(process.argv[2], join(out, "centipawn.wasm"));
renameSync(join(out, "tab.html"), join(out, "index.html"));
copyFileSync(join(root, "crates", "web", "src", "example.pgn"), join(out, "example.pgn"));
copyFileSync(join(root, "LICENSE"), join(out, "LICENSE.txt"));

// The smallest build of Stockfish: one thread, and the small network.
mkdirSync(join(out, "engine"), { recursive: true });
for (const ending of ["js", "wasm"]) {
  copyFileSync(join(engine, "bin", `stockfish-19-lite-single.${ending}`), join(out, "engine", `stockfish.${ending}`));
}
copyFileSync(join(engine, "Copying.txt"), join(out, "engine", "LICENSE.txt"));

mkdirSync(join(out, "networks"), { recursive: true });
for (const name of readdirSync(join(root, "crates", "policy", "networks"))) {
  if (name.endsWith("-packed.pb.gz")) cpSync(join(root, "crates", "policy", "networks", name), join(out, "networks", name));
}

const manifest = {
  name: "Centipawn",
  short_name: "Centipawn",
  description: "Review your chess games in this browser.",
  start_url: "./",
  scope: "./",
  display: "standalone",
  background_color: "#fbfaf7",
  theme_color: "#1c5c8c",
  icons: [{ src: "./icon.svg", sizes: "any", type: "image/svg+xml", purpose: "any" }],
};
writeFileSync(join(out, "manifest.webmanifest"), `${JSON.stringify(manifest, null, 2)}\n`);

function files(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? files(path) : [relative(out, path).replaceAll("\\", "/")];
  });
}

const all = files(out).filter((name) => name !== "offline.js" && !name.endsWith("LICENSE.txt")).sort();
const version = createHash("sha256");
for (const name of all) version.update(name).update(readFileSync(join(out, name)));
const script = readFileSync(join(root, "crates", "web", "ui", "src", "tab", "offline.js"), "utf8")
  .replace("VERSION", JSON.stringify(version.digest("hex").slice(0, 16)))
  .replace("FILES", JSON.stringify(all.map((name) => (name === "index.html" ? "./" : `./${name}`))));
writeFileSync(join(out, "offline.js"), script);

// What a visitor loads: plain sizes, and compressed as web spaces send them.
const kib = (bytes) => `${(bytes / 1024).toFixed(0)} KiB`.padStart(10);
const size = (name) => [statSync(join(out, name)).size, gzipSync(readFileSync(join(out, name))).length];
const groups = [
  ["page", (name) => !/^(engine|networks)\//.test(name) && !name.endsWith(".wasm")],
  ["program", (name) => name.endsWith(".wasm") && !name.startsWith("engine/")],
  ["networks", (name) => name.startsWith("networks/")],
  ["engine", (name) => name.startsWith("engine/")],
];
for (const [title, belongs] of groups) {
  const sizes = files(out).filter(belongs).map(size);
  const sum = (at) => sizes.reduce((sum, pair) => sum + pair[at], 0);
  console.log(`${title.padEnd(10)}${kib(sum(0))}, compressed${kib(sum(1))}`);
}
