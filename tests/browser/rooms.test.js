// The rooms of the page beside reviews and form, with the real program and Stockfish.
import assert from "node:assert/strict";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { centipawn, endServers, launch, root, serve, temporaryFolder } from "./browser.js";
import { askServer, assertReadable, assertReadableEverywhere, finished, NARROW, openRoom, until } from "./page.js";

const NODES = "20000";
const LICHESS = readFileSync(join(root, "tests/data/lichess.pgn"), "utf8");
const MINED = '[White "Anna"]\n[Black "Boris"]\n[SetUp "1"]\n[FEN "6k1/5ppp/8/8/8/8/r4PPP/3R2K1 b - - 0 1"]\n\n1... Rb2 2. h3 h6 *\n';
/** Mate in two, whose last move may be another; mate in one. */
const PUZZLES = [
  { fen: "r5k1/5ppp/p7/8/Q7/8/4RPPP/4R1K1 b - - 0 1", moves: ["a6a5", "e2e8", "a8e8", "a4e8"], themes: ["mateIn2"] },
  { fen: "1r4k1/p4ppp/8/8/8/8/5PPP/1R4K1 b - - 0 1", moves: ["a7a6", "b1b8"], themes: ["mateIn1"] },
].map((puzzle) => `${JSON.stringify(puzzle)}\n`).join("");
const TRAP = "e2e4,e7e5,g1f3,d7d6,f1c4,c8g4,b1c3,g7g6,f3e5";

