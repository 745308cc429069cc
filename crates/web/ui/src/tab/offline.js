// Keeps the files of the page, so that it opens without a network. scripts/tab.mjs fills in the
// version and the names of the files.

const NAME = `centipawn ${VERSION}`;
const ALL = FILES;
/** Files that only a review needs: they are kept when they are first loaded. */
const isLater = (name) => /\/(engine|networks)\//.test(name);

addEventListener("install", (event) => {
  event.waitUntil(
    caches
      .open(NAME)
      .then((cache) => cache.addAll(ALL.filter((name) => !isLater(name))))
      .then(() => skipWaiting()),
  );
});

addEventListener("activate", (event) => {
  event.waitUntil(
    caches
      .keys()
      .then((names) => Promise.all(names.filter((name) => name.startsWith("centipawn ") && name !== NAME).map((name) => caches.delete(name))))
      .then(() => clients.claim()),
  );
});

async function answer(request) {
  const cache = await caches.open(NAME);
  // All rooms are one document, whatever the query says.
  const kept = await cache.match(request, { ignoreSearch: request.mode === "navigate" });
  if (kept) return kept;
  const response = await fetch(request);
  if (response.ok) await cache.put(request, response.clone());
  return response;
}

addEventListener("fetch", (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  const scope = new URL(registration.scope);
  const isBelow = origin === scope.origin && pathname.startsWith(scope.pathname);
  // Other pages of the web space, such as the book beside this page, come from the network.
  const isOwn = isBelow && ALL.includes(`./${pathname.slice(scope.pathname.length)}`);
  if (isOwn && request.method === "GET") event.respondWith(answer(request));
});

// Once the page is open, load the rest too, so that a review works without a network.
addEventListener("message", (event) => {
  if (event.data !== "complete") return;
  const load = async () => {
    const cache = await caches.open(NAME);
    for (const name of ALL.filter(isLater)) if (!(await cache.match(name))) await cache.add(name);
  };
  event.waitUntil(load());
});
