// The page without a server, from a web space for files: a game is dropped, reviewed, practised, and
// taken along.
import assert from "node:assert/strict";
import { createReadStream, existsSync, readFileSync, rmSync, statSync } from "node:fs";
import { createServer } from "node:http";
import { join, normalize } from "node:path";
import { after, before, describe, test } from "node:test";
import { centipawn, launch, root, temporaryFolder } from "./browser.js";
import { assertReadableEverywhere, until } from "./page.js";

const site = join(root, "target", "tab");
const KINDS = { css: "text/css", html: "text/html", js: "text/javascript", svg: "image/svg+xml", wasm: "application/wasm", webmanifest: "application/manifest+json" };

/** A web space for files: the page lies in a folder of it, as a project's page does. */
async function webSpace() {
  const server = createServer((request, response) => {
    const path = normalize(new URL(request.url, "http://x").pathname.replace(/^\/project\//, ""));
    const file = join(site, path === "." || path === "/" ? "index.html" : path);
    if (!request.url.startsWith("/project/") || !existsSync(file) || !statSync(file).isFile()) {
      response.writeHead(404).end();
      return;
    }
    response.writeHead(200, { "Content-Type": KINDS[file.split(".").pop()] ?? "application/octet-stream" });
    createReadStream(file).pipe(response);
  });
  await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
  return { url: `http://127.0.0.1:${server.address().port}`, close: () => new Promise((closed) => server.close(closed).closeAllConnections()) };
}

const GAME = '[White "Anna"]\n[Black "Ben"]\n\n1. e4 e5 2. Bc4 Nc6 3. Qh5 Nf6 4. Qxf7# 1-0\n';

describe("the page without a server", () => {
  let browser, folder, space;

  before(async () => {
    folder = temporaryFolder();
    browser = await launch();
    space = await webSpace();
  });
  after(async () => {
    await browser?.close();
    await space?.close();
    rmSync(folder, { recursive: true });
  });

  async function visit(options = {}) {
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, acceptDownloads: true, ...options });
    const page = await context.newPage();
    const troubles = [];
    page.on("console", (message) => troubles.push(`console: ${message.text()} (${message.location().url})`));
    page.on("pageerror", (error) => troubles.push(`error: ${error}`));
    context.on("request", (request) => {
      if (!request.url().startsWith(space.url) && !/^(blob|data):/.test(request.url())) troubles.push(`request: ${request.url()}`);
    });
    await page.goto(`${space.url}/project/`);
    await page.locator("main").waitFor();
    return { context, page, troubles };
  }

  async function drop(page, name, text) {
    const data = await page.evaluateHandle(([name, text]) => {
      const data = new DataTransfer();
      data.items.add(new File([text], name));
      return data;
    }, [name, text]);
    await page.dispatchEvent("body", "drop", { dataTransfer: data });
  }

  test("a file is dropped, reviewed, practised, kept without a network, and taken to another browser", { timeout: 300_000 }, async () => {
    const { context, page, troubles } = await visit();
    await drop(page, "game.pgn", GAME);
    await page.getByText("Anna – Ben").first().waitFor();
    await page.getByRole("button", { name: "Review", exact: true }).first().click();
    await page.waitForURL(/room=review\/1/);
    await page.locator(".moves [data-ply='6']").getByText("??").waitFor({ timeout: 120_000 });
    await page.locator(".job").waitFor({ state: "detached", timeout: 120_000 });
    await assertReadableEverywhere(page, "tab-review");

    // Me knows the player, and the mistake becomes a puzzle.
    await page.goto(`${space.url}/project/?room=me&player=Ben`);
    await page.getByText("Ben").first().waitFor();
    await page.goto(`${space.url}/project/?room=puzzles`);
    await page.locator("input[list=players]").fill("Ben");
    await page.locator("form:has(input[list=players]) button").click();
    await page.getByText("1 puzzle").first().waitFor();
    await page.locator("button.main").first().click();
    await page.waitForURL(/room=puzzles\/1/);
    await page.locator("cg-board").waitFor();

    // The second visit needs no network.
    await until(page, async () => (await navigator.serviceWorker.ready).active.state === "activated");
    await page.evaluate(async () => (await navigator.serviceWorker.ready).active.postMessage("complete"));
    await until(page, async () => {
      const cache = await caches.open((await caches.keys())[0]);
      return (await cache.keys()).some(({ url }) => url.endsWith("maia-2200-packed.pb.gz"));
    });
    await context.setOffline(true);
    await page.goto(`${space.url}/project/?room=review/1`);
    await page.locator(".moves [data-ply='6']").getByText("??").waitFor();
    await page.goto(`${space.url}/project/`);
    await drop(page, "second.pgn", "1. f3 e5 2. g4 Qh4# 0-1\n");
    // The games of before are listed already, so wait until the new one is their first.
    await page.getByText("1 game was added.").waitFor();
    await page.locator(".list li").nth(1).waitFor();
    await page.getByRole("button", { name: "Review", exact: true }).first().click();
    await page.locator(".moves [data-ply='3']").getByText("??").waitFor({ timeout: 120_000 });
    // The review is kept when it is complete.
    await page.locator(".job").waitFor({ state: "detached", timeout: 120_000 });
    await context.setOffline(false);

    // The command line and another browser read the file of everything.
    await page.goto(`${space.url}/project/?room=browser`);
    const [download] = await Promise.all([page.waitForEvent("download"), page.locator("button.main").click()]);
    const file = join(folder, "everything.jsonl.gz");
    await download.saveAs(file);
    const [store, back] = [join(folder, "copy.db"), join(folder, "back.jsonl.gz")];
    centipawn("store", "import", file, "--store", store);
    assert.equal(JSON.parse(centipawn("store", "stats", "--json", "--store", store)).reviews, 2);
    centipawn("store", "export", back, "--store", store);
    const other = await visit();
    await other.page.goto(`${space.url}/project/?room=browser`);
    await other.page.locator("input[type=file]").setInputFiles(back);
    await other.page.getByText("2 games, 2 reviews, 1 puzzle").waitFor();
    await other.page.goto(`${space.url}/project/?room=review/1`);
    await other.page.locator(".moves [data-ply='6']").getByText("??").waitFor();
    assert.deepEqual([...troubles, ...other.troubles], []);
    await other.context.close();
    await context.close();
  });

  test("rooms that need no engine come before it is loaded, in both languages", async () => {
    const { context, page, troubles } = await visit({ viewport: { width: 390, height: 844 } });
    const requested = [];
    page.on("request", (request) => requested.push(request.url()));
    for (const room of ["", "?room=form", "?room=curves", "?room=ease", "?room=puzzles", "?room=browser", "?room=me"]) {
      await page.goto(`${space.url}/project/${room}`);
      await page.locator("main h1").waitFor({ state: "attached" });
      await assertReadableEverywhere(page, `tab${room.replace("?room=", "-")}`);
    }
    await page.setViewportSize({ width: 390, height: 844 });
    await page.getByRole("button", { name: "Deutsch" }).click();
    await page.goto(`${space.url}/project/?room=browser`);
    await page.getByRole("heading", { name: "Dieser Browser" }).waitFor();
    assert.deepEqual(requested.filter((url) => url.includes("/engine/")), [], "the engine is loaded when it is needed");
    assert.deepEqual(troubles, []);
    await context.close();
  });

  test("a second tab waits for the first", async () => {
    const { context, page } = await visit();
    const second = await context.newPage();
    await second.goto(`${space.url}/project/`);
    await second.getByText("open in another tab").waitFor();
    await page.close();
    await second.getByText("open in another tab").waitFor({ state: "detached" });
    await context.close();
  });

  test("the page's files name no other host, and no script is inline", () => {
    const html = readFileSync(join(site, "index.html"), "utf8");
    assert.match(html, /default-src 'none'/);
    assert.doesNotMatch(html, /<script(?![^>]*\bsrc=)/);
    assert.doesNotMatch(html, /(src|href)="(\/|https?:)/);
  });
});