describe("rooms of the page", () => {
  let browser, folder, server;

  before(async () => {
    folder = temporaryFolder();
    browser = await launch();
    server = await serve(join(folder, "a.db"), 0, "--nodes", NODES);
  });
  after(async () => {
    await browser?.close();
    await server?.stop();
    await endServers();
    rmSync(folder, { recursive: true });
  });

  const open = (path, options) => openRoom(browser, server, path, options);
  const percent = (share) => `${(100 * share).toFixed(0)} %`;
  const pawns = (value) => `${value > 0 ? "+" : ""}${value.toFixed(2).replace(/^-(?=0\.00$)/, "").replace("-", "−")}`;

  test("calibration tells what an evaluation is worth, as `symbols` does", async () => {
    const { page, troubles, close } = await open("/curves?rating=2000&time=5400%2B30&eval=1.5");
    const expected = (rating, time, worth) =>
      JSON.parse(centipawn("symbols", "--rating", rating, "--time", time, "--played", worth, "--best", worth, "--json"));
    const shown = (text) => until(page, (text) => document.querySelector(".worth")?.textContent.includes(text), text);
    const first = expected("2000", "5400+30", "1.5");
    await shown(`${percent(first.result.played)} of the points`);
    await shown(`75 % of the points from ${pawns(first.balance)} on`);
    await shown(`An engine expects ${percent(first.curves.played.stockfish)}.`);
    for (const [scheme, limits] of Object.entries(first.limits.move)) {
      const row = page.locator(".limits-table tr", { has: page.getByRole("rowheader", { name: scheme, exact: true }) });
      // Rounded to the side on which the symbol holds, as the command line does.
      const texts = ["?!", "?", "??"].map((symbol) => (limits[symbol] === null ? "never" : pawns(Math.floor(100 * limits[symbol] + 1e-6) / 100)));
      assert.deepEqual(await row.locator("td").allTextContents(), texts);
    }
    // Slider, radio buttons and the drawing's point say the same.
    await page.getByRole("slider", { name: "Rating of the players" }).press("ArrowLeft");
    await shown(`${percent(expected("1950", "5400+30", "1.5").result.played)} of the points`);
    await page.getByRole("radio", { name: "3 + 2" }).check();
    await page.getByRole("slider", { name: "Evaluation" }).last().press("PageUp");
    const last = expected("1950", "180+2", "2.5");
    await shown(`${percent(last.result.played)} of the points`);
    await page.waitForURL(/\/curves\?rating=1950&time=180%2B2&eval=2\.5$/);
    assert.equal(await page.getByRole("slider", { name: "Evaluation" }).last().getAttribute("aria-valuetext"), `+2.50: Expected score ${last.result.played.toFixed(2)}`);
    await page.reload();
    await shown(`${percent(last.result.played)} of the points`);
    // The point is on its line also between the ratings that are drawn.
    const height = async (rating) => {
      await page.goto(`${server.url}/curves?rating=${rating}`);
      const dots = page.locator("svg[aria-label*='1800'] circle.here");
      await dots.waitFor();
      return Number(await dots.getAttribute("cy"));
    };
    assert.ok(Math.abs((await height(1600)) - (await height(1610))) < 5);
    assert.deepEqual(troubles, []);
    await close();
  });

  test("the curve chosen there judges form and reviews", async () => {
    const { games } = await askServer(server, "POST", "games", "[White \"A\"]\n\n1. e4 { [%eval 0.3] } e5 { [%eval 0.3] } 2. Qh5 { [%eval -0.4] } Ke7 { [%eval #1] } 3. Qxe5# { [%eval #0] } 1-0\n");
    const { id } = await askServer(server, "POST", "reviews", { game: games[0].id, reuse_evals: true });
    const { page, troubles, close } = await open("/curves?rating=1000&time=180%2B2");
    await page.getByRole("button", { name: "Use on this page" }).click();
    await page.getByText("Reviews and the form use this curve.").waitFor();
    await page.getByRole("link", { name: "Form", exact: true }).click();
    const form = JSON.parse(centipawn("symbols", "--rating", "1000", "--time", "180+2", "--played", "-1", "--best", "2", "--json"));
    await until(page, (text) => document.querySelector(".numbers")?.textContent.includes(text), form.relevant.toFixed(2));
    assert.equal(await page.getByRole("combobox", { name: /^Curve/ }).inputValue(), "human 1000 180+2");
    await page.goto(`${server.url}/review/${id}`);
    await page.getByRole("button", { name: "Report" }).click();
    await until(page, () => document.querySelector(".report")?.textContent.includes("human, rating 1000, 4 min a player"));
    assert.deepEqual(troubles, []);
    await close();
  });

  test("ease has the numbers of `ease --json`", async () => {
    const { page, troubles, close } = await open("/ease");
    await page.getByRole("button", { name: "Try an example" }).click();
    await page.waitForURL(new RegExp(`/ease\\?moves=${TRAP}$`));
    await page.locator(".likely").waitFor({ timeout: 60_000 });
    await until(page, () => document.querySelector("[aria-busy]")?.ariaBusy === "false", null, 60_000);
    const text = centipawn("ease", `startpos moves ${TRAP.replaceAll(",", " ")}`, "--level", "600..2200", "--nodes", NODES, "--jobs", "1", "--json", "--quiet");
    const levels = text.trim().split("\n").map((line) => JSON.parse(line));
    const answer = await askServer(server, "POST", "ease", { fen: "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", moves: TRAP.split(",") });
    // Where an answer is from differs in its command.
    const numbers = (levels) => levels.map(({ provenance: _, ...level }) => level);
    assert.deepEqual(numbers(answer.levels), numbers(levels));
    const at = (level) => levels.find((other) => other.level === level);
    const rows = () => page.locator(".likely tbody tr").evaluateAll((all) => all.map((row) => [...row.cells].map((cell) => cell.textContent.replace("✓", "").trim())));
    for (const level of [1500, 1900]) {
      await page.getByRole("slider", { name: "Level" }).fill(String(level));
      const shown = at(level);
      await until(page, (text) => document.querySelector(".easy .big")?.textContent.startsWith(text), `${shown.expected_loss.toFixed(2)}points lost here on average by players rated ${level}; ease ${shown.ease.toFixed(2)}`);
      const expected = shown.moves.slice(0, 8).map(({ san, p }) => [san, percent(p)]);
      assert.deepEqual((await rows()).map((row) => [row[0], row[2]]), expected);
      const trap = shown.moves.find((move) => move.uci === shown.trap);
      const text = `The most tempting mistake is ${trap.san}: ${percent(trap.p)} of players rated ${level} play it, and it costs ${trap.score_loss.toFixed(2)} of a point.`;
      assert.ok((await page.locator(".ease-answer").innerText()).includes(text), text);
    }
    await page.waitForURL(/&at=1900$/);
    // A move on the board asks anew.
    await page.locator(".likely button").first().click();
    await page.waitForURL(new RegExp(`moves=${TRAP},[a-h][1-8][a-h][1-8][qrbn]?&at=1900$`));
    await page.getByRole("button", { name: "Take back" }).click();
    await page.waitForURL(new RegExp(`moves=${TRAP}&at=1900$`));
    await page.getByLabel("Position (FEN)").fill("8/8/8/8 w");
    await page.getByRole("button", { name: "Set up" }).click();
    await page.getByRole("alert").waitFor();
    assert.deepEqual(troubles, []);
    await close();
  });

  /** Types a move where one is to be found. */
  async function typeMove(page, text) {
    await page.locator(".task button:not([disabled])", { hasText: "Hint" }).waitFor();
    await page.getByLabel("Type a move").fill(text);
    await page.getByLabel("Type a move").press("Enter");
  }
  const saysTask = (page, text) => until(page, (text) => document.querySelector(".task .said")?.textContent.includes(text), text);

  test("a puzzle is imported, failed, refuted, solved another way, and is due a day later", async () => {
    const other = await serve(join(folder, "puzzles.db"), 0, "--nodes", NODES);
    const { page, troubles, close } = await openRoom(browser, other, "/puzzles");
    await page.getByText("No puzzles yet.").waitFor();
    await page.locator("input[type=file]").setInputFiles({ name: "two.jsonl", mimeType: "application/json", buffer: Buffer.from(`${PUZZLES}nonsense\n`) });
    await page.getByText("2 puzzles added; known already: 0.").waitFor();
    await page.getByRole("alert").getByText("line 3").waitFor();
    // Themes show how many puzzles have them, and only those that some have are offered.
    const options = page.getByRole("combobox", { name: "Theme" }).locator("option");
    await options.filter({ hasText: "Mate in 2" }).waitFor({ state: "attached" });
    const themes = await options.allTextContents();
    assert.deepEqual(themes, ["Any", "Mate in 1 (1)", "Mate in 2 (1)"]);
    await page.getByRole("combobox", { name: "Theme" }).selectOption("mateIn2");
    await page.getByRole("button", { name: "Solve (1)" }).click();
    await page.waitForURL(/\/puzzles\/\d+\?theme=mateIn2$/);
    await saysTask(page, "Find the best move.");
    // A wrong move is refuted on the board, and taken back.
    await typeMove(page, "Kf1");
    await saysTask(page, "Kf1 is wrong: 2... ");
    const answer = /2\.\.\. (\S+)/.exec(await page.locator(".task .said").innerText())[1];
    const square = /[a-h][1-8](?=[^a-h1-8]*$)/.exec(answer)[0];
    await page.getByRole("gridcell", { name: new RegExp(`^${square}, Black`) }).waitFor();
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByRole("gridcell", { name: "g1, White king", exact: true }).waitFor();
    assert.equal(await page.getByRole("button", { name: "Try again" }).count(), 0);
    // By the grid: the rook goes to e8.
    await page.locator(".task button:not([disabled])", { hasText: "Hint" }).waitFor();
    const cell = (key) => page.locator(`[data-key="${key}"]`);
    await cell("e2").focus();
    await page.keyboard.press("Enter");
    await page.getByRole("gridcell", { name: "e2, White rook, picked up" }).waitFor();
    for (let step = 0; step < 6; step++) await page.keyboard.press("ArrowUp");
    await page.keyboard.press("Enter");
    await saysTask(page, "Re8+ is right. Black answers Rxe8.");
    // The solution has another capture; every mate is right.
    await typeMove(page, "Rxe8#");
    await saysTask(page, "Rxe8#. Solved, with 1 wrong move.");
    const id = Number(/puzzles\/(\d+)/.exec(page.url())[1]);
    // The game is over: no side is to move, and themes have names.
    assert.match(await page.locator(".task .turn").innerText(), /^Solved, as White$/);
    assert.match(await page.locator(".after dl").innerText(), /Mate in 2/);
    await page.getByLabel("Repeat this puzzle later").check();
    await page.getByText("· tomorrow").waitFor();
    const { repetition } = await askServer(other, "GET", `puzzles/${id}`);
    assert.ok(Math.abs(repetition.due - Date.now() / 1000 - 86_400) < 600, "a day later");
    assert.equal((await askServer(other, "POST", "puzzles", {})).due, 0, "and not before");
    const attempts = await (await fetch(`${other.url}/api/puzzles/attempts.csv`)).text();
    assert.match(attempts, new RegExp(`^puzzle,seconds_since_1970,mistakes,hints\n${id},\\d+,1,0\n$`));
    // The other one, with all hints; arrow keys do not answer.
    await page.goto(`${other.url}/puzzles`);
    await page.getByRole("button", { name: "Solve (1)" }).click();
    await saysTask(page, "Find the best move.");
    await page.keyboard.press("ArrowRight");
    await page.locator(".task button:not([disabled])", { hasText: "Hint" }).click();
    await saysTask(page, "moves.");
    await page.getByRole("button", { name: "Hint" }).click();
    await saysTask(page, "goes to");
    // Two clicks are one wish.
    await page.getByRole("button", { name: "Show the solution" }).evaluate((button) => [button.click(), button.click()]);
    await saysTask(page, "The solution: ");
    await page.getByRole("button", { name: "Next puzzle" }).click();
    await page.getByText("That was the last one.").waitFor();
    const all = await (await fetch(`${other.url}/api/puzzles/attempts.csv`)).text();
    assert.deepEqual(all.trim().split("\n").slice(1).map((line) => line.split(",").slice(2).join()), ["1,0", "0,3"]);
    assert.deepEqual(troubles, []);
    await close();
    await other.stop();
  });

  test("a solved puzzle is named, chosen by hand, and loses a line", async () => {
    const other = await serve(join(folder, "edit.db"), 0, "--nodes", NODES);
    const tree = [
      { fen: "", answers: [{ move: "e1b1" }, { move: "e1e3" }], replies: [{ move: "h7h6", next: 1 }, { move: "a7a6", next: 2 }] },
      { fen: "", answers: [{ move: "b1b8" }], replies: [{ move: "g8h7", next: 3 }] },
      { fen: "", answers: [{ move: "b1b8" }], end: "mate" },
      { fen: "", answers: [{ move: "b8b7" }], end: "settled" },
    ];
    const puzzle = { fen: "6k1/p4ppp/8/8/8/8/1r3PPK/1Q2R3 b - - 0 1", moves: ["b2b1", "e1b1", "h7h6", "b1b8", "g8h7", "b8b7"], themes: ["short"], tree };
    await askServer(other, "POST", "puzzles/import?name=tree.jsonl", JSON.stringify(puzzle));
    const { next } = await askServer(other, "POST", "puzzles", {});
    const { page, troubles, close } = await openRoom(browser, other, `/puzzles/${next}`);
    await page.getByRole("button", { name: "Show the solution" }).click();
    await page.getByText("Edit this puzzle").click();
    const editor = page.locator(".edit");
    await editor.getByRole("textbox", { name: "Name" }).fill("Back rank, lesson 3");
    await editor.getByRole("button", { name: "Save" }).click();
    await editor.getByRole("checkbox", { name: "Chosen by hand" }).check();
    const solution = () => askServer(other, "GET", `puzzles/${next}/solution`);
    for (const end = Date.now() + 9000; !(await solution()).puzzle.themes.includes("handPicked"); await page.waitForTimeout(50)) assert.ok(Date.now() < end);
    assert.equal((await solution()).puzzle.id, "Back rank, lesson 3");
    // Each line has its own way out: other solutions, other replies, and the end of the main line.
    assert.deepEqual((await editor.locator("li").allInnerTexts()).map((text) => text.replace(/\s*✕/, "")), ["from 3... Kh7 on", "from 2... a6 on", "from 2... h6 on", "2. Re3 as a solution"]);
    await editor.getByRole("button", { name: "Drop from 2... h6 on" }).click();
    await page.locator(".line-moves", { hasText: "Rxb1 a6" }).waitFor();
    const changed = await solution();
    assert.deepEqual(changed.line.map(({ san }) => san), ["Rxb1", "Rxb1", "a6", "Rb8#"]);
    assert.ok(changed.puzzle.themes.includes("mateIn2") && changed.puzzle.themes.includes("handPicked"), changed.puzzle.themes.join());
    await editor.getByRole("button", { name: "Drop 2. Re3 as a solution" }).click();
    await until(page, () => document.querySelectorAll(".edit li").length === 1);
    // They are a theme, and a file that the command line reads.
    await page.goto(`${other.url}/puzzles`);
    await page.getByRole("combobox", { name: "Theme" }).locator("option", { hasText: "Chosen by hand (1)" }).waitFor({ state: "attached" });
    const pgn = await (await fetch(`${other.url}/api/puzzles/export/pgn?theme=handPicked`)).text();
    writeFileSync(join(folder, "picked.pgn"), pgn);
    const [read] = centipawn("puzzles", "export", join(folder, "picked.pgn"), "--format", "json", "--quiet").trim().split("\n").map((line) => JSON.parse(line));
    assert.deepEqual(read.moves, ["b2b1", "e1b1", "a7a6", "b1b8"]);
    assert.deepEqual(troubles, []);
    await close();
    await other.stop();
  });

  test("a wrong move in a puzzle is wrong without an engine, too", async () => {
    const other = await serve(join(folder, "no-engine.db"), 0, "--engine", "/missing/engine");
    const game = { white: "Anna", black: "Boris", date: "2024.02.01", played: "Qc4" };
    await askServer(other, "POST", "puzzles/import?name=one.jsonl", JSON.stringify({ ...JSON.parse(PUZZLES.split("\n")[0]), game }));
    const { next } = await askServer(other, "POST", "puzzles", { theme: "mateIn2" });
    const { page, close } = await openRoom(browser, other, `/puzzles/${next}`, { locale: "de-DE" });
    await saysTask(page, "Finde den besten Zug.");
    await page.getByLabel("Zug eintippen").fill("Kf1");
    await page.getByLabel("Zug eintippen").press("Enter");
    await saysTask(page, "Kf1 ist falsch. Eine Widerlegung ist nicht bekannt.");
    await page.getByRole("gridcell", { name: "g1, Weiß König", exact: true }).waitFor();
    // The letters of pieces may be small.
    await page.locator(".task button:not([disabled])", { hasText: "Tipp" }).waitFor();
    await page.getByLabel("Zug eintippen").fill("te8+");
    await page.getByLabel("Zug eintippen").press("Enter");
    await saysTask(page, "Te8+ ist richtig.");
    await page.getByRole("button", { name: "Lösung zeigen" }).click();
    await page.locator(".after dd", { hasText: "Anna – Boris, 2024.02.01 (gespielt: Dc4)" }).waitFor();
    await close();
    await other.stop();
  });

  test("the piece of a promotion is chosen by keys, or the pawn is taken back", async () => {
    const { page, troubles, close } = await open(`/ease?fen=${encodeURIComponent("8/P6k/8/8/8/8/8/K7 w - - 0 1")}`);
    const focused = () => page.evaluate(() => document.activeElement.textContent || document.activeElement.dataset.key);
    const promote = async () => {
      await page.locator('[data-key="a7"]').focus();
      await page.keyboard.press("Enter");
      await page.keyboard.press("ArrowUp");
      await page.keyboard.press("Enter");
      await page.getByRole("group", { name: "Promote to" }).waitFor();
    };
    await promote();
    assert.equal(await focused(), "queen");
    await page.keyboard.press("Escape");
    await page.getByRole("group", { name: "Promote to" }).waitFor({ state: "detached" });
    assert.match(await focused(), /a8/);
    await promote();
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page.getByRole("gridcell", { name: "a8, White knight" }).waitFor();
    assert.deepEqual(troubles, []);
    await close();
  });

  test("puzzles are mined as a job", async () => {
    const { games } = await askServer(server, "POST", "games", MINED);
    const name = `${games[0].white} – ${games[0].black}`;
    const { page, troubles, close } = await open("/puzzles");
    const list = page.getByRole("group", { name: "Games" });
    // The newest game is chosen until others are.
    await list.getByRole("checkbox", { checked: true }).first().uncheck();
    await page.locator("button:disabled", { hasText: "Find puzzles" }).waitFor();
    await list.getByRole("checkbox", { name }).first().check();
    await page.getByRole("button", { name: "Find puzzles" }).click();
    await page.getByText(new RegExp(`${name}: [1-9]\\d* puzzles? found`)).waitFor({ timeout: 120_000 });
    const { origins } = await askServer(server, "POST", "puzzles", {});
    const mined = origins.find((origin) => origin.name === name);
    assert.ok(mined.count > 0);
    const { next } = await askServer(server, "POST", "puzzles", { origin: mined.name });
    const solution = await askServer(server, "GET", `puzzles/${next}/solution`);
    assert.ok(solution.puzzle.tree.length > 0, "with its tree");
    assert.ok(solution.puzzle.rating > 0, "and a rating");
    assert.deepEqual(troubles, []);
    await close();
  });

  test("one's own mistakes are puzzles, and every move that is none solves them", async () => {
    const { games } = await askServer(server, "POST", "games", LICHESS);
    const { id } = await askServer(server, "POST", "reviews", { game: games[0].id, limit: "2000 nodes" });
    await finished(server, id);
    const { page, troubles, close } = await open("/puzzles");
    await page.getByLabel("Player").fill("nobody");
    await page.getByRole("button", { name: "Make puzzles from the mistakes" }).click();
    await page.getByText("plays in no reviewed game").waitFor();
    await page.getByLabel("Player").fill("casualksk");
    await page.getByRole("button", { name: "Make puzzles from the mistakes" }).click();
    const blamed = (await askServer(server, "GET", `reviews/${id}`)).games[0].plies.filter((ply) => ply.mover === "black" && ["?!", "?", "??"].includes(ply.symbol) && ply.lines.some((line) => line.uci[0] !== ply.uci));
    await page.getByText(`${blamed.length} ${blamed.length === 1 ? "puzzle" : "puzzles"} added; known already: 0.`).waitFor();
    await page.locator(".origins").getByRole("button", { name: "casualksk" }).click();
    await page.getByRole("button", { name: `Solve (${blamed.length})` }).click();
    await saysTask(page, `In the game, ${blamed[0].san} was played. Find a better move.`);
    await typeMove(page, blamed[0].san);
    await saysTask(page, `${blamed[0].san} is wrong`);
    await page.getByRole("button", { name: "Try again" }).click();
    const best = blamed[0].lines.find((line) => line.uci[0] !== blamed[0].uci);
    await typeMove(page, best.san[0]);
    await saysTask(page, "Solved");
    await page.getByRole("link", { name: "Open the review" }).click();
    await page.waitForURL(new RegExp(`/review/${id}#ply=${blamed[0].ply}$`));
    assert.deepEqual(troubles.filter((text) => !text.includes("status of 400")), []);
    await close();
  });

  test("endgame tables say who wins, and what the fifty-move rule saves", async () => {
    const other = await serve(join(folder, "tables.db"), 0, "--nodes", NODES, "--syzygy", join(root, "tests/data/syzygy"));
    const late = '[SetUp "1"]\n[FEN "4k3/8/8/8/8/8/8/Q3K3 w - - 97 90"]\n\n90. Qa7 Kf8 *\n';
    const won = '[SetUp "1"]\n[FEN "4k3/8/3K4/4P3/8/8/8/8 w - - 0 1"]\n\n1. Ke6 Kd8 2. Kf7 *\n';
    const { games } = await askServer(other, "POST", "games", `${late}\n${won}`);
    const reviews = [];
    for (const { id } of games) {
      const job = await askServer(other, "POST", "reviews", { game: id });
      await finished(other, job.id);
      reviews.push(job.id);
    }
    const { page, troubles, close } = await openRoom(browser, other, `/review/${reviews[0]}`);
    await page.getByText("Endgame tables: draw by the fifty-move rule. Without the rule White would win: a cursed win for White, a blessed loss for Black.").waitFor();
    await page.goto(`${other.url}/review/${reviews[1]}`);
    await page.getByText(/^Endgame tables: White wins; the next capture, pawn move or mate comes (within \d+ half-moves|with the next half-move)\.$/).waitFor();
    // The review's evaluations are those of the tables.
    const { games: [{ plies }] } = await askServer(other, "GET", `reviews/${reviews[1]}`);
    assert.ok(plies[0].eval_before.cp > 19_000, JSON.stringify(plies[0].eval_before));
    await page.getByRole("button", { name: "Deutsch" }).click();
    await page.getByText("Endspieltabellen: Weiß gewinnt;").waitFor();
    assert.deepEqual(troubles, []);
    await close();
    await other.stop();
  });

  test("comments and variations of a game are on the board, and keys lead to moves, threats and people", async () => {
    const { games } = await askServer(server, "POST", "games", '[White "C"]\n[WhiteElo "1200"]\n\n1. e4 { [%eval 0.3] King\'s pawn } e5 { [%eval 0.3] } (1... c5 2. Nf3 (2. c3 quietly)) 2. Qh5 { [%eval -0.4] } Nc6 { [%eval 0.1] } 3. Bc4 { [%eval -0.5] } g6 { [%eval -0.5] } 4. Qf3 { [%eval -0.5] } *\n');
    const { id } = await askServer(server, "POST", "reviews", { game: games[0].id, reuse_evals: true });
    await finished(server, id);
    const { page, troubles, close } = await open(`/review/${id}`);
    await page.locator(".said-there", { hasText: "King's pawn" }).waitFor();
    await page.locator(".said-there button", { hasText: "Nf3" }).click();
    await page.waitForURL(/#ply=1&line=c7c5,g1f3$/);
    // A variation inside the variation goes on from where that one is.
    assert.match(await page.locator(".said-there", { hasText: "quietly" }).innerText(), /\(2\. c3 quietly/);
    await page.locator(".said-there button", { hasText: "c3" }).click();
    await page.waitForURL(/#ply=1&line=c7c5,c2c3$/);
    await page.keyboard.press("g");
    await page.getByRole("textbox", { name: "Go to move" }).fill("x");
    await page.getByRole("textbox", { name: "Go to move" }).press("Enter");
    await page.getByText("Type a number").waitFor();
    await page.getByRole("textbox", { name: "Go to move" }).fill("2b");
    await page.getByRole("textbox", { name: "Go to move" }).press("Enter");
    await page.waitForURL(/#ply=4$/);
    await page.locator("dialog").waitFor({ state: "detached" });
    await page.keyboard.press("/");
    await page.getByRole("textbox", { name: "Type a move" }).fill("Nf3");
    await page.getByRole("textbox", { name: "Type a move" }).press("Enter");
    await page.waitForURL(/#ply=4&line=g1f3$/);
    await page.locator("dialog").waitFor({ state: "detached" });
    // After 4. Qf3 White threatens mate.
    await page.keyboard.press("End");
    await page.waitForURL(/#ply=7$/);
    await page.keyboard.press("x");
    await until(page, () => /^Threat: (Qxf7#|Bxf7)/.test(document.querySelector("main [role=status][aria-live]")?.textContent ?? ""), null, 60_000);
    await page.keyboard.press("h");
    await until(page, () => /^1500: /.test(document.querySelector("main [role=status][aria-live]")?.textContent ?? ""), null, 60_000);
    await until(page, () => document.querySelectorAll(".cg-shapes [cgHash]").length > 1);
    await page.getByRole("link", { name: "How hard is this for humans?" }).click();
    await page.waitForURL(/\/ease\?moves=e2e4,e7e5,d1h5,b8c6,f1c4,g7g6,h5f3$/);
    assert.deepEqual(troubles, []);
    await close();
  });

  test("games of an index with the position on the board are counted as `position` does, and their moves can be played", async () => {
    const index = join(folder, "positions.parquet");
    centipawn("position", "index", "examples/selfplay.pgn.gz", "examples/opera-game.pgn", "--out", index, "--quiet");
    const at = await serve(join(folder, "positions.db"), 0, "--nodes", "1000", "--positions", index);
    const { games } = await askServer(at, "POST", "games", LICHESS);
    const { id } = await askServer(at, "POST", "reviews", { game: games[0].id, reuse_evals: true });
    await finished(at, id);
    const { page, troubles, close } = await openRoom(browser, at, `/review/${id}`, NARROW);
    await page.getByRole("button", { name: "Games with this position" }).click();
    const rows = page.locator(".collection tbody tr");
    const compared = async (position) => {
      const found = JSON.parse(centipawn("position", position, index, "--eval", "0.2", "--json"));
      const count = `${found.results.games.toLocaleString("en")} of ${found.games.counted.toLocaleString("en")} games have this position.`;
      await until(page, (text) => document.querySelector(".collection p")?.textContent.startsWith(text), count);
      const own = found.moves.slice(0, 12).map(({ san, results }) => `${san || "(end)"} ${results.games.toLocaleString("en")} ${(100 * results.score).toFixed(0)} %`);
      const shown = await rows.evaluateAll((all) => all.map((row) => [0, 1, 3].map((cell) => row.cells[cell].textContent).join(" ")));
      assert.deepEqual(shown, own);
      return found;
    };
    const first = await compared("startpos");
    assert.match(await page.locator(".collection p").innerText(), /White scores \d+ % \(95 % interval \d+ to \d+\)/);
    await assertReadableEverywhere(page, "collection");
    await page.locator(".collection").getByRole("button", { name: first.moves[0].san, exact: true }).click();
    await compared(`startpos moves ${first.moves[0].uci}`);
    // The choice outlasts a reload, and a position that no game has is said to be one.
    await page.reload();
    await page.getByRole("button", { name: "Hide the games" }).waitFor();
    await page.keyboard.press("End");
    await until(page, () => /^None of \d+ games has this position\.$/.test(document.querySelector(".collection p")?.textContent ?? ""));
    assert.deepEqual(troubles, []);
    await close();
    await at.stop();
  });

  test("the room of engines lists work, store and limits", async () => {
    const own = await serve(join(folder, "engines.db"), 0, "--nodes", "1000");
    const { games } = await askServer(own, "POST", "games", LICHESS);
    const { id } = await askServer(own, "POST", "reviews", { game: games[0].id });
    await finished(own, id);
    const { page, troubles, close } = await openRoom(browser, own, "/engines");
    await page.locator(".work li", { hasText: "1,000 nodes per move · Reviewed" }).waitFor();
    const stats = JSON.parse(centipawn("store", "stats", "--json", "--store", join(folder, "engines.db")));
    await askServer(own, "POST", "reviews", { game: games[0].id, limit: "2000 nodes", reuse_evals: true });
    const german = await openRoom(browser, own, "/engines", { locale: "de-DE" });
    await german.page.locator(".work li", { hasText: "Bewertungen der Partie; andere Stellungen: 2.000 Knoten je Zug" }).waitFor();
    await german.close();
    const row = page.locator("tr", { has: page.getByRole("rowheader", { name: stats.engines[0].name }) });
    assert.equal((await row.locator("td").innerText()).replaceAll(",", ""), String(stats.engines[0].evaluations));
    assert.match(await page.locator("main").innerText(), /10,000,000/);
    assert.deepEqual(troubles, []);
    await close();
    await own.stop();
  });

  test("a server for others asks for its token, once", async () => {
    const other = await serve(join(folder, "token.db"), 0, "--token");
    const [, code] = other.url.split("/#code=");
    const [, token] = other.output().match(/^Token: (.*)$/m);
    const at = { url: other.url.split("/#")[0] };
    assert.notEqual(code, token);
    assert.match(token, /^[0-9a-f]{32}$/);
    const ask = (headers) => fetch(`${at.url}/api/jobs`, { headers }).then(({ status }) => status);
    assert.equal(await ask({}), 401);
    assert.equal(await ask({ Cookie: `centipawn-${new URL(at.url).port}=${token}` }), 401, "the token is not the cookie");
    const { page, close } = await openRoom(browser, at, "/");
    await page.getByLabel("Token").fill("wrong");
    await page.getByRole("button", { name: "Open" }).click();
    await page.getByText("This is not the token of this server.").waitFor();
    await assertReadable(page, "token");
    await page.getByLabel("Token").fill(token);
    await page.getByRole("button", { name: "Open" }).click();
    await page.locator(".empty").waitFor();
    await page.reload();
    await page.locator(".empty").waitFor();
    await close();
    // The printed address opens it without a question, once.
    const printed = await openRoom(browser, at, `/#code=${code}`);
    await printed.page.locator(".empty").waitFor();
    assert.equal(printed.page.url(), `${at.url}/`);
    const [cookie] = await printed.page.context().cookies();
    assert.deepEqual([cookie.httpOnly, cookie.sameSite], [true, "Strict"]);
    assert.match(cookie.path, /^\/session\/[0-9a-f]{32}$/, "other ports of this host do not get it");
    assert.deepEqual(printed.troubles, []);
    const again = await openRoom(browser, at, `/#code=${code}`);
    await again.page.getByLabel("Token").waitFor();
    await again.close();
    // Links lead into the session too.
    await printed.page.evaluate(
      async ([path, body]) => fetch(`${path}/api/puzzles/import`, { method: "POST", headers: { "X-Centipawn": "1" }, body }),
      [cookie.path, PUZZLES],
    );
    await printed.page.goto(`${at.url}/puzzles`);
    const download = printed.page.waitForEvent("download");
    await printed.page.getByRole("link", { name: "CSV" }).first().click();
    assert.match(readFileSync(await (await download).path(), "utf8"), /^PuzzleId,FEN,/);
    await printed.page.goto(`${at.url}/`);
    // The session can be ended.
    const known = () => ask({ Cookie: `${cookie.name}=${cookie.value}` });
    assert.equal(await known(), 200);
    await printed.page.getByRole("button", { name: "Log out" }).click();
    await printed.page.getByLabel("Token").waitFor();
    assert.equal(await known(), 401);
    await printed.close();
    await other.stop();
  });

  test("rooms can be read at every width, in light and dark", async () => {
    await askServer(server, "POST", "puzzles/import?name=two.jsonl", PUZZLES);
    const { games } = await askServer(server, "POST", "games", LICHESS);
    await finished(server, (await askServer(server, "POST", "reviews", { game: games[0].id, reuse_evals: true })).id);
    const { next } = await askServer(server, "POST", "puzzles", { origin: "two.jsonl" });
    const asks = (page) => page.locator(".task button:not([disabled])", { hasText: "Hint" }).waitFor();
    const rooms = {
      puzzles: ["/puzzles", async (page) => page.locator(".wishes").waitFor()],
      puzzle: [`/puzzles/${next}`, asks],
      solution: [`/puzzles/${next}`, async (page) => {
        await asks(page);
        await page.getByRole("button", { name: "Show the solution" }).click();
        await page.locator(".after").waitFor();
      }],
      engines: ["/engines", async (page) => page.locator(".work li").first().waitFor()],
      curves: ["/curves", async (page) => page.locator(".limits-table").waitFor()],
      "ease-empty": ["/ease", async (page) => page.locator(".empty").waitFor()],
      ease: [`/ease?moves=${TRAP}`, async (page) => {
        await page.locator(".likely").waitFor({ timeout: 60_000 });
        await until(page, () => document.querySelector("[aria-busy]")?.ariaBusy === "false", null, 60_000);
      }],
    };
    for (const [room, [path, arrive]] of Object.entries(rooms)) {
      const { page, close } = await open(path, NARROW);
      await arrive(page);
      await assertReadableEverywhere(page, room);
      await close();
    }
  });
});
