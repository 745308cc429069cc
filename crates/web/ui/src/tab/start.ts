// The first script of the page without a server.
import { save } from "./transport";

// Downloads come from the worker.
addEventListener(
  "click",
  (event) => {
    const link = (event.target as Element | null)?.closest<HTMLAnchorElement>("a[href^='/api/']");
    if (!link) return;
    event.preventDefault();
    event.stopPropagation();
    void save(link.getAttribute("href")!);
  },
  { capture: true },
);

// The browser keeps the page's files, so that it opens without a network.
if ("serviceWorker" in navigator) {
  void navigator.serviceWorker.register("./offline.js").catch(() => undefined);
  // A review needs more files. Load them when the page is at rest, so that it works offline, too.
  void navigator.serviceWorker.ready.then(({ active }) => setTimeout(() => active?.postMessage("complete"), 5000));
}

void import("../main");
