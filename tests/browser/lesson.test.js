// Lessons, worksheets, and what the page keeps: with the real program and Stockfish.
import assert from "node:assert/strict";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { centipawn, endServers, launch, root, serve, temporaryFolder } from "./browser.js";
import { askServer, assertReadableEverywhere, finished, NARROW, openRoom, until } from "./page.js";

const LICHESS = readFileSync(join(root, "tests/data/lichess.pgn"), "utf8");
const CSV = readFileSync(join(root, "examples/puzzles.csv"), "utf8");

describe("lessons and what is kept", () => {
  let browser, folder, server;

  before(async () => {
    folder = temporaryFolder();
    browser = await launch();
    server = await serve(join(folder, "a.db"), 0, "--nodes", "20000");
    const { games } = await askServer(server, "POST", "games", LICHESS);
    const { id } = await askServer(server, "POST", "reviews", { game: games[0].id, limit: "20000 nodes" });
    await finished(server, id);
    for (const name of [games[0].white, games[0].black]) await askServer(server, "POST", "puzzles/mistakes", { player: name });
  });
  after(async () => {
    await browser?.close();
    await server?.stop();
    await endServers();
    rmSync(folder, { recursive: true });
  });

  const says = (page, text) =>
    until(page, (text) => document.querySelector(".task .said")?.textContent.includes(text), text);

  /** Plays the moves of a puzzle's solution. */
  async function solve(page, at, id) {
    const { line } = await askServer(at, "GET", `puzzles/${id}/solution`);
    for (const { san } of line.filter((_, index) => index % 2 === 1)) {
      await page.locator(".task button:not([disabled])", { hasText: "Hint" }).waitFor();
      await page.getByRole("textbox", { name: "Type a move" }).fill(san);
      await page.getByRole("textbox", { name: "Type a move" }).press("Enter");
      await page.waitForTimeout(900);
    }
    await page.getByRole("heading", { name: "Solution" }).waitFor();
  }

  test("a lesson has a count, reasons, decoys and a summary, and asks nothing again that is solved", async () => {
    const { page, troubles, close } = await openRoom(browser, server, "/puzzles/lesson?only=1,2,3,4,5,6,7");
    await page.getByRole("heading", { name: "Lesson" }).waitFor();
    const items = await page.evaluate(() => JSON.parse(localStorage.getItem(`lesson${location.search}`)).items);
    const puzzles = items.filter(({ puzzle }) => puzzle !== null);
    const decoys = items.length - puzzles.length;
    assert.equal(puzzles.length, 7);
    // The only game has few quiet positions; at most one position in four is a decoy.
    assert.ok(decoys >= 1 && decoys <= Math.floor(puzzles.length / 3), `${decoys} decoys`);
    // What is asked does not tell puzzles and decoys apart.
    const seen = new Set();
    let failed = null;
    for (const [index, { puzzle }] of items.entries()) {
      await page.getByText(`${index + 1} of ${items.length}`, { exact: true }).waitFor();
      await says(page, "Does one move matter here?");
      assert.equal(await page.locator(".task .turn .quiet").count(), 0);
      seen.add((await page.locator(".task").innerText()).replace(/^(White|Black)/, ""));
      if (puzzle === null) {
        await page.getByRole("button", { name: "No single move matters" }).click();
        await says(page, "Right: several moves are as good here");
        await page.getByText("In the game, ").waitFor();
      } else if (failed === null && index > 0) {
        failed = index;
        await page.getByRole("button", { name: "No single move matters" }).click();
        await says(page, "One move is clearly better than the others here.");
        await solve(page, server, puzzle);
      } else {
        await solve(page, server, puzzle);
        // The reason is what the review says of the move that was played.
        assert.match(await page.locator(".task .reason").innerText(), /^\S+(\?!|\?|\?\?) in the game: .+\.$/);
      }
      if (index === 1) {
        // A lesson goes on where it was.
        await page.reload();
        await page.getByText(`2 of ${items.length}`, { exact: true }).waitFor();
        if (puzzle === null) await page.getByRole("button", { name: "No single move matters" }).click();
        else await solve(page, server, puzzle);
      }
      await page.getByRole("button", { name: "Next puzzle" }).click();
    }
    assert.equal(seen.size, 1, [...seen].join());
    await page.getByRole("heading", { name: "The lesson is over" }).waitFor();
    const text = await page.locator("main").innerText();
    assert.match(text, new RegExp(`${puzzles.length - 1} of ${puzzles.length} found at the first try`));
    if (decoys > 0) assert.match(text, new RegExp(`${decoys} of ${decoys} positions without a solution recognised`));
    const rows = await page.locator(".results li").allInnerTexts();
    assert.equal(rows.length, items.length);
    assert.match(rows[failed], /after 1 wrong try[\s\S]*again on /);
    assert.equal(rows.filter((row) => /again on /.test(row)).length, puzzles.length);

    // Started again, nothing is due; and it can be practised all the same.
    await page.goto(`${server.url}/puzzles/lesson?only=1,2,3,4,5,6,7`);
    await page.getByRole("heading", { name: "Nothing is due now" }).waitFor();
    await page.getByText(new RegExp(`^${puzzles.length} puzzles of this lesson are solved`)).waitFor();
    await page.getByRole("button", { name: "Practise them anyway" }).click();
    await page.getByText(/^1 of \d+$/).waitFor();
    // Without decoys, the puzzles are asked as they are.
    await page.getByLabel("Mix in positions").click();
    await page.getByRole("heading", { name: "Nothing is due now" }).waitFor();
    await page.getByRole("button", { name: "Practise them anyway" }).click();
    await says(page, "was played. Find a better move.");
    assert.equal(await page.getByRole("button", { name: "No single move matters" }).count(), 0);
    assert.deepEqual(troubles, []);
    await close();
  });

  test("a lesson can be read at every width, in both languages", async () => {
    for (const locale of ["en", "de"]) {
      const { page, close } = await openRoom(browser, server, "/puzzles/lesson", { ...NARROW, locale });
      const rest = page.getByRole("button", { name: locale === "de" ? "Trotzdem üben" : "Practise them anyway" });
      await rest.or(page.locator(".steps")).first().waitFor();
      if (await rest.count()) {
        await assertReadableEverywhere(page, `lesson-rest-${locale}`);
        await rest.click();
      }
      await page.locator(".task .said", { hasText: /\S/ }).waitFor();
      await assertReadableEverywhere(page, `lesson-${locale}`);
      const items = await page.evaluate(() => JSON.parse(localStorage.getItem("lesson")).items);
      // The end, as if all were answered.
      await page.evaluate(() => {
        const kept = JSON.parse(localStorage.getItem("lesson"));
        const results = kept.items.map(({ puzzle }, index) => ({ mistakes: index === 1 ? 1 : 0, hints: index === 2 ? 1 : 0, isShown: false, due: puzzle && 1_800_000_000 }));
        localStorage.setItem("lesson", JSON.stringify({ ...kept, index: kept.items.length - 1, results }));
      });
      await page.reload();
      const last = items.at(-1).puzzle;
      const next = page.getByRole("button", { name: locale === "de" ? "Nächste Aufgabe" : "Next puzzle" });
      await page.locator(".task .said", { hasText: /\S/ }).waitFor();
      await page.locator(".task button", { hasText: last === null ? /No single move matters|Auf keinen Zug/ : /Show the solution|Lösung zeigen/ }).click();
      await next.click();
      await page.locator(".results").waitFor();
      await assertReadableEverywhere(page, `lesson-end-${locale}`);
      await close();
    }
  });

  test("worksheets have six diagrams on a page, and the solutions at the end", async () => {
    const answer = await askServer(server, "POST", "puzzles/import?name=examples.csv", CSV);
    assert.ok(answer.added >= 7, `${answer.added}`);
    const { next } = await askServer(server, "POST", "puzzles", { origin: "examples.csv" });
    const only = Array.from({ length: 7 }, (_, index) => next + index).join();
    const page = await browser.newPage();
    const troubles = [];
    page.on("console", (message) => troubles.push(message.text()));
    for (const [address, diagrams] of [
      [`${server.url}/api/puzzles/worksheet?only=${only}&language=de`, 7],
      [`file://${join(folder, "sheet.html")}`, 6],
    ]) {
      if (address.startsWith("file")) centipawn("study", "worksheet", "examples/puzzles.csv", "--most", "6", "-o", join(folder, "sheet.html"));
      await page.goto(address);
      assert.equal(await page.locator(".diagram").count(), diagrams);
      // Everything that is drawn has its colours, also under the policy of the server.
      assert.equal(await page.locator(".diagram .dark").first().evaluate((path) => getComputedStyle(path).fill), "rgb(212, 212, 212)");
      const pdf = (await page.pdf({ preferCSSPageSize: true })).toString("latin1");
      const pages = pdf.match(/\/Type\s*\/Page\b(?!s)/g).length;
      assert.equal(pages, Math.ceil(diagrams / 6) + 1, "sheets, and a page of solutions");
      if (process.env.SCREENSHOTS) await page.pdf({ path: join(process.env.SCREENSHOTS, `worksheet-${diagrams}.pdf`), preferCSSPageSize: true });
    }
    assert.deepEqual(troubles, []);
    await page.close();
  });

  test("everything is exported and imported by the page, and deleted after a count", async () => {
    const { page, troubles, close } = await openRoom(browser, server, "/engines");
    const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("link", { name: "Export everything" }).click()]);
    const file = await download.path();
    const other = await serve(join(folder, "b.db"), 0, "--nodes", "20000");
    const there = await openRoom(browser, other, "/engines");
    await there.page.locator("input[type=file]").setInputFiles({ name: "centipawn.jsonl.gz", mimeType: "application/gzip", buffer: readFileSync(file) });
    await there.page.getByText(/^New: 1 games, 1 reviews and searches, \d+ puzzles, \d+ attempts\.$/).waitFor();
    const lists = async (at) => {
      const [games, puzzles] = await Promise.all([askServer(at, "POST", "games/select", {}), askServer(at, "POST", "puzzles", {})]);
      return [games, puzzles];
    };
    // Reviews are judged for lists in the background.
    for (const end = Date.now() + 60_000; (await lists(other))[0].games[0].review === null; await new Promise((go) => setTimeout(go, 100))) assert.ok(Date.now() < end);
    assert.deepEqual(await lists(other), await lists(server));

    const { games } = await askServer(other, "POST", "games/select", {});
    await there.page.goto(`${other.url}/review/${games[0].review.id}`);
    await there.page.getByRole("button", { name: "Report", exact: true }).click();
    await there.page.getByRole("button", { name: "Delete this game" }).click();
    await there.page.getByText(/This deletes 1 game, 1 review, \d+ puzzles?, \d+ attempts?\./).waitFor();
    assert.equal((await lists(other))[0].all, 1, "not yet");
    await there.page.getByRole("button", { name: "Delete", exact: true }).click();
    await there.page.getByText("The game is deleted.").waitFor();
    await there.page.locator("main").getByRole("link", { name: "Games" }).click();
    assert.equal((await lists(other))[0].all, 0);
    assert.deepEqual(troubles, []);
    assert.deepEqual(there.troubles, []);
    await Promise.all([close(), there.close()]);
    await other.stop();
  });

  test("a backup that is made while the server reviews goes on elsewhere", async () => {
    const store = join(folder, "busy.db");
    const busy = await serve(store, 0, "--nodes", "20000");
    const { games } = await askServer(busy, "POST", "games", `${LICHESS}\n${readFileSync(join(root, "examples/opera-game.pgn"), "utf8")}`);
    const first = await askServer(busy, "POST", "reviews", { game: games[0].id, limit: "2000 nodes" });
    await finished(busy, first.id);
    const second = await askServer(busy, "POST", "reviews", { game: games[1].id, limit: "100000 nodes" });
    for (const end = Date.now() + 60_000; (await askServer(busy, "GET", `jobs/${second.id}`)).done < 3; await new Promise((go) => setTimeout(go, 20))) assert.ok(Date.now() < end);
    const copy = join(folder, "elsewhere.db");
    centipawn("store", "backup", copy, "--store", store);
    assert.equal((await askServer(busy, "GET", `jobs/${second.id}`)).state, "running", "the review went on meanwhile");
    const kept = await askServer(busy, "GET", `reviews/${first.id}`);
    await busy.stop();

    const other = await serve(copy, 0, "--nodes", "20000");
    const { page, troubles, close } = await openRoom(browser, other, "/");
    await page.locator(".list .count", { hasText: "2 games" }).waitFor();
    assert.deepEqual((await askServer(other, "GET", `reviews/${first.id}`)).games, kept.games);
    // The review that was running continues with what was evaluated.
    const interrupted = page.locator(".game", { has: page.locator(".job.interrupted") });
    await interrupted.getByRole("button", { name: "Continue" }).click();
    await finished(other, second.id, 120_000);
    await page.locator(".game .verdict").nth(1).waitFor();
    assert.deepEqual(troubles, []);
    await close();
    await other.stop();
  });

  test("a page below another path asks for nothing outside it", async () => {
    const at = await serve(join(folder, "base.db"), 0, "--base", "/chess/");
    assert.match(at.url, /\/chess$/);
    const { page, troubles, close } = await openRoom(browser, at, "/");
    await page.getByLabel("Add games").fill("1. e4 e5 2. Qh5 Nc6 *");
    await page.getByRole("button", { name: "Add", exact: true }).click();
    await page.locator(".list .count", { hasText: "1 game" }).waitFor();
    for (const room of ["Me", "Puzzles", "Engines", "Review"]) {
      await page.locator(".top nav").getByRole("link", { name: room, exact: true }).click();
      await page.waitForURL(room === "Review" ? `${at.url}/` : `${at.url}/${room.toLowerCase()}*`);
      await page.locator("main h1").first().waitFor();
      await page.reload();
      await page.locator("main h1").first().waitFor();
    }
    const links = await page.locator("a[href^='/']").evaluateAll((all) => all.map((link) => link.getAttribute("href")));
    assert.ok(links.length > 5 && links.every((link) => link.startsWith("/chess/")), links.join());
    // A proxy may remove the path itself, too.
    const { origin } = new URL(at.url);
    assert.equal((await fetch(`${origin}/api/status`)).status, 200);
    assert.equal((await fetch(`${origin}/chess/review/5`)).status, 200);
    assert.equal((await fetch(`${origin}/chessboard`)).status, 404);
    assert.deepEqual(troubles, []);
    await close();
    await at.stop();
  });
});
