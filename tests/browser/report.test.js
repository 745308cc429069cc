// The HTML report of `centipawn review`, opened in a browser.
import assert from "node:assert/strict";
import { readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { centipawn, launch, open, temporaryFolder } from "./browser.js";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const GAME = "tests/data/lichess.pgn";
const NAMED = `[Event "Club championship"]
[Date "2019.05.04"]
[Round "3"]
[White "von und zu Hohenlohe-Schillingsfürst, Bartholomew-Maximilian"]
[Black "Lee"]
[WhiteElo "1650"]
[Result "1/2-1/2"]
[TimeControl "600"]

1. e4 { [%eval 0.3] [%clk 0:09:50] } 1... e5 { [%eval 0.3] [%clk 0:09:40] }
2. Qh5 { [%eval -3.2] [%clk 0:09:30] Blunder. Nf3 was best. } ( 2. Nf3 Nc6 3. Bb5 )
2... Nc6 { [%eval -3.2] [%clk 0:09:10] } 1/2-1/2
`;

describe("a report", () => {
  let browser, folder, english, german, ease, germanEase, named, namedGame;

  before(async () => {
    folder = temporaryFolder();
    [english, german, ease] = ["en", "de", "ease"].map((name) => join(folder, `${name}.html`));
    centipawn("review", GAME, "--reuse-evals", "--quiet", "--html", english, "--curve", "lichess");
    centipawn("review", GAME, "--reuse-evals", "--quiet", "--html", german, "--language", "de", "--curve", "stockfish");
    const network = "crates/policy/tests/data/res_se_conv_wdl.pb.gz";
    const opera = "examples/opera-game.pgn";
    centipawn("review", opera, "--nodes", "2000", "--ease", "--policy", network, "--quiet", "--html", ease);
    germanEase = join(folder, "german-ease.html");
    centipawn("review", GAME, "--nodes", "2000", "--quiet", "--html", germanEase, "--language", "de");
    // Long names, a draw, and the better line that the game brings along.
    [namedGame, named] = ["named.pgn", "named.html"].map((name) => join(folder, name));
    writeFileSync(namedGame, NAMED);
    centipawn("review", namedGame, "--reuse-evals", "--quiet", "--html", named, "--curve", "lichess");
    browser = await launch();
  });
  after(async () => {
    await browser?.close();
    rmSync(folder, { recursive: true });
  });

  const now = (page, part) => page.locator(`.now .${part}`).textContent();
  const current = (page) => page.locator(".moves [aria-current]").allTextContents();

  test("shows how hard each move was to find, and leads to the hardest", async () => {
    const { page, troubles } = await open(browser, ease);
    assert.match(await page.locator(".graph").textContent(), /how hard each move was to find \(1 − ease, res_se_conv_wdl\)/);
    assert.equal(await page.locator(".graph .bar.hard").count(), await page.locator(".hardest section").count());
    const first = page.locator(".hardest [data-ply]").first();
    await first.click();
    assert.equal(await now(page, "title"), await first.textContent());
    assert.deepEqual(troubles, []);
    await page.close();
  });

  test("follows keys, moves, graph and buttons", async () => {
    const { page, troubles } = await open(browser, english);
    assert.equal(await page.locator(".viewer .board use").count(), 32);
    await page.keyboard.press("ArrowRight");
    assert.equal(await now(page, "title"), "1. e4");
    assert.deepEqual(await current(page), ["e4"]);
    assert.equal(await page.locator(".viewer .moved").count(), 2);
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("ArrowLeft");
    assert.equal(await now(page, "title"), "1. e4");
    assert.match(await now(page, "score"), /^\+0\.24 = · 0\.5\d/);

    await page.keyboard.press("n");
    assert.equal(await now(page, "title"), "6... Bg4?!");
    assert.match(await now(page, "remark"), /^Gives away a fifth of a point: −0\.56 → \+1\.87 \(0\.22 of a possible 0\.55\)\.$/);
    await page.keyboard.press("p");
    assert.equal(await now(page, "remark"), "C25 Vienna Game: Anderssen Defense");

    await page.keyboard.press("End");
    assert.match(await now(page, "title"), /^27\. Qxg8#/);
    const cursorAt = () => page.locator(".cursor").evaluate((line) => line.getBoundingClientRect().left);
    const atEnd = await cursorAt();
    await page.keyboard.press("Home");
    assert.ok((await cursorAt()) < atEnd - 300, "the graph's cursor goes with the board");

    await page.locator(".moves a", { hasText: "Qxh5" }).click();
    assert.equal(await now(page, "title"), "13. Qxh5");
    await page.locator('.graph [data-ply="7"] rect').click();
    assert.equal(await now(page, "title"), "4. f4");
    await page.locator('[data-action="forward"]').click();
    assert.equal(await now(page, "title"), "4... d6");

    const rook = () => page.locator('.viewer use[href="#wR"]').first().getAttribute("x");
    const before = await rook();
    await page.keyboard.press("f");
    assert.notEqual(await rook(), before, "the board is turned");
    assert.deepEqual(troubles, []);
    await page.close();
  });

  test("leaves keys to fields, and minds no Caps Lock", async () => {
    const { page, troubles } = await open(browser, english, { viewport: { width: 390, height: 900 } });
    // The narrow window scrolls; the board must stay the one that is looked at.
    const press = (target, key) =>
      target.evaluate((element, key) => element.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true })), key);
    const title = () => now(page, "title");
    const body = page.locator("body");
    await press(body, "N");
    assert.equal(await title(), "6... Bg4?!", "Caps Lock");
    await press(body, "P");
    await press(body, "ArrowRight");
    assert.equal(await title(), "1. e4");

    const field = await page.evaluateHandle(() => document.body.appendChild(document.createElement("input")));
    for (const key of ["n", "ArrowRight", "Home"]) await press(field, key);
    assert.equal(await title(), "1. e4");
    assert.deepEqual(troubles, []);
    await page.close();
  });

  test("draws win, draw and loss where the curve tells them, in German", async () => {
    const { page, troubles } = await open(browser, german);
    assert.equal(await page.locator("html").getAttribute("lang"), "de");
    assert.equal(await page.locator(".graph .draw").count(), 1);
    await page.keyboard.press("n");
    assert.match(await now(page, "score"), /^\+1,87 .+ · 0,\d\d \(\d+ % Gewinn, \d+ % Remis, \d+ % Verlust\)$/);
    assert.match(await now(page, "remark"), /^Verschenkt .+: −0,56 → \+1,87/);
    assert.deepEqual(troubles, []);
    await page.close();
  });

  for (const colorScheme of ["light", "dark"]) {
    for (const [name, width] of [["desk", 1300], ["phone", 390], ["small phone", 320]]) {
      test(`can be read: ${colorScheme}, ${name}`, async () => {
        const { page, troubles } = await open(browser, english, { colorScheme, viewport: { width, height: 900 } });
        await page.keyboard.press("n");
        await page.evaluate(axe);
        const { violations } = await page.evaluate(() => window.axe.run({ runOnly: ["wcag2a", "wcag2aa"] }));
        const told = violations.map(({ id, nodes }) => `${id}: ${nodes[0].html} ${nodes[0].failureSummary}`);
        assert.deepEqual(told, []);
        const [content, window] = await page.evaluate(() => {
          const { scrollWidth, clientWidth } = document.documentElement;
          return [scrollWidth, clientWidth];
        });
        assert.ok(content <= window, `nothing sticks out (${content} of ${window})`);
        if (process.env.SCREENSHOTS) {
          await page.screenshot({ path: join(process.env.SCREENSHOTS, `${colorScheme}-${name}.png`), fullPage: true });
        }
        assert.deepEqual(troubles, []);
        await page.close();
      });
    }
  }

  test("is light, and whole without scripts", async () => {
    assert.ok(statSync(english).size < 300_000);
    const { page, troubles } = await open(browser, english, { javaScriptEnabled: false });
    assert.equal(await page.locator(".viewer").isVisible(), false);
    assert.equal(await page.locator(".moments .board").count(), 3);
    assert.ok(await page.locator(".graph").isVisible());
    assert.deepEqual(troubles, []);
    await page.close();
  });

  test("prints without what can only be clicked", async () => {
    const { page } = await open(browser, english);
    await page.emulateMedia({ media: "print" });
    assert.equal(await page.locator(".viewer").isVisible(), false);
    assert.ok(await page.locator(".moments").isVisible());
    await page.close();
  });

  test("has everything in sight on a phone, in letters of a size to read", async () => {
    for (const width of [320, 390]) {
      const { page, troubles } = await open(browser, named, { viewport: { width, height: 900 } });
      for (const cell of await page.locator(".totals :is(th, td)").all()) {
        const { x, width: wide } = await cell.boundingBox();
        assert.ok(x >= 0 && x + wide <= width, await cell.textContent());
        assert.ok(await cell.evaluate((cell) => cell.scrollWidth <= cell.clientWidth), "nothing is cut");
      }
      const totals = await page.locator(".totals").textContent();
      for (const part of ["Bartholomew-Maximilian", "??", "Time", "Accuracy"]) assert.ok(totals.includes(part), part);
      const sizes = await page.locator(".graph :is(b, i, p)").evaluateAll((texts) =>
        texts.map((text) => Number.parseFloat(getComputedStyle(text).fontSize)));
      assert.ok(sizes.length > 8 && sizes.every((size) => size >= 11), sizes.join());
      assert.deepEqual(troubles, []);
      await page.close();
    }
  });

  test("writes move numbers under the graph, apart from each other", async () => {
    for (const width of [320, 1300]) {
      const { page } = await open(browser, english, { viewport: { width, height: 900 } });
      const numbers = page.locator(".graph .numbers i");
      assert.deepEqual(await numbers.allTextContents(), ["5", "10", "15", "20", "25"]);
      const boxes = await numbers.evaluateAll((all) => all.map((each) => each.getBoundingClientRect()));
      boxes.slice(1).forEach((box, index) => assert.ok(box.left > boxes[index].right + 8));
      // The number stands below its move.
      const column = await page.locator('.graph [data-ply="19"] rect').boundingBox();
      const middle = (box) => box.x + box.width / 2;
      assert.ok(Math.abs(middle(column) - middle(await numbers.nth(1).boundingBox())) < 2);
      await page.close();
    }
  });

  test("leaves the players' colours as they are in the dark", async () => {
    const colours = {};
    for (const colorScheme of ["light", "dark"]) {
      const { page } = await open(browser, english, { colorScheme });
      colours[colorScheme] = await page.locator(".totals .disc").evaluateAll((discs) =>
        discs.map((disc) => getComputedStyle(disc).backgroundColor));
      await page.close();
    }
    assert.deepEqual(colours.light, ["rgb(255, 255, 255)", "rgb(22, 20, 18)"]);
    assert.deepEqual(colours.dark, colours.light);
  });

  test("names the occasion once, with a link to the game", async () => {
    const { page } = await open(browser, english);
    const text = await page.locator("article").innerText();
    assert.equal(text.split("Rated Rapid game").length, 2);
    assert.equal(text.split("lichess.org/eT3jfS48").length, 2);
    assert.equal(await page.locator("header a").getAttribute("href"), "https://lichess.org/eT3jfS48");
    assert.equal(await now(page, "title"), "Start position");
    await page.close();
  });

  test("opens at the move that the address names", async () => {
    const { page } = await open(browser, `${english}#g1p12`);
    assert.equal(await now(page, "title"), "6... Bg4?!");
    await page.evaluate(() => (location.hash = "#g1p3"));
    await page.waitForFunction(() => document.querySelector(".now .title").textContent === "2. Nc3");
    await page.close();
  });

  test("has coordinates and the side to move on small boards", async () => {
    const { page } = await open(browser, english, { viewport: { width: 390, height: 900 } });
    for (const moment of await page.locator(".moments section").all()) {
      const names = await moment.locator(".names text").allTextContents();
      assert.deepEqual([...names].sort().join(""), "12345678abcdefgh");
      const isBlack = /\.\.\./.test(await moment.locator("h3").textContent());
      assert.equal((await moment.locator(".to-move").textContent()).trim(), isBlack ? "Black to move" : "White to move");
      // Black sees Black's pieces below.
      assert.equal(names.indexOf("a") < names.indexOf("h"), !isBlack);
    }
    await page.close();
  });

  test("draws a played lure red, and only the best move green", async () => {
    const { page } = await open(browser, ease);
    for (const section of await page.locator(".moments section").all()) {
      const words = await section.innerText();
      const [, move] = words.match(/^[0-9]+\.+ ([^\s!?□]+)/);
      const isPlayedLure = words.includes(`. ${move} lures`);
      const isBlamed = (await section.locator("h3 :is(.dubious, .mistake, .blunder)").count()) > 0;
      if (isPlayedLure || isBlamed) {
        assert.equal(await section.locator(".arrow.played").count(), 1, words);
      } else {
        assert.equal(await section.locator(".arrow.played").count(), 0, words);
      }
      assert.ok((await section.locator(".arrow.best").count()) <= 1, words);
    }
    await page.close();
  });

  test("shows the better line that stands in the game", async () => {
    const { page } = await open(browser, named);
    assert.match(await page.locator(".moments .line").first().textContent(), /^Better: 2\. Nf3 Nc6 3\. Bb5$/);
    assert.equal(await page.locator(".moments .arrow.best").count(), 1);
    await page.keyboard.press("n");
    assert.equal(await now(page, "line"), "Better: 2. Nf3 Nc6 3. Bb5");
    await page.close();
  });

  test("speaks German: letters of pieces, commas, points for thousands", async () => {
    const { page } = await open(browser, germanEase);
    const moves = await page.locator(".moves [data-ply]").allTextContents();
    assert.ok(moves.some((move) => move.startsWith("Sf3")) && moves.some((move) => move.startsWith("Lg4")));
    assert.ok(moves.every((move) => !/^[NQR]/.test(move)), moves.join(" "));
    assert.doesNotMatch(await page.locator("article").innerText(), /\b[QRN][a-h]?x?[a-h][1-8]/);
    assert.match(await page.locator("footer").textContent(), /2\.000 Knoten je Stellung/);
    await page.close();
  });

  test("stands in a folder with an index that can be sorted", async () => {
    const batch = join(folder, "batch");
    centipawn("review", GAME, namedGame, "--reuse-evals", "--quiet", "--batch", batch);
    const path = join(batch, "index.html");
    const still = await open(browser, path, { javaScriptEnabled: false });
    assert.equal(await still.page.locator("table.listing").first().locator("tbody tr").count(), 2, "without scripts");
    await still.page.close();

    const { page, troubles } = await open(browser, path, { viewport: { width: 1300, height: 900 } });
    const games = page.locator("table.listing").first();
    const text = await games.textContent();
    for (const part of ["2021.10.01", "Rated Rapid game", "Date", "Event", "Round", "Club championship"]) {
      assert.ok(text.includes(part), part);
    }
    assert.match(await page.locator("footer").textContent(), /^Evaluations from the game itself.*by the curve human by ratings and time of each game/);
    assert.match(text, /sammeke_69 1\d{3}casualksk 1\d{3}/, "with ratings");
    const column = (number) => games.locator(`tbody tr > :nth-child(${number})`).allTextContents();
    const click = (name) => games.locator("thead button", { hasText: name }).first().click();
    await click("Date");
    assert.deepEqual(await column(4), ["2019.05.04", "2021.10.01"]);
    await click("Date");
    assert.deepEqual(await column(4), ["2021.10.01", "2019.05.04"]);
    await click("Moves");
    assert.deepEqual(await column(8), ["27", "2"]);
    assert.equal(await games.locator("[aria-sort=descending]").textContent(), "Moves");
    const result = games.locator("td", { hasText: "½–½" });
    const lines = await result.evaluate((cell) => {
      const range = document.createRange();
      range.selectNodeContents(cell);
      return range.getClientRects().length;
    });
    assert.equal(lines, 1, "a result stands in one line");
    await page.evaluate(axe);
    const { violations } = await page.evaluate(() => window.axe.run({ runOnly: ["wcag2a", "wcag2aa"] }));
    assert.deepEqual(violations.map(({ id, nodes }) => `${id}: ${nodes[0].html}`), []);

    const link = games.locator("a", { hasText: "sammeke_69" });
    await link.click();
    await page.waitForLoadState();
    assert.match(await page.locator("h1").textContent(), /sammeke_69/);
    assert.ok(await page.locator(".viewer").isVisible());
    assert.equal(troubles.filter((trouble) => !trouble.startsWith("request:")).length, 0);
    await page.close();
  });

  test("has a page for each player, which leads to the mistakes", async () => {
    const batch = join(folder, "players");
    centipawn("review", GAME, namedGame, "--reuse-evals", "--quiet", "--batch", batch);
    for (const width of [320, 390, 1300]) {
      const { page } = await open(browser, join(batch, "index.html"), { viewport: { width, height: 900 } });
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `the index at ${width}`);
      await page.locator('a[href^="players/"]', { hasText: "casualksk" }).click();
      await page.waitForLoadState();
      assert.equal(await page.locator("h1").textContent(), "casualksk");
      const tables = await page.locator("h2").allTextContents();
      assert.deepEqual(tables, ["Mistakes by phase", "Mistakes by opening", "The costliest mistakes"]);
      // An element itself is no answer.
      const { scrollWidth, clientWidth } = await page.evaluate(() => {
        const { scrollWidth, clientWidth } = document.documentElement;
        return { scrollWidth, clientWidth };
      });
      assert.equal(scrollWidth, clientWidth);
      const mistake = page.locator("table.listing").last().locator("a").first();
      const move = await mistake.textContent();
      await mistake.click();
      await page.waitForLoadState();
      assert.equal(await now(page, "title"), move);
      await page.close();
    }
  });
});
