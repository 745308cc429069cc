// The pages of `centipawn site`: opened from disk, from a plain file server, and without scripts.
import assert from "node:assert/strict";
import { readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { centipawn, launch, temporaryFolder } from "./browser.js";
import { assertReadableEverywhere, NARROW, openRoom, until } from "./page.js";

const GAME = "tests/data/lichess.pgn";

/** Gives out the files of a folder, and nothing else. */
async function fileServer(folder) {
  const kinds = { html: "text/html", js: "text/javascript", css: "text/css", svg: "image/svg+xml" };
  const server = createServer((request, response) => {
    const path = request.url.split(/[?#]/)[0].replace(/\/$/, "/index.html");
    try {
      const body = readFileSync(join(folder, path));
      response.writeHead(200, { "Content-Type": kinds[path.split(".").at(-1)] ?? "text/plain" }).end(body);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
  return { url: `http://127.0.0.1:${server.address().port}`, close: () => server.close() };
}

describe("a site", () => {
  let browser, folder, site, served, game;

  before(async () => {
    folder = temporaryFolder();
    site = join(folder, "site");
    centipawn("site", site, GAME, "--title", "Club evening", "--quiet");
    [game] = JSON.parse(centipawn("review", GAME, "--reuse-evals", "--quiet", "--json", "-")).games;
    browser = await launch();
    served = await fileServer(site);
  });
  after(async () => {
    await browser?.close();
    served?.close();
    rmSync(folder, { recursive: true });
  });

  const title = (page) => page.locator(".now .title").innerText();

  /** From the index to a game, through it by keys and by the graph; every number is that of the command line. */
  async function walk(page) {
    await page.getByRole("heading", { name: "Club evening" }).waitFor();
    await page.getByRole("link", { name: game.white.name }).click();
    await page.locator(".moves [data-ply='12'] b").waitFor();
    const symbols = game.plies.map((ply) => ply.symbol).filter(Boolean);
    assert.deepEqual((await page.locator(".moves .san b").allTextContents()).filter((text) => text !== "□"), symbols);
    await page.keyboard.press("n");
    assert.match(await title(page), /^6 … Bg4\s*\?/);
    await until(page, () => location.hash === "#ply=12");
    const moment = game.plies[11];
    await until(page, (remark) => document.querySelector("main [role=status]")?.textContent.includes(remark), moment.remark);
    await page.keyboard.press("w");
    const gone = `Bg4 lost ${moment.score_loss.toFixed(2)} of a possible ${(1 - moment.expected_score_best).toFixed(2)}.`;
    await until(page, (text) => document.querySelector(".why .sum")?.textContent.startsWith(text), gone);
    await page.keyboard.press("End");
    assert.match(await title(page), /^27\. Qxg8#/);
    await page.keyboard.press("Home");
    // The reader can play a move, and no engine judges it.
    await page.keyboard.press("/");
    await page.getByRole("textbox", { name: "Type a move" }).fill("d4");
    await page.getByRole("textbox", { name: "Type a move" }).press("Enter");
    await until(page, () => location.hash === "#line=d2d4");
    assert.equal(await page.locator(".own .eval").count(), 0);
    await page.getByRole("button", { name: "Report" }).click();
    assert.ok((await page.locator(".report").innerText()).includes(game.white.accuracy.toFixed(1)));
    assert.equal(await page.getByRole("link", { name: "PGN" }).getAttribute("href"), "00001.pgn");
    for (const name of ["Start the engine", "How hard is this for humans?", "HTML"]) assert.equal(await page.getByText(name, { exact: true }).count(), 0, name);
    // What needs a server has no key; the list of keys says so.
    for (const key of ["l", "x", "h", "r"]) await page.keyboard.press(key);
    await page.keyboard.press("?");
    assert.ok(!(await page.locator("dialog").innerText()).includes("engine lines"));
    await page.keyboard.press("Escape");
    // A link that is pasted into the open page leads to its move.
    await page.evaluate(() => (location.hash = "#ply=12"));
    await page.locator(".moves [data-ply='12'][aria-current]").waitFor();
    assert.match(await title(page), /^6 … Bg4/);
    // The address leads to the same place.
    await page.goto(`${page.url().split("#")[0]}#ply=12&flip`);
    await page.reload();
    await page.locator(".moves [data-ply='12'][aria-current]").waitFor();
    assert.equal(await page.getByRole("gridcell").first().getAttribute("data-key"), "h1");
    await page.getByRole("link", { name: "Games" }).click();
    await page.getByRole("heading", { name: "Club evening" }).waitFor();
  }

  test("opens from disk, and asks nobody", async () => {
    const at = { url: `file://${site}` };
    const { page, troubles, close } = await openRoom(browser, at, "/index.html");
    await walk(page);
    assert.deepEqual(troubles, []);
    await close();
  });

  test("is served by a plain file server", async () => {
    const { page, troubles, close } = await openRoom(browser, served, "/");
    await walk(page);
    assert.deepEqual(troubles, []);
    await close();
  });

  test("can be read without scripts", async () => {
    const { page, troubles, close } = await openRoom(browser, served, "/games/00001.html", { javaScriptEnabled: false });
    const text = await page.locator("article.reading").innerText();
    assert.equal(await page.locator(".moments .diagram:visible").count(), 6);
    for (const ply of game.plies.filter((ply) => ply.remark)) {
      assert.ok(text.includes(`${ply.san}${ply.symbol}`) && text.includes(ply.remark), ply.san);
    }
    assert.ok(text.includes(`${game.white.accuracy.toFixed(1)} %`));
    assert.deepEqual(troubles, []);
    await close();
  });

  test("can be read at every width, in light and dark", async () => {
    const rooms = {
      index: ["/", async (page) => page.locator("table.listing").waitFor()],
      game: ["/games/00001.html#ply=12", async (page) => page.locator(".moves [data-ply='12'] b").waitFor()],
      reasons: ["/games/00001.html#ply=12", async (page) => {
        await page.getByRole("button", { name: "Why" }).click();
        await page.locator(".why summary").click();
      }],
    };
    for (const [room, [path, arrive]] of Object.entries(rooms)) {
      const { page, close } = await openRoom(browser, served, path, NARROW);
      await arrive(page);
      await assertReadableEverywhere(page, `site-${room}`);
      await close();
    }
  });
});
