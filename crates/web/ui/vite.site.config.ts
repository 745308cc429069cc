// Builds the viewer of reports and sites into crates/site/dist: one classic script, which a page opened from disk may load.
import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";

const beside = (name: string) => fileURLToPath(new URL(`src/site/${name}.ts`, import.meta.url));

export default defineConfig({
  base: "./",
  define: { HAS_SERVER: "false" },
  resolve: {
    // Documents answer in place of a server.
    alias: [
      { find: /^\.\.\/api$/, replacement: beside("api") },
      { find: /^\.\.\/events$/, replacement: beside("events") },
      { find: /^\.\.\/route$/, replacement: beside("route") },
    ],
  },
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  build: {
    outDir: "../../site/dist",
    emptyOutDir: true,
    target: "es2022",
    modulePreload: false,
    assetsInlineLimit: 0,
    cssCodeSplit: false,
    rolldownOptions: {
      input: { viewer: "src/site/main.tsx" },
      // Parts that the page loads later are within the one script here.
      checks: { emptyImportMeta: false },
      output: { format: "iife", codeSplitting: false, entryFileNames: "viewer.js", assetFileNames: "viewer[extname]" },
    },
  },
});
