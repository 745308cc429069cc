// What tests of the page share: a room in a browser of its own, the server's answers, patience.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** Widths at which every room can be read, the narrowest first: a page that is opened there follows the window as it grows. */
const WIDTHS = { narrow: [320, 640], phone: [390, 844], desk: [1280, 900] };

/** A narrow window, in which pages are opened that are then read at every width. */
export const NARROW = { viewport: { width: WIDTHS.narrow[0], height: WIDTHS.narrow[1] } };

/** Opens a room; `troubles` collects what the console says, errors, and requests to anybody else. */
export async function openRoom(browser, at, path, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  const page = await context.newPage();
  const troubles = [];
  page.on("console", (message) => troubles.push(`console: ${message.text()} (${message.location().url})`));
  page.on("pageerror", (error) => troubles.push(`error: ${error}`));
  page.on("request", (request) => {
    if (!request.url().startsWith(at.url)) troubles.push(`request: ${request.url()}`);
  });
  await page.goto(at.url + path);
  return { page, troubles, close: () => context.close() };
}

/** Asks a server as the page does. */
export async function askServer(at, method, path, body) {
  const text = body === undefined || typeof body === "string" ? body : JSON.stringify(body);
  const response = await fetch(`${at.url}/api/${path}`, { method, body: text, headers: { "X-Centipawn": "1" } });
  return response.json();
}

/** In this page events begin when it calls `hear()`: until then the stream is not open. */
export const holdEvents = (page) =>
  page.addInitScript(() => {
    const Real = window.SharedWorker;
    window.SharedWorker = class {
      constructor(...how) {
        const { port1, port2 } = new MessageChannel();
        this.port = port1;
        window.hear = () => {
          const { port } = new Real(...how);
          port.onmessage = ({ data }) => port2.postMessage(data);
          port2.onmessage = ({ data }) => port.postMessage(data);
        };
      }
    };
  });

/** Waits until a function of the page says so. The page's policy allows no other way to look again and again. */
export async function until(page, look, argument, timeout = 30_000) {
  for (const end = Date.now() + timeout; !(await page.evaluate(look, argument)); await page.waitForTimeout(50)) {
    assert.ok(Date.now() < end, `waited in vain for ${look}`);
  }
}

/** Waits until a job has ended well. */
export async function finished(at, id, timeout = 120_000) {
  for (const end = Date.now() + timeout; ; await new Promise((go) => setTimeout(go, 100))) {
    const { state, problem } = await askServer(at, "GET", `jobs/${id}`);
    if (state === "done") return;
    assert.ok(["waiting", "running"].includes(state), `${state}: ${problem}`);
    assert.ok(Date.now() < end, `job ${id} takes too long`);
  }
}

async function withAxe(page) {
  if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(axe);
  const { violations } = await page.evaluate(() =>
    window.axe.run({ runOnly: ["wcag2a", "wcag2aa", "best-practice"], resultTypes: ["violations"] }));
  return violations.map(({ id, nodes }) => `${id}: ${nodes[0].html} ${nodes[0].failureSummary}`);
}

/** No element that the selector finds has contents wider than it. */
export async function assertFits(page, selector) {
  const wide = await page.locator(selector).evaluateAll((elements) =>
    elements.filter((each) => each.scrollWidth > each.clientWidth + 1).map((each) => `${each.className} ${each.textContent.slice(0, 80)}`));
  assert.deepEqual(wide, [], "nothing is cut");
}

/** Axe finds nothing, nothing sticks out; with SCREENSHOTS=FOLDER a picture is taken. */
export async function assertReadable(page, name) {
  // Elements can be there before the style sheet is.
  await page.waitForLoadState("load");
  // The policy of the page forbids scripts in it; this one comes from the browser's side.
  assert.deepEqual(await withAxe(page), [], name);
  const { scrollWidth, clientWidth } = await page.evaluate(() => {
    const { scrollWidth, clientWidth } = document.documentElement;
    return { scrollWidth, clientWidth };
  });
  assert.ok(scrollWidth <= clientWidth, `${name}: nothing sticks out (${scrollWidth} of ${clientWidth})`);
  if (process.env.SCREENSHOTS) {
    await page.screenshot({ path: join(process.env.SCREENSHOTS, `serve-${name}.png`), fullPage: Boolean(process.env.FULL) });
  }
}

/** A page can be read at every width, in light and dark. */
export async function assertReadableEverywhere(page, name) {
  for (const [size, [width, height]] of Object.entries(WIDTHS)) {
    await page.setViewportSize({ width, height });
    for (const colorScheme of ["light", "dark"]) {
      await page.emulateMedia({ colorScheme });
      await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))));
      await assertReadable(page, `${name}-${colorScheme}-${size}`);
    }
  }
}
