// Builds the page into ../dist under fixed names, so that the same sources give the same bytes.
import { defineConfig } from "vite";

export default defineConfig({
  base: "/",
  define: { HAS_SERVER: "true" },
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  build: {
    outDir: "../dist",
    emptyOutDir: true,
    target: "es2022",
    modulePreload: false,
    assetsInlineLimit: 0,
    rolldownOptions: {
      input: { page: "index.html", events: "src/worker.ts" },
      output: {
        entryFileNames: "[name].js",
        // What two rooms share is named for its last module.
        chunkFileNames: ({ isDynamicEntry, moduleIds }) =>
          isDynamicEntry ? "[name].js" : `${moduleIds.at(-1)?.replace(/^.*\/|\.\w+$/g, "")}.js`,
        assetFileNames: "[name][extname]",
      },
    },
  },
});
