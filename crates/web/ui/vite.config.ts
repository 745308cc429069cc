// Builds the page into ../dist. The output is committed, so file names have no hashes, and a change
// of a file is visible as such.
import { defineConfig } from "vite";

export default defineConfig({
  // Chunks find each other relative to their own address, which may be below the path of a proxy.
  experimental: { renderBuiltUrl: (filename, { hostType }) => (hostType === "html" ? `/${filename}` : { relative: true }) },
  define: { HAS_SERVER: "true", IN_TAB: "false" },
  build: {
    outDir: "../dist",
    emptyOutDir: true,
    rolldownOptions: {
      // src/events.ts starts the worker by this name.
      input: { page: "index.html", events: "src/worker.ts" },
      output: { entryFileNames: "[name].js", chunkFileNames: "[name].js", assetFileNames: "[name][extname]" },
    },
  },
});
