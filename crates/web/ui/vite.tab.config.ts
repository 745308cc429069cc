// Builds the page without a server into target/tab. `make tab` adds the other files; see
// ../../../scripts/tab.mjs.
import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const beside = (name: string) => at(`src/tab/${name}.ts`);
const alias = [
  // These files replace the server by a worker in the browser.
  { find: /^(\.\.?)\/transport$/, replacement: beside("transport") },
  { find: /^(\.\.?)\/events$/, replacement: beside("events") },
  { find: /^(\.\.?)\/base$/, replacement: beside("base") },
];
const output = { entryFileNames: "[name].js", chunkFileNames: "[name].js", assetFileNames: "[name][extname]" };

export default defineConfig({
  // The page lies in any folder of a web space.
  base: "./",
  define: { HAS_SERVER: "true", IN_TAB: "true" },
  resolve: { alias },
  worker: { format: "es", rolldownOptions: { output } },
  build: {
    outDir: "../../../target/tab",
    emptyOutDir: true,
    // The page's policy allows no images in styles and no modules in addresses.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: { input: { page: "tab.html" }, output },
  },
});
