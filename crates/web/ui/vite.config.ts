// Builds the page into ../dist. The output is committed, so file names have no hashes: a change is then a change of the same file.
import { defineConfig } from "vite";

export default defineConfig({
  define: { HAS_SERVER: "true" },
  build: {
    outDir: "../dist",
    emptyOutDir: true,
    rolldownOptions: {
      // The worker keeps the name under which src/events.ts starts it.
      input: { page: "index.html", events: "src/worker.ts" },
      output: { entryFileNames: "[name].js", chunkFileNames: "[name].js", assetFileNames: "[name][extname]" },
    },
  },
});
