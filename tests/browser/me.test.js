// The page knows who the user is, fits a phone, and finds names.
import assert from "node:assert/strict";
import { readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { endServers, fakeEngine, launch, root, serve, temporaryFolder } from "./browser.js";
import { askServer, assertReadableEverywhere, finished, NARROW, openRoom, until } from "./page.js";

const LICHESS = readFileSync(join(root, "tests/data/lichess.pgn"), "utf8");
const [, WHITE] = /\[White "(.*)"\]/.exec(LICHESS);
const [, BLACK] = /\[Black "(.*)"\]/.exec(LICHESS);

describe("the page of a user", () => {
  let browser, folder, server, review;

  before(async () => {
    folder = temporaryFolder();
    browser = await launch();
    server = await serve(join(folder, "a.db"), 0, "--engine", fakeEngine("ok"));
    const { games } = await ask("POST", "games", LICHESS);
    review = (await ask("POST", "reviews", { game: games[0].id, reuse_evals: true })).id;
    await finished(server, review);
  });
  after(async () => {
    await browser?.close();
    await server?.stop();
    await endServers();
    rmSync(folder, { recursive: true });
  });

  const open = (path, options, at = server) => openRoom(browser, at, path, options);
  const ask = (method, path, body, at = server) => askServer(at, method, path, body);
  const beMe = (page, name) => page.evaluate((name) => localStorage.setItem("me", name), name);

  test("shows own games from the own side, and practises the own mistakes", async () => {
    const { page, troubles, close } = await open("/");
    await page.locator("li.game .verdict").waitFor();
    assert.equal(await page.locator(".mine, .result.won, .result.lost").count(), 0);
    await beMe(page, BLACK.toUpperCase());
    await page.reload();
    await page.locator(".players .mine").waitFor();
    assert.deepEqual(await page.locator(".players .mine bdi").allTextContents(), [BLACK]);
    const [, result] = /\[Result "(.*)"\]/.exec(LICHESS);
    await page.locator(`.result.${result === "0-1" ? "won" : "lost"}`).waitFor();
    await page.goto(`${server.url}/review/${review}`);
    const bottom = page.locator(".stage .name").last();
    await bottom.getByText(BLACK).waitFor();
    // Turned by hand, the board stays so after a reload.
    await page.keyboard.press("f");
    await bottom.getByText(WHITE).waitFor();
    await page.waitForURL(/#flip=no$/);
    await page.reload();
    await bottom.getByText(WHITE).waitFor();
    await page.keyboard.press("r");
    assert.match(await page.locator(".said").innerText(), new RegExp(`^${BLACK} played`));
    await page.getByRole("button", { name: "End", exact: true }).click();
    await page.getByRole("button", { name: "Report" }).click();
    assert.equal(await page.locator(".report thead th").nth(1).innerText(), BLACK);
    assert.equal(await page.locator(".report .practise button").first().innerText(), `Practise as ${BLACK}`);
    assert.deepEqual(troubles, []);
    await close();
  });

  test("goes from moment to moment by a swipe over the remark", async () => {
    const { page, troubles, close } = await open(`/review/${review}`, { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
    await page.locator(".moves [data-ply='12'] .eval").waitFor();
    const [first] = await page.evaluate(() => [...document.querySelectorAll(".moves [data-ply]")].filter((move) => move.querySelector("b")).map((move) => move.dataset.ply));
    const touch = await page.context().newCDPSession(page);
    const swipe = async (from, to) => {
      const { y } = await page.locator(".now").boundingBox();
      await touch.send("Input.dispatchTouchEvent", { type: "touchStart", touchPoints: [{ x: from, y: y + 20 }] });
      for (let x = from; Math.abs(x - to) > 20; x += Math.sign(to - from) * 20) {
        await touch.send("Input.dispatchTouchEvent", { type: "touchMove", touchPoints: [{ x, y: y + 20 }] });
      }
      await touch.send("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] });
    };
    await swipe(300, 100);
    await page.locator(`.moves [data-ply='${first}'][aria-current]`).waitFor();
    // The remark is directly below the board, and the first line of it in sight.
    const name = await page.locator(".stage .name").last().boundingBox();
    const now = await page.locator(".now").boundingBox();
    assert.ok(now.y - (name.y + name.height) < 40, "the remark follows the board and the name below it");
    assert.ok(now.y + 100 < 844 - 70, "its beginning is above the buttons");
    await swipe(100, 300);
    await until(page, (ply) => !document.querySelector(`.moves [data-ply='${ply}'][aria-current]`), first);
    assert.deepEqual(troubles, []);
    await close();
  });

  test("keeps what is typed into the filter while answers arrive", async () => {
    const { page, troubles, close } = await open("/");
    await page.locator("li.game").waitFor();
    await page.getByText("Filter", { exact: true }).click();
    await page.route("**/api/games/select", async (route) => {
      await new Promise((go) => setTimeout(go, 150));
      await route.continue();
    });
    const field = page.getByRole("spinbutton", { name: "Rating from" });
    await field.pressSequentially("1234", { delay: 130 });
    assert.equal(await field.inputValue(), "1234");
    await page.waitForURL(/rating_from=1234/);
    await page.waitForTimeout(600);
    assert.equal(await field.inputValue(), "1234");
    await page.getByRole("button", { name: "Clear the filter" }).click();
    await until(page, () => [...document.querySelectorAll(".conditions input")].every((field) => field.value === ""));
    assert.deepEqual(troubles, []);
    await close();
  });

  test("offers both sites for a name, with how many games and since when", async () => {
    const asked = [];
    const site = createServer((question, answer) => {
      asked.push(question.url);
      answer.writeHead(404).end();
    });
    await new Promise((resolve) => site.listen(0, "127.0.0.1", resolve));
    process.env.CENTIPAWN_LICHESS = process.env.CENTIPAWN_CHESSCOM = `http://127.0.0.1:${site.address().port}`;
    process.env.XDG_DATA_HOME = join(folder, "data");
    try {
      const at = await serve(join(folder, "account.db"), 0, "--engine", fakeEngine("ok"));
      const { page, troubles, close } = await openRoom(browser, at, "/", NARROW);
      const field = page.getByLabel("Add games");
      await field.fill("e4");
      assert.equal(await page.locator(".account").count(), 0, "a move is no name");
      await field.fill("Karlo1650");
      await page.getByRole("button", { name: "Add from Chess.com" }).waitFor();
      await assertReadableEverywhere(page, "account");
      await page.getByLabel("How many, at most").fill("200");
      await page.getByLabel("Since").fill("2026-10-01");
      assert.deepEqual(asked, [], "nothing is requested before the click");
      await page.getByRole("button", { name: "Add from Lichess" }).click();
      const alert = page.getByRole("alert");
      await alert.getByText("Lichess answers with status 404 for the account karlo1650").waitFor();
      assert.match(await alert.innerText(), /^Lichess answers/, "no name of an input comes first");
      const url = new URL(asked[0], "http://site");
      assert.match(url.pathname, /^\/api\/games\/user\/karlo1650$/i);
      assert.deepEqual([url.searchParams.get("max"), url.searchParams.get("since")], ["200", String(Date.UTC(2026, 9, 1))]);
      await page.getByRole("button", { name: "Add from Chess.com" }).click();
      await alert.getByText("Chess.com answers with status 404").waitFor();
      // The address of a profile names its site.
      await field.fill("https://lichess.org/@/Karlo1650");
      await page.getByRole("button", { name: "Add", exact: true }).waitFor();
      assert.equal(await page.getByRole("button", { name: "Add from Lichess" }).count(), 0);
      assert.deepEqual(troubles.filter((trouble) => !/400/.test(trouble)), []);
      await close();
      await at.stop();
    } finally {
      delete process.env.CENTIPAWN_LICHESS;
      delete process.env.CENTIPAWN_CHESSCOM;
      delete process.env.XDG_DATA_HOME;
      site.close();
    }
  });

  test("a mistyped address and a mistyped name lead on", async () => {
    const { page, close } = await open("/revue/17");
    await page.getByRole("heading", { name: "There is no such page" }).waitFor();
    assert.equal((await page.request.get(`${server.url}/revue/17`)).status(), 404);
    await page.getByRole("link", { name: "To the games" }).click();
    await page.locator("li.game").waitFor();
    await page.goto(`${server.url}/me?player=${WHITE.slice(0, -1)}x`);
    await page.getByText("Did you mean").waitFor();
    await page.getByRole("button", { name: WHITE, exact: true }).click();
    await page.getByRole("heading", { name: `Where ${WHITE} loses points` }).waitFor();
    await close();
  });

  test("the first screen answers three questions, also where little is known", async () => {
    const { page, troubles, close } = await open(`/me?player=${WHITE}`, NARROW);
    await page.getByRole("heading", { name: "How am I doing?" }).waitFor();
    assert.match(await page.locator(".doing .said").innerText(), /^You lose \d\.\d\d points a game/);
    assert.equal(await page.locator(".costs .said").innerText(), "Nothing yet: 1 game cannot show what costs you more than others.");
    // The evaluations in the game come without lines, so nothing says why points were lost.
    await page.getByText("Why points are lost is known only after a review by an engine.").waitFor();
    await assertReadableEverywhere(page, "me-few");
    await page.getByRole("button", { name: "Deutsch" }).click();
    await page.getByText("Noch nichts: 1 Partie zeigt nicht").waitFor();
    assert.deepEqual(troubles, []);
    await close();
  });
});
