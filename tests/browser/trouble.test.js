// The page where something goes wrong beside it: a server that goes away, answers that come late, what a browser or a store does not have,
// names of any length.
import assert from "node:assert/strict";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { endServers, fakeEngine, launch, root, serve, temporaryFolder } from "./browser.js";
import { askServer, finished, openRoom, until } from "./page.js";

const NODES = "20000";
const LICHESS = readFileSync(join(root, "tests/data/lichess.pgn"), "utf8");
const PUZZLES = readFileSync(join(root, "examples/puzzles.csv"), "utf8");
const LONG = "Hubertusburgvonundzuhohenlohelangenburg".repeat(4);

describe("the page in trouble", () => {
  let browser, folder, server, game, review;

  before(async () => {
    folder = temporaryFolder();
    browser = await launch();
    server = await serve(join(folder, "a.db"), 0, "--nodes", NODES);
    ({ games: [game] } = await ask("POST", "games", LICHESS));
    review = (await ask("POST", "reviews", { game: game.id, reuse_evals: true })).id;
    await ask("POST", "puzzles/import?name=p.csv", PUZZLES);
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
  const typeMove = async (page, move) => {
    await page.keyboard.press("/");
    await page.locator("dialog input").fill(move);
    await page.keyboard.press("Enter");
    await page.locator("dialog").waitFor({ state: "detached" });
  };
  /** Clicks squares one after another, as seen by White. */
  const click = async (page, ...squares) => {
    const { x, y, width } = await page.locator("cg-board").boundingBox();
    for (const [file, rank] of squares) {
      await page.mouse.click(x + (("abcdefgh".indexOf(file) + 0.5) * width) / 8, y + ((8.5 - Number(rank)) * width) / 8);
    }
  };
  const isReady = async (page, ply = 12) => page.locator(`.moves [data-ply='${ply}'] .eval`).waitFor();

  test("goes on by itself when the server is back", async () => {
    const store = join(folder, "away.db");
    let own = await serve(store, 0, "--nodes", NODES);
    const { games } = await ask("POST", "games", LICHESS, own);
    const { id } = await ask("POST", "reviews", { game: games[0].id, reuse_evals: true }, own);
    await ask("POST", "puzzles/import?name=p.csv", PUZZLES, own);
    await finished(own, id);
    const paths = ["/", "/form", `/review/${id}#ply=12`, "/puzzles"];
    const [home, form, board, solving] = await Promise.all(paths.map((path) => open(path, {}, own)));
    const errors = [];
    for (const { page } of [home, form, board, solving]) page.on("pageerror", (error) => errors.push(String(error)));
    await home.page.locator(".game").waitFor();
    await form.page.locator(".numbers").waitFor();
    await isReady(board.page);
    await solving.page.getByRole("button", { name: /^Solve/ }).click();
    await solving.page.waitForURL(/puzzles\/\d+/);
    await solving.page.getByRole("link", { name: "All puzzles" }).click();
    await solving.page.locator(".pick").waitFor();

    await own.stop();
    await home.page.locator(".gone").waitFor();
    // A part of the page that is loaded later cannot be loaded now.
    await home.page.getByLabel("Add games").fill("lichess:anna");
    await home.page.getByRole("button", { name: "Add", exact: true }).click();
    await home.page.locator("main .problem").waitFor();
    assert.ok(await home.page.getByRole("button", { name: "Add", exact: true }).isEnabled());
    await home.page.getByRole("link", { name: "Calibration" }).click();
    await form.page.getByRole("textbox", { name: "Played" }).fill("-3");
    await typeMove(board.page, "h4");
    await solving.page.goBack();
    await solving.page.getByText("This cannot be shown.").waitFor();

    own = await serve(store, own.port, "--nodes", NODES);
    await home.page.locator(".limits-table").waitFor();
    await form.page.getByRole("row", { name: "Absolute difference 5.00" }).waitFor();
    assert.equal(await form.page.locator("main .problem").count(), 0);
    await board.page.locator(".own .eval", { hasText: /\d/ }).waitFor();
    await solving.page.locator(".solving").waitFor();
    assert.deepEqual(errors, []);
    for (const { close } of [home, form, board, solving]) await close();
    await own.stop();
  });

  test("asks for the token again when the server was started again", async () => {
    const store = join(folder, "token.db");
    const first = await serve(store, 0, "--token");
    const { page, close } = await openRoom(browser, { url: first.url.split("/#")[0] }, `/#${first.url.split("#")[1]}`);
    await page.locator(".empty").waitFor();
    await first.stop();
    await page.locator(".gone").waitFor();
    const second = await serve(store, first.port, "--token");
    await page.getByLabel("Token").waitFor();
    assert.equal(await page.locator(".gone").count(), 0);
    await close();
    await second.stop();
  });

  test("hears of its review again when the user comes back to a kept page", async () => {
    const { id } = await ask("POST", "reviews", { game: game.id, limit: "3000 nodes" });
    await finished(server, id);
    const { page, close } = await open("/engines");
    await page.locator(".work li").first().waitFor();
    const jobs = () => page.locator(".work li").count();
    const before = await jobs();
    await page.evaluate(() => dispatchEvent(new PageTransitionEvent("pagehide", { persisted: true })));
    await finished(server, (await ask("POST", "reviews", { game: game.id, limit: "3001 nodes" })).id);
    assert.equal(await jobs(), before, "nothing is sent to a page that is away");
    await page.evaluate(() => dispatchEvent(new PageTransitionEvent("pageshow", { persisted: true })));
    await until(page, (count) => document.querySelectorAll(".work li").length === count, before + 1);
    assert.equal(await page.locator(".gone").count(), 0);
    await close();
  });

  test("follows a review although an older answer comes late", async () => {
    const { games } = await ask("POST", "games", readFileSync(join(root, "examples/immortal-draw.pgn"), "utf8"));
    const { id } = await ask("POST", "reviews", { game: games[0].id, limit: "400000 nodes" });
    const { page, close } = await open("/form");
    let isFirst = true;
    await page.route(`**/api/reviews/${id}`, async (route) => {
      const response = await route.fetch();
      // Meanwhile moves are judged.
      if (isFirst) await until(page, () => performance.getEntriesByName("heard").length > 0, null, 60_000);
      isFirst = false;
      await route.fulfill({ response });
    });
    await page.addInitScript(() => {
      const Real = window.SharedWorker;
      window.SharedWorker = class extends Real {
        constructor(...how) {
          super(...how);
          this.port.addEventListener("message", ({ data }) => {
            if (data.data && JSON.parse(data.data).judged?.some(({ ply }) => ply > 2)) setTimeout(() => performance.mark("heard"), 300);
          });
        }
      };
    });
    await page.goto(`${server.url}/review/${id}`);
    await isReady(page, 3);
    assert.equal((await ask("GET", `jobs/${id}`)).state, "running");
    await ask("DELETE", `jobs/${id}`);
    await close();
  });

  test("shows players and boxes of all games, whatever was opened before", async () => {
    // On a phone, a row has no room for the facts and for a second review.
    for (const [width, parts] of [[390, [".players", "input", ".verdict"]], [1280, [".players", ".facts", "input", ".verdict", ".buttons"]]]) {
      const { page, close } = await open("/curves", { viewport: { width, height: 800 } });
      await page.locator(".limits-table").waitFor();
      await page.getByRole("link", { name: "Review", exact: true }).click();
      const row = page.locator(".game", { has: page.locator(".verdict") }).first();
      await row.waitFor();
      for (const inside of parts) {
        const [outer, inner] = [await row.boundingBox(), await row.locator(inside).boundingBox()];
        assert.ok(inner.width > 10 && inner.height > 10, `${inside} at ${width} is seen`);
        assert.ok(inner.y >= outer.y && inner.y + inner.height <= outer.y + outer.height, `${inside} at ${width} is whole`);
      }
      await close();
    }
  });

  test("shows the players and buttons of a game whose review failed", async () => {
    const other = await serve(join(folder, "failed.db"), 0, "--engine", fakeEngine("exit"));
    const { games } = await ask("POST", "games", LICHESS, other);
    await ask("POST", "reviews", { game: games[0].id }, other);
    for (const [width, parts] of [[360, [".players", ".job button"]], [1280, [".players", ".job button", ".job .problem", ".buttons button:first-child"]]]) {
      const { page, close } = await open("/", { viewport: { width, height: 800 } }, other);
      const row = page.locator(".game", { has: page.locator(".job.failed") });
      await row.locator(".job.failed button").waitFor();
      const outer = await row.boundingBox();
      for (const inside of parts) {
        const inner = await row.locator(inside).boundingBox();
        assert.ok(inner.height > 10 && inner.y + inner.height <= outer.y + outer.height, `${inside} at ${width} is seen`);
        assert.ok(inner.x + inner.width <= outer.x + outer.width, `${inside} at ${width} is whole`);
      }
      // The game's own page has the reason at every width.
      await row.locator(".players a").click();
      await page.locator(".job.failed .problem").waitFor();
      await close();
    }
    await other.stop();
  });

  test("shows the room of a link that leads to it again, without the filter", async () => {
    const { page, close } = await open("/?player=nobody");
    await page.getByText("No game matches.").waitFor();
    await page.locator(".logo").click();
    await page.locator(".game").first().waitFor();
    assert.equal(page.url(), `${server.url}/`);
    // Where nothing is filtered, what was typed stays.
    await page.getByLabel("Add games").fill("1. e4");
    await page.locator(".logo").click();
    assert.equal(await page.getByLabel("Add games").inputValue(), "1. e4");
    await close();
  });

  test("has the clocks of the game beside own moves, and no best move of another position", async () => {
    const { id } = await ask("POST", "reviews", { game: game.id, limit: "2000 nodes" });
    await finished(server, id);
    const { games: [{ plies }] } = await ask("GET", `reviews/${id}`);
    const best = plies[4].lines[0].san[0];
    const { page, close } = await open(`/review/${id}#ply=4`);
    await isReady(page, 4);
    const clocks = () => page.locator(".name .clock").allInnerTexts();
    const before = await clocks();
    assert.equal(before.length, 2);
    await typeMove(page, "a4");
    assert.deepEqual(await clocks(), before, "before the verdict");
    await page.locator(".own .eval", { hasText: /\d/ }).waitFor();
    assert.deepEqual(await clocks(), before, "after it");
    await typeMove(page, "a5");
    await page.evaluate(() => document.activeElement.blur());
    await page.keyboard.press(" ");
    assert.equal(await page.locator(".own [data-own]").count(), 2, `${best} is the best move elsewhere`);
    await close();
  });

  test("shows a review by its own curve where the chosen one is gone", async () => {
    const { page, close } = await open("/form");
    await page.evaluate(() => localStorage.setItem("curve", "lost"));
    await page.goto(`${server.url}/review/${review}`);
    await isReady(page);
    await page.getByText('there is no curve "lost"').waitFor();
    await close();
  });

  test("speaks the other language after a choice of symbols, too", async () => {
    const { page, close } = await open(`/review/${review}#ply=12`);
    await isReady(page);
    await page.getByRole("button", { name: "Why" }).click();
    await page.getByRole("combobox", { name: /^Symbols/ }).selectOption("s12");
    await page.locator(".why .remark").getByText("Gives").waitFor();
    await page.getByRole("button", { name: "Deutsch" }).click();
    await page.locator(".why .remark").getByText("Überlässt").waitFor();
    await close();
  });

  test("takes a move back that does not count, and then the next one", async () => {
    const ease = await open(`/ease?fen=${encodeURIComponent("8/P6k/8/8/8/8/8/K7 w - - 0 1")}`);
    const choice = ease.page.getByRole("group", { name: "Promote to" });
    await ease.page.locator("cg-board piece").first().waitFor();
    for (let time = 0; time < 2; time++) {
      await click(ease.page, "a7", "a8");
      await choice.getByRole("button", { name: "Cancel" }).click();
      await choice.waitFor({ state: "detached" });
    }
    await ease.close();

    const { page, close } = await open(`/review/${review}`);
    await isReady(page);
    await page.getByRole("button", { name: "Report" }).click();
    await page.getByRole("button", { name: "Practise as sammeke_69" }).press("Enter");
    await page.locator(".practice").waitFor();
    // Keys go on in the exercise.
    await until(page, () => document.activeElement.tagName === "H2");
    await page.getByRole("button", { name: "Show", exact: true }).click();
    const drawn = () => page.evaluate(() => [...document.querySelectorAll("cg-board piece")].map(({ cgKey }) => cgKey).sort().join(" "));
    const shown = await drawn();
    await click(page, "a2", "a3");
    for (const end = Date.now() + 9000; (await drawn()) !== shown; await page.waitForTimeout(50)) assert.ok(Date.now() < end, "a2 is back");
    await close();
  });

  test("has the focus in the next puzzle", async () => {
    const { page, close } = await open("/puzzles");
    await page.getByRole("button", { name: /^Solve/ }).press("Enter");
    for (let puzzle = 0; puzzle < 2; puzzle++) {
      await page.locator(".task").getByRole("button", { name: "Next puzzle" }).waitFor();
      await until(page, () => document.activeElement.id === "main");
      const before = page.url();
      await page.getByRole("button", { name: "Next puzzle" }).press("Enter");
      await page.waitForURL((url) => url.href !== before);
    }
    await page.getByRole("link", { name: "All puzzles" }).press("Enter");
    await page.locator(".pick").waitFor();
    await until(page, () => document.activeElement.id === "main");
    await close();
  });

  test("copies without the browser's clipboard, which pages of another machine do not have", async () => {
    const { page, troubles, close } = await open(`/review/${review}#ply=12`);
    await isReady(page);
    await page.evaluate(() => {
      Object.defineProperty(navigator, "clipboard", { value: undefined });
      document.addEventListener("copy", () => (document.title = document.activeElement.value));
    });
    await page.getByRole("button", { name: "Report" }).click();
    await page.getByRole("button", { name: "Copy FEN" }).click();
    await page.getByRole("button", { name: "Copied" }).waitFor();
    assert.match(await page.title(), /^rn1qk2r\/ppp2ppp\/5n2\/2b1p3\/2B1P1b1\/2N2N2\//);
    assert.deepEqual(troubles, []);
    await close();
  });

  test("takes numbers as it writes them, and times of any length", async () => {
    const { page, close } = await open("/form", { locale: "de-DE" });
    await page.getByRole("row", { name: "Absoluter Unterschied 3,00" }).waitFor();
    await page.getByRole("textbox", { name: "Gespielt" }).fill("−1,5");
    await page.getByRole("row", { name: "Absoluter Unterschied 3,50" }).waitFor();
    await page.goto(`${server.url}/curves`);
    await page.getByRole("radio", { name: "Andere" }).click();
    await page.locator(".own-time").fill("");
    // On the way stands a time that has a button of its own.
    await page.locator(".own-time").pressSequentially("180+25");
    await page.waitForURL(/time=180%2B25/);
    await close();
  });

  test("has room for names of any length on a phone", async () => {
    const { games } = await ask("POST", "games", `[White "${LONG}"]\n\n1. e4 { [%eval 0.3] } e5 { [%eval 0.3] } 2. Ke2 { [%eval -2] } *\n`);
    const { id } = await ask("POST", "reviews", { game: games[0].id, reuse_evals: true });
    const puzzle = { fen: "1r4k1/p4ppp/8/8/8/8/5PPP/1R4K1 b - - 0 1", moves: ["a7a6", "b1b8"] };
    await ask("POST", `puzzles/import?name=${LONG}.jsonl`, `${JSON.stringify(puzzle)}\n`);
    await finished(server, id);
    const rooms = { [`/me?player=${LONG}`]: ".group", "/engines": ".work", "/puzzles": ".origins", [`/review/${id}#ply=3`]: ".moves" };
    for (const [path, arrived] of Object.entries(rooms)) {
      const { page, close } = await open(path, { viewport: { width: 360, height: 640 } });
      await page.locator(arrived).first().waitFor();
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${path} sticks out`);
      await close();
    }
  });
});
