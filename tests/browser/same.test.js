// A game looks the same as a report, in a batch, on a site and on the page of `centipawn serve`.
import assert from "node:assert/strict";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { centipawn, endServers, launch, root, serve, temporaryFolder } from "./browser.js";
import { askServer, finished } from "./page.js";

const GAME = "tests/data/lichess.pgn";
/** The half-move that is compared in detail: 6... Bg4?!. */
const PLY = 12;

describe("the same game", () => {
  let browser, folder, server, addresses;

  before(async () => {
    folder = temporaryFolder();
    browser = await launch();
    server = await serve(join(folder, "a.db"));
    const { games } = await askServer(server, "POST", "games", readFileSync(join(root, GAME), "utf8"));
    const job = await askServer(server, "POST", "reviews", { game: games[0].id, reuse_evals: true });
    await finished(server, job.id);
    const [report, batch, site] = ["report.html", "batch", "site"].map((name) => join(folder, name));
    centipawn("review", GAME, "--reuse-evals", "--quiet", "--html", report);
    centipawn("review", GAME, "--reuse-evals", "--quiet", "--batch", batch);
    centipawn("site", site, GAME, "--quiet");
    addresses = {
      page: `${server.url}/review/${job.id}#ply=${PLY}`,
      report: `file://${report}#g1p${PLY}`,
      batch: `file://${batch}/games/00001.html#ply=${PLY}`,
      site: `file://${site}/games/00001.html#ply=${PLY}`,
    };
  });
  after(async () => {
    await browser?.close();
    await server?.stop();
    await endServers();
    rmSync(folder, { recursive: true });
  });

  /** What the viewer shows, as text and numbers. */
  const shown = (page) =>
    page.evaluate(() => {
      const all = (selector) => [...document.querySelector("main.review").querySelectorAll(selector)];
      const texts = (selector) => all(selector).map((element) => element.textContent);
      const values = (selector, ...names) => all(selector).map((element) => names.map((name) => element.getAttribute(name)).join(" "));
      const styles = (selector, ...names) => all(selector).map((element) => names.map((name) => getComputedStyle(element)[name]).join(" "));
      return {
        players: texts(".name"),
        moves: texts(".moves [data-ply] .san"),
        evaluations: texts(".moves [data-ply] .eval"),
        now: texts(".now p"),
        graph: values(".graph path, .graph rect", "class", "d", "x", "y", "width", "height"),
        bar: values(".bar rect", "class", "y", "height"),
        pieces: all("cg-board piece").map((piece) => piece.className).sort(),
        colours: {
          symbols: styles(".moves b", "color", "fontWeight"),
          title: styles(".now .title b", "color"),
          players: styles(".name > i", "backgroundColor"),
          bar: styles(".bar rect", "fill"),
          graph: styles(".graph path, .graph rect", "fill", "stroke"),
          board: styles("cg-board", "backgroundImage"),
          move: styles("cg-board square.last-move", "backgroundColor"),
          mark: styles(".mark circle, .mark text", "fill", "stroke"),
        },
      };
    });

  for (const colorScheme of ["light", "dark"]) {
    test(`as report, batch, site and page: ${colorScheme}`, async () => {
      const seen = {};
      for (const [name, address] of Object.entries(addresses)) {
        const context = await browser.newContext({ colorScheme, viewport: { width: 1300, height: 900 } });
        const page = await context.newPage();
        await page.goto(address);
        await page.locator(`.moves [data-ply='${PLY}'][aria-current]`).waitFor();
        await page.locator(".graph path.white-area").first().waitFor();
        await page.locator(".strip").first().waitFor();
        await page.locator(".mark circle").waitFor();
        // Pieces that still move have another class.
        await page.waitForTimeout(400);
        const pictured = async (what) => {
          if (!process.env.SCREENSHOTS) return;
          await page.screenshot({ path: join(process.env.SCREENSHOTS, `same-${name}-${what}-${colorScheme}.png`) });
        };
        await pictured("moves");
        const found = await shown(page);
        await page.keyboard.press("w");
        await page.locator(".why > p").first().waitFor();
        // Numbers are in a fold below the reason.
        found.reason = await page.locator(".why > p").allInnerTexts();
        assert.equal(await page.locator(".why .sum").isVisible(), false);
        await page.locator(".why summary").click();
        found.why = (await page.locator(".why .sum").innerText()).trim();
        await pictured("why");
        await page.getByRole("button", { name: "Report" }).click();
        await page.locator(".report tbody tr").nth(8).waitFor();
        found.totals = await page.locator(".report tbody tr").evaluateAll((rows) => rows.map((row) => [...row.cells].map((cell) => cell.textContent)));
        found.moments = await page.locator(".report .critical").allInnerTexts();
        await pictured("totals");
        seen[name] = found;
        if (name !== "page") {
          // Paper and readers without scripts get the same numbers.
          const rows = await page.locator("article .totals tbody tr").evaluateAll((rows) => rows.map((row) => [...row.cells].map((cell) => cell.textContent)));
          const known = found.totals.map(([, ...numbers]) => numbers.join(" "));
          const figures = rows.filter(([row]) => !/^[?!]/.test(row)).map(([, ...numbers]) => numbers.join(" "));
          assert.deepEqual(figures, known.slice(0, figures.length), name);
          for (const [symbol, ...counts] of rows.filter(([row]) => /^[?!]/.test(row))) {
            assert.deepEqual(counts, found.totals.find(([row]) => row.startsWith(`${symbol} `)).slice(1), `${name}: ${symbol}`);
          }
        }
        await context.close();
      }
      const { page, ...others } = seen;
      assert.equal(page.moves.length, 53);
      assert.ok(page.totals.length > 8 && page.colours.symbols.length > 10);
      for (const [name, other] of Object.entries(others)) {
        for (const part of Object.keys(page)) assert.deepEqual(other[part], page[part], `${name}: ${part}`);
      }
    });
  }
});
