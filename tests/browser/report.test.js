// The HTML report of `centipawn review` and the folder of `--batch`, opened in a browser.
import assert from "node:assert/strict";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { centipawn, launch, open, root, temporaryFolder } from "./browser.js";
import { assertFits, assertReadable, assertReadableEverywhere, NARROW, until } from "./page.js";

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
  let browser, folder, english, german, ease, germanEase, named, namedGame, several;

  before(async () => {
    folder = temporaryFolder();
    const files = ["en.html", "de.html", "ease.html", "german-ease.html", "named.html", "several.html", "named.pgn"];
    [english, german, ease, germanEase, named, several, namedGame] = files.map((name) => join(folder, name));
    centipawn("review", GAME, "--reuse-evals", "--quiet", "--html", english, "--curve", "lichess");
    centipawn("review", GAME, "--reuse-evals", "--quiet", "--html", german, "--language", "de", "--curve", "stockfish");
    const network = "crates/policy/tests/data/res_se_conv_wdl.pb.gz";
    const opera = "examples/opera-game.pgn";
    centipawn("review", opera, "--nodes", "2000", "--ease", "--policy", network, "--quiet", "--html", ease);
    centipawn("review", GAME, "--nodes", "2000", "--quiet", "--html", germanEase, "--language", "de");
    // Long names, a draw, and a better line that stands in the game.
    writeFileSync(namedGame, NAMED);
    centipawn("review", namedGame, "--reuse-evals", "--quiet", "--html", named, "--curve", "lichess");
    centipawn("review", GAME, namedGame, "--reuse-evals", "--quiet", "--html", several, "--curve", "lichess");
    browser = await launch();
  });
  after(async () => {
    await browser?.close();
    rmSync(folder, { recursive: true });
  });

  const now = (page, part) => page.locator(`.viewer .now .${part}`);
  const title = async (page) => (await now(page, "title").innerText()).replaceAll("\n", " ");
  const current = (page) => page.locator(".viewer .moves [data-ply][aria-current]");
  /** Waits until the mark stands at this half-move. */
  const at = (page, ply) => page.locator(`.viewer .moves [data-ply='${ply}'][aria-current]`).waitFor();
  const unread = (path) => open(browser, path, { javaScriptEnabled: false });

  test("shows how hard each move was to find, and leads to the hardest", async () => {
    const { page, troubles } = await open(browser, ease);
    const strip = page.locator(".viewer .strip").first();
    assert.match(await strip.innerText(), /How hard each move was to find \(1 − ease, res_se_conv_wdl\)/);
    await page.getByRole("button", { name: "Report" }).click();
    const hardest = page.locator(".report p", { hasText: "Hardest moments" }).getByRole("button");
    assert.equal(await strip.locator("rect.hard").count(), await hardest.count());
    const move = (await hardest.first().innerText()).match(/ (\S+?)[!?□]*$/)[1];
    await hardest.first().click();
    assert.ok((await title(page)).includes(` ${move}`));
    await page.close();

    const still = await unread(ease);
    assert.equal(await still.page.locator(".hardest figure").count(), await still.page.locator(".hardest .diagram").count());
    assert.ok((await still.page.locator(".hardest figure").count()) > 0);
    assert.deepEqual([...troubles, ...still.troubles], []);
    await still.page.close();
  });

  test("follows keys, moves, graph and buttons", async () => {
    const { page, troubles } = await open(browser, english);
    assert.equal(await page.locator(".viewer cg-board piece").count(), 32);
    await page.keyboard.press("ArrowRight");
    await at(page, 1);
    assert.match(await title(page), /^1\. e4/);
    assert.equal(await current(page).locator(".san").innerText(), "e4");
    assert.equal(await page.locator(".viewer cg-board .last-move").count(), 2);
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("ArrowLeft");
    await at(page, 1);
    assert.match(await title(page), /^1\. e4 \+0\.24 =$/);
    assert.match(await now(page, "chances").innerText(), /^expected score 0\.5\d$/);

    await page.keyboard.press("n");
    assert.match(await title(page), /^6 … Bg4 \?!/);
    assert.equal(await now(page, "remark").innerText(), "Gives the opponent the better position.");
    await page.keyboard.press("p");
    assert.match(await page.locator(".viewer .now").innerText(), /C25 Vienna Game: Anderssen Defense/);

    await page.keyboard.press("End");
    assert.match(await title(page), /^27\. Qxg8#/);
    // The cursor is moved in the next frame.
    const cursorStandsAt = (share) =>
      until(
        page,
        (share) => {
          const line = document.querySelector(".viewer .graph .cursor line").getBoundingClientRect();
          const graph = document.querySelector(".viewer .graph svg").getBoundingClientRect();
          return Math.abs(line.left - graph.left - share * graph.width) < 3;
        },
        share,
      );
    await cursorStandsAt(1);
    await page.keyboard.press("Home");
    await cursorStandsAt(0);

    await page.locator(".viewer .moves [data-ply]", { hasText: "Qxh5" }).click();
    assert.match(await title(page), /^13\. Qxh5/);
    const graph = page.getByRole("slider");
    const { width, height } = await graph.boundingBox();
    await graph.click({ position: { x: (7 / 53) * width, y: height / 2 } });
    assert.match(await title(page), /^4\. f4/);
    await page.getByRole("button", { name: "Forward" }).click();
    assert.match(await title(page), /^4 … d6/);

    const corner = () => page.getByRole("gridcell").first().getAttribute("data-key");
    assert.equal(await corner(), "a8");
    await page.keyboard.press("f");
    assert.equal(await corner(), "h1", "the board is turned");
    assert.deepEqual(troubles, []);
    await page.close();
  });

  test("leaves keys to fields, and ignores Caps Lock", async () => {
    const { page, troubles } = await open(browser, english, { viewport: { width: 390, height: 900 } });
    const press = (target, key) =>
      target.evaluate((element, key) => element.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true })), key);
    const body = page.locator("body");
    await press(body, "N");
    await at(page, 12);
    await press(body, "P");
    await press(body, "ArrowRight");
    await at(page, 1);

    const field = await page.evaluateHandle(() => document.body.appendChild(document.createElement("input")));
    for (const key of ["n", "ArrowRight", "Home"]) await press(field, key);
    assert.match(await title(page), /^1\. e4/);
    assert.deepEqual(troubles, []);
    await page.close();
  });

  test("draws win, draw and loss where the curve has them, in German", async () => {
    const { page, troubles } = await open(browser, german);
    assert.equal(await page.locator("html").getAttribute("lang"), "de");
    assert.equal(await page.locator(".viewer .graph path.score").count(), 1, "the expected score within the draws");
    await page.keyboard.press("n");
    assert.match(await title(page), /^6 … Lg4 .*\+1,87/);
    assert.match(await now(page, "chances").innerText(), /^\d+ % Weiß · \d+ % Remis · \d+ % Schwarz$/);
    assert.equal(await now(page, "remark").innerText(), "Macht aus einer ausgeglichenen Stellung eine verlorene.");
    assert.match(await now(page, "numbers").innerText(), /^−0,56 → \+1,87; erwartete Punkte für Schwarz \d,\d\d → \d,\d\d$/);
    assert.deepEqual(troubles, []);
    await page.close();
  });

  test("can be read at every width, in light and dark", async () => {
    for (const [what, path] of Object.entries({ one: english, several, german })) {
      const { page, troubles } = await open(browser, path, NARROW);
      await page.keyboard.press("n");
      await page.locator(".viewer .now .remark").waitFor();
      await assertReadableEverywhere(page, `report-${what}`);
      for (const width of [1300, 390, 320]) {
        await page.setViewportSize({ width, height: 900 });
        for (const tab of await page.locator(".tabs button").all()) {
          await tab.click();
          await assertFits(page, ".viewer .tab");
        }
      }
      await assertReadableEverywhere(page, `report-${what}-totals`);
      assert.deepEqual(troubles, []);
      await page.close();
    }
  });

  test("is whole without scripts", async () => {
    const { page, troubles } = await unread(english);
    assert.equal(await page.locator(".viewer").count(), 0);
    assert.equal(await page.locator(".moments .diagram").count(), 6, "three for each player");
    for (const diagram of await page.locator(".diagram").all()) assert.ok(await diagram.isVisible());
    assert.equal(await page.locator(".score [id^=g1p]").count(), 53);
    assert.ok(await page.locator(".totals").isVisible());
    assert.deepEqual(troubles, []);
    await page.close();
  });

  test("prints what is read instead of what can only be clicked", async () => {
    const { page } = await open(browser, english);
    await page.locator(".drawn .graph").waitFor({ state: "attached" });
    await page.emulateMedia({ media: "print" });
    assert.equal(await page.locator(".viewer").isVisible(), false);
    for (const part of [".totals", ".drawn .graph", ".score"]) assert.ok(await page.locator(`.reading ${part}`).first().isVisible(), part);
    for (const diagram of await page.locator(".diagram").all()) assert.ok(await diagram.isVisible());
    await page.close();
  });

  test("has everything in sight on a phone, in letters of a size to read", async () => {
    for (const width of [320, 390]) {
      const viewport = { width, height: 900 };
      const still = await open(browser, named, { viewport, javaScriptEnabled: false });
      for (const cell of await still.page.locator(".totals :is(th, td)").all()) {
        const { x, width: wide } = await cell.boundingBox();
        assert.ok(x >= 0 && x + wide <= width, await cell.textContent());
      }
      // The viewport fits, and no cell is cut.
      await assertFits(still.page, ".totals th, .totals td, body");
      const totals = await still.page.locator(".totals").textContent();
      for (const part of ["Bartholomew-Maximilian", "??", "Time", "Accuracy"]) assert.ok(totals.includes(part), part);
      await still.page.close();

      const { page, troubles } = await open(browser, named, { viewport });
      const sizes = await page.locator(".viewer .graph :is(figcaption, p)").evaluateAll((texts) =>
        texts.map((text) => Number.parseFloat(getComputedStyle(text).fontSize)));
      assert.ok(sizes.length > 1 && sizes.every((size) => size >= 11), sizes.join());
      assert.deepEqual([...troubles, ...still.troubles], []);
      await page.close();
    }
  });

  test("leaves the players' colours as they are in the dark", async () => {
    const colours = {};
    for (const colorScheme of ["light", "dark"]) {
      const discs = (page, of) => page.locator(of).evaluateAll((all) => all.map((disc) => getComputedStyle(disc).backgroundColor));
      const still = await open(browser, english, { colorScheme, javaScriptEnabled: false });
      const { page } = await open(browser, english, { colorScheme });
      colours[colorScheme] = [await discs(still.page, ".totals .disc"), await discs(page, ".viewer .name > i")];
      await still.page.close();
      await page.close();
    }
    assert.deepEqual(colours.light[0], ["rgb(255, 255, 255)", "rgb(22, 20, 18)"]);
    assert.deepEqual(colours.light[1], ["rgb(43, 40, 37)", "rgb(253, 252, 249)"], "Black sits on top");
    assert.deepEqual(colours.dark, colours.light);
  });

  test("names the occasion once, with a link to the game", async () => {
    const { page } = await unread(english);
    const text = await page.locator("article").innerText();
    assert.equal(text.split("Rated Rapid game").length, 2);
    assert.equal(text.split("lichess.org/eT3jfS48").length, 2);
    assert.equal(await page.locator("header a").getAttribute("href"), "https://lichess.org/eT3jfS48");
    await page.close();
  });

  test("opens at the move that the address names", async () => {
    const { page } = await open(browser, `${english}#g1p12`);
    await at(page, 12);
    assert.match(await title(page), /^6 … Bg4/);
    await page.evaluate(() => (location.hash = "#g1p3"));
    await at(page, 3);
    assert.match(await title(page), /^2\. Nc3/);
    await page.keyboard.press("ArrowRight");
    await until(page, () => location.hash === "#g1p4");
    await page.close();
  });

  test("has coordinates and the side to move on diagrams", async () => {
    const { page } = await open(browser, english, { viewport: { width: 390, height: 900 }, javaScriptEnabled: false });
    const moments = await page.locator(".moments figure").all();
    assert.ok(moments.length > 0);
    for (const moment of moments) {
      const names = await moment.locator(".names text").allTextContents();
      assert.deepEqual([...names].sort().join(""), "12345678abcdefgh");
      const isBlack = /\.\.\./.test(await moment.locator("figcaption a").textContent());
      assert.equal((await moment.locator(".to-move").textContent()).trim(), isBlack ? "Black to move" : "White to move");
      // The mover sees the own pieces below.
      assert.equal(names.indexOf("a") < names.indexOf("h"), !isBlack);
    }
    await page.close();
  });

  test("draws a blamed move or a played lure red, and only the best move green", async () => {
    const { page } = await unread(ease);
    const figures = await page.locator(".moments figure").all();
    assert.ok(figures.length > 0);
    for (const figure of figures) {
      const words = await figure.innerText();
      const [, move] = words.match(/\n[0-9]+\.+ ([^\s!?□]+)/);
      const isPlayedLure = words.includes(`. ${move} lures`);
      const isBlamed = (await figure.locator(":is(.dubious, .mistake, .blunder)").count()) > 0;
      assert.equal(await figure.locator(".arrow.played").count(), isPlayedLure || isBlamed ? 1 : 0, words);
      assert.ok((await figure.locator(".arrow.best").count()) <= 1, words);
    }
    const colours = await page.locator(".arrow path:first-child").evaluateAll((paths) =>
      paths.map((path) => `${path.parentElement.classList[1]} ${getComputedStyle(path).stroke}`));
    const known = { played: "rgb(179, 21, 27)", best: "rgb(43, 122, 43)", other: "rgb(28, 92, 140)" };
    for (const colour of colours) assert.ok(Object.entries(known).some((pair) => pair.join(" ") === colour), colour);
    await page.close();
  });

  test("shows the better line that stands in the game", async () => {
    const still = await unread(named);
    assert.match(await still.page.locator(".moments figcaption .quiet").first().textContent(), /^Better: 2\. Nf3 Nc6 3\. Bb5$/);
    assert.equal(await still.page.locator(".moments .arrow.best").count(), 1);
    await still.page.close();
    const { page } = await open(browser, named);
    await page.keyboard.press("n");
    assert.equal((await now(page, "line").innerText()).trim(), "Better: 2. Nf3 Nc6 3. Bb5");
    await page.close();
  });

  test("writes German: letters of pieces, commas, points for thousands", async () => {
    const { page } = await open(browser, germanEase);
    const moves = await page.locator(".viewer .moves .san").allTextContents();
    assert.ok(moves.some((move) => move.startsWith("Sf3")) && moves.some((move) => move.startsWith("Lg4")));
    assert.ok(moves.every((move) => !/^[NQR]/.test(move)), moves.join(" "));
    await page.close();
    const still = await unread(germanEase);
    const text = await still.page.locator("article").innerText();
    assert.doesNotMatch(text, /\b[QRN][a-h]?x?[a-h][1-8]/);
    assert.match(text, /2\.000 Knoten je Stellung/);
    await still.page.close();
  });

  test("shows several games one by one, and prints all", async () => {
    const { page, troubles } = await open(browser, several, { viewport: { width: 390, height: 900 } });
    const choice = page.locator(".choice select");
    const shown = async (name) => {
      await page.locator(".viewer .name .who", { hasText: name }).waitFor();
      assert.ok((await choice.locator("option:checked").textContent()).includes(name));
    };
    assert.equal(await choice.locator("option").count(), 2);
    await shown("casualksk");
    await choice.selectOption({ index: 1 });
    await shown("Lee");
    assert.equal(await page.evaluate(() => location.hash), "#g2");
    assert.ok(await page.getByRole("button", { name: "Next game" }).isDisabled());
    await page.getByRole("button", { name: "Previous game" }).click();
    await shown("casualksk");
    await page.evaluate(() => (location.hash = "#g2p3"));
    await shown("Lee");
    await at(page, 3);
    assert.match(await title(page), /^2\. Qh5/);
    await page.waitForURL(/#g2p3$/);
    await page.reload();
    await at(page, 3);
    await shown("Lee");

    assert.equal(await page.locator("article:visible").count(), 0);
    await page.emulateMedia({ media: "print" });
    assert.equal(await page.locator("article:visible").count(), 2);
    assert.deepEqual(troubles.filter((trouble) => !trouble.startsWith("request:")), []);
    await page.close();

    const still = await unread(several);
    assert.deepEqual(await still.page.locator(".contents a").evaluateAll((links) => links.map((link) => link.getAttribute("href"))), ["#g1", "#g2"]);
    await still.page.close();
  });

  test("stands in a folder with an index that can be sorted", async () => {
    const batch = join(folder, "batch");
    centipawn("review", GAME, namedGame, "--reuse-evals", "--quiet", "--batch", batch);
    const path = join(batch, "index.html");
    const still = await unread(path);
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

    await games.locator("a", { hasText: "sammeke_69" }).click();
    await page.locator(".viewer .moves [data-ply='12'] b").waitFor();
    assert.match(await page.locator("main h1").textContent(), /sammeke_69/);
    assert.equal(await page.locator("article").isVisible(), false);
    assert.deepEqual(troubles.filter((trouble) => !trouble.startsWith("request: file:")), []);
    await page.close();
  });

  test("has a page for each player, which leads to the mistakes", async () => {
    const batch = join(folder, "players");
    centipawn("review", GAME, namedGame, "--reuse-evals", "--quiet", "--batch", batch);
    for (const [colorScheme, width] of [["dark", 320], ["light", 390], ["light", 1300]]) {
      const { page } = await open(browser, join(batch, "index.html"), { colorScheme, viewport: { width, height: 900 } });
      await assertReadable(page, `batch-index-${colorScheme}-${width}`);
      await page.locator('a[href^="players/"]', { hasText: "casualksk" }).click();
      await page.getByRole("heading", { name: "casualksk", exact: true }).waitFor();
      const tables = await page.locator("h2").allTextContents();
      const expected = ["What to train", "The costliest moments", "Results by colour", "Mistakes by phase", "Mistakes by opening", "The costliest mistakes"];
      assert.deepEqual(tables, expected);
      assert.match(await page.locator(".train").innerText(), /No reason is known for a mistake.*smaller losses: \d+ moves/s);
      assert.equal(await page.locator(".moments figure .diagram").count(), 3);
      await assertReadable(page, `batch-player-${colorScheme}-${width}`);
      const mistake = page.locator("table.listing").last().locator("a").first();
      const [, move, symbol] = (await mistake.textContent()).match(/ (.+?)([?!]+)$/);
      await mistake.click();
      await page.locator(".viewer .moves [aria-current]").waitFor();
      assert.ok((await title(page)).includes(` ${move} ${symbol}`));
      await page.close();
    }
  });

  /** Games of a student with the reasons that a review wrote into them: every other time she hangs a knight, else she does not take a queen. */
  function student(count) {
    const reason = (sentence, proof) => `[%reason ${sentence.length} ${proof}] ${sentence}`;
    const hangs = `2... Nc6 { [%eval 0.3] } 3. Nxe5 { [%eval -1.9] ${reason("Puts the knight on e5, where it is lost: 3... Nxe5.", "allows knight2 c6e5")} }
      ( 3. Bb5 { [%eval 0.3] } a6 4. Ba4 ) 3... Nxe5 { [%eval -1.9] }`;
    const misses = `2... Qg5 { [%eval 9.0] } 3. d3 { [%eval 0.0] ${reason("Misses 3. Nxg5, which wins the queen.", "misses queen9 f3g5")} }
      ( 3. Nxg5 { [%eval 9.0] } d6 4. Nf3 ) 3... Qe7 { [%eval 0.0] }`;
    return Array.from({ length: count }, (_, index) => {
      const tags = `[White "Anna"]\n[Black "Opponent ${index + 1}"]\n[Date "2025.${String((index % 12) + 1).padStart(2, "0")}.03"]\n[Result "0-1"]\n\n`;
      return `${tags}1. e4 { [%eval 0.3] } e5 { [%eval 0.3] } 2. Nf3 { [%eval 0.3] } ${index % 2 ? hangs : misses} 0-1\n`;
    }).join("\n");
  }

  /** Pages of a PDF. */
  async function sheets(page, name) {
    const path = process.env.SCREENSHOTS && join(process.env.SCREENSHOTS, `${name}.pdf`);
    const pdf = await page.pdf({ format: "A4", preferCSSPageSize: false, ...(path ? { path } : {}) });
    const count = pdf.toString("latin1").match(/\/Type\s*\/Page\b(?!s)/g).length;
    if (process.env.MEASURE) console.log(`${name}: ${count} pages`);
    return count;
  }

  /** The game again and again, as games that this player has played against others. */
  function played(player, count) {
    const game = readFileSync(join(root, GAME), "utf8");
    const openings = ["1. d4 d5", "1. c4 e5", "1. Nf3 d5", "1. g3 d5", "1. e4 c5", "1. e4 e6", "1. b3 e5", "1. f4 d5"];
    return Array.from({ length: count }, (_, index) => {
      const headers = game.split("\n\n")[0].split("\n").filter((line) => !/^\[(Site|ECO|Opening|Date|White|Black) /.test(line));
      const names = [`[White "${player}"]`, `[Black "Opponent ${index + 1}"]`, `[Date "2021.10.${String(index + 1).padStart(2, "0")}"]`];
      // Every other game begins differently, so that the list of openings is long.
      const [, white, black] = openings[(index >> 1) % openings.length].split(" ");
      const short = `1. ${white} { [%eval 0.2] } 1... ${black} { [%eval 0.2] } 2. a4 { [%eval ${-1.2 - index / 100}] } 2... a5 { [%eval 0.1] } 1-0`;
      return [...headers, ...names].join("\n") + `\n\n${index % 2 ? short : game.split("\n\n")[1].trim()}\n`;
    }).join("\n");
  }

  test("needs few sheets of paper, and no heading stands alone", async () => {
    const path = join(folder, "six.pgn");
    writeFileSync(path, Array.from({ length: 6 }, (_, index) => readFileSync(join(root, GAME), "utf8").replace("sammeke_69", `Player ${index}`)).join("\n"));
    for (const language of ["en", "de"]) {
      const six = join(folder, `six-${language}.html`);
      centipawn("review", path, "--reuse-evals", "--quiet", "--html", six, "--language", language);
      const { page } = await open(browser, six);
      for (const graph of await page.locator(".drawn .graph").all()) await graph.waitFor({ state: "attached" });
      await until(page, () => [...document.querySelectorAll(".drawn")].every((place) => place.querySelector("path.white-area")));
      const count = await sheets(page, `paper-six-games-${language}`);
      assert.ok(count < 21, `${count} pages`);
      await page.emulateMedia({ media: "print" });
      const breaks = await page.locator(".reading :is(h1, h2, h3)").evaluateAll((headings) => headings.map((each) => getComputedStyle(each).breakAfter));
      assert.ok(breaks.length > 6 && breaks.every((rule) => rule === "avoid"), breaks.join());
      // A move stands with its remark, a board with its text.
      const moves = await page.locator(".score p:has(+ .remark)").evaluateAll((moves) => moves.map((each) => getComputedStyle(each).breakAfter));
      assert.ok(moves.length > 6 && moves.every((rule) => rule === "avoid"), moves.join());
      const boards = await page.locator(".reading .moments figure").evaluateAll((all) => all.map((each) => getComputedStyle(each).breakInside));
      assert.ok(boards.every((rule) => rule === "avoid"), boards.join());
      await page.close();
    }
  });

  test("shows what a student should train, on one sheet", async () => {
    const path = join(folder, "student.pgn");
    writeFileSync(path, student(24));
    const words = {
      en: ["What to train", /misses hanging pieces: 12 times, \d\.\d points \(\d+\u00a0% of the points given away; 95 % interval \d\.\d–\d\.\d\)/, "hangs pieces: 12 times", "Solution"],
      de: ["Was zu üben ist", /übersieht hängende Figuren: 12-mal, \d,\d Punkte \(\d+\u00a0% der verschenkten Punkte; 95-%-Intervall \d,\d–\d,\d\)/, "stellt Figuren ein: 12-mal", "Lösung"],
    };
    for (const [language, [heading, first, second, solution]] of Object.entries(words)) {
      const batch = join(folder, `student-${language}`);
      centipawn("review", path, "--reuse-evals", "--quiet", "--batch", batch, "--language", language);
      for (const [colorScheme, width] of [["light", 390], ["dark", 1300]]) {
        const { page } = await open(browser, join(batch, "players", "00001.html"), { colorScheme, viewport: { width, height: 900 } });
        await page.getByRole("heading", { name: heading }).waitFor();
        const causes = await page.locator(".train ol li").allTextContents();
        assert.equal(causes.length, 2);
        assert.match(causes[0], first);
        assert.ok(causes[1].startsWith(second), causes[1]);
        assert.equal(await page.locator(".trend circle").count(), 12, "a point for each month");
        // The solution is folded, and no arrow shows it.
        const puzzles = page.locator(".puzzles figure");
        assert.equal(await puzzles.count(), 6);
        assert.equal(await puzzles.locator(".arrow").count(), 0);
        assert.equal(await puzzles.first().locator("details p").first().isVisible(), false);
        await puzzles.first().getByText(solution, { exact: true }).click();
        assert.match(await puzzles.first().locator("details p").first().innerText(), /^3\. [NS]xg5 d6 4\. [NS]f3$/);
        await assertReadable(page, `batch-student-${language}-${colorScheme}-${width}`);
        if (width === 1300) {
          assert.equal(await sheets(page, `paper-student-${language}`), 1);
          await page.locator(".moments figcaption a").first().click();
          await page.locator(".viewer .moves [aria-current]").waitFor();
          assert.match(await title(page), /^3\. d3 ?\?\?/);
        }
        await page.close();
      }
    }
  });

  test("a player's page is one sheet of paper", async () => {
    const path = join(folder, "played.pgn");
    writeFileSync(path, played("Anna", 30));
    for (const language of ["en", "de"]) {
      const batch = join(folder, `anna-${language}`);
      centipawn("review", path, "--reuse-evals", "--quiet", "--batch", batch, "--language", language);
      const { page } = await open(browser, join(batch, "index.html"));
      await page.locator('a[href^="players/"]', { hasText: "Anna" }).click();
      await page.getByRole("heading", { name: "Anna", exact: true }).waitFor();
      assert.ok((await page.locator(".listing").last().locator("tbody tr").count()) > 18, "more mistakes than the sheet shows");
      assert.equal(await sheets(page, `paper-player-${language}`), 1);
      await page.close();
    }
  });
});
