// The HTML report of `centipawn review`, opened in a browser.
import assert from "node:assert/strict";
import { readFileSync, rmSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { centipawn, launch, open, temporaryFolder } from "./browser.js";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const GAME = "tests/data/lichess.pgn";

describe("a report", () => {
  let browser, folder, english, german, ease;

  before(async () => {
    folder = temporaryFolder();
    [english, german, ease] = ["en", "de", "ease"].map((name) => join(folder, `${name}.html`));
    centipawn("review", GAME, "--reuse-evals", "--quiet", "--html", english);
    centipawn("review", GAME, "--reuse-evals", "--quiet", "--html", german, "--language", "de", "--curve", "stockfish");
    const network = "crates/policy/tests/data/res_se_conv_wdl.pb.gz";
    const opera = "examples/opera-game.pgn";
    centipawn("review", opera, "--nodes", "2000", "--ease", "--policy", network, "--quiet", "--html", ease);
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
    assert.match(await now(page, "score"), /^\+0\.24 = · 0\.5\d$/);

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

  test("leaves keys to fields and to tables that scroll, and minds no Caps Lock", async () => {
    const { page, troubles } = await open(browser, english, { viewport: { width: 390, height: 900 } });
    // The narrow window scrolls; the board must stay the one that is looked at.
    const press = (target, key) =>
      target.evaluate((element, key) => element.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true })), key);
    const title = () => now(page, "title");
    const body = page.locator("body");
    await press(body, "N");
    assert.equal(await title(), "6... Bg4?!", "Caps Lock");
    await press(body, "P");
    const start = await title();

    const table = page.locator(".wide").first();
    await table.evaluate((table) => (table.style.width = "100px"));
    for (const key of ["ArrowRight", "End"]) await press(table, key);
    assert.equal(await title(), start, "arrows scroll the table");
    await press(table, "n");
    assert.equal(await title(), "6... Bg4?!", "letters do not");
    await press(body, "Home");
    await table.evaluate((table) => (table.style.width = "auto", table.firstElementChild.style.fontSize = "1px"));
    await press(table, "ArrowRight");
    assert.equal(await title(), "1. e4", "nor is there anything to scroll now");

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
    for (const [name, width] of [["desk", 1300], ["phone", 390]]) {
      test(`can be read: ${colorScheme}, ${name}`, async () => {
        const { page, troubles } = await open(browser, english, { colorScheme, viewport: { width, height: 900 } });
        await page.keyboard.press("n");
        await page.evaluate(axe);
        const { violations } = await page.evaluate(() => window.axe.run({ runOnly: ["wcag2a", "wcag2aa"] }));
        const told = violations.map(({ id, nodes }) => `${id}: ${nodes[0].html} ${nodes[0].failureSummary}`);
        assert.deepEqual(told, []);
        const { scrollWidth, clientWidth } = await page.evaluate(() => document.documentElement);
        assert.equal(scrollWidth, clientWidth, "nothing sticks out");
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

  test("stands in a folder with an index", async () => {
    const batch = join(folder, "batch");
    centipawn("review", GAME, "--reuse-evals", "--quiet", "--batch", batch);
    const { page } = await open(browser, join(batch, "index.html"));
    const link = page.locator("a").first();
    assert.equal(await link.textContent(), "sammeke_69");
    await link.click();
    assert.match(await page.locator("h1").textContent(), /sammeke_69/);
    assert.ok(await page.locator(".viewer").isVisible());
    await page.close();
  });
});
