// Builds the viewer of reports and sites into crates/site/dist. It is one classic script, because a
// page that is opened from disk cannot load modules.
import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";

const beside = (name: string) => fileURLToPath(new URL(`src/site/${name}.ts`, import.meta.url));

export default defineConfig({
  define: { HAS_SERVER: "false", IN_TAB: "false" },
  resolve: {
    // These files replace the server by the documents in the page.
    alias: [
      { find: /^\.\.\/api$/, replacement: beside("api") },
      { find: /^\.\.\/events$/, replacement: beside("events") },
      { find: /^\.\.\/route$/, replacement: beside("route") },
    ],
  },
  build: {
    outDir: "../../site/dist",
    emptyOutDir: true,
    // Otherwise the styles would be inside the script.
    cssCodeSplit: false,
    rolldownOptions: {
      input: { viewer: "src/site/main.tsx" },
      output: { format: "iife", entryFileNames: "[name].js", assetFileNames: "viewer[extname]" },
    },
  },
});
