// Practice: a wrong try is refuted on the board, hints come in words, tries are counted, and a reload keeps the progress.
import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { endServers, launch, serve, temporaryFolder } from "./browser.js";
import { askServer, assertReadableEverywhere, finished, openRoom, until } from "./page.js";

/** White can fork king and queen at the first and second move; at the fourth, a knight is left hanging. */
const FORKS = '[White "Anna"]\n[Black "Boris"]\n[SetUp "1"]\n[FEN "6k1/pp1q1p1p/6p1/8/4N3/7P/PP3PP1/R5K1 w - - 0 1"]\n\n1. a3 a6 2. b3 Kg7 3. Ng5 h6 4. f4 hxg5 5. fxg5 *\n';
/** Two mistakes of Black in the opening table, and one after it. */
const THEORY =
  '[White "Anna"]\n[Black "Boris"]\n\n1. d4 { [%eval 0.2] } 1... e5 { [%eval 1.0] } 2. dxe5 { [%eval 1.0] } 2... Nc6 { [%eval 1.0] } 3. Nf3 { [%eval 1.0] } 3... f6 { [%eval 1.2] } 4. exf6 { [%eval 1.2] } 4... Qxf6 { [%eval 6.5] } *\n';

/** Reviews of engines differ: those of the tests have these symbols and reasons. */
const REASONS = {
  1: { symbol: "??", reason: { kind: "misses", motif: "fork" } },
  3: { symbol: "??", reason: { kind: "misses", motif: "fork" } },
  7: { symbol: "?!", reason: { kind: "allows", motif: "hanging piece", san: ["hxg5"], uci: ["h6g5"], targets: [{ piece: "knight", square: "g5" }], text: "Leaves the knight on g5 hanging: 4... hxg5." } },
};
const EMPTY = { san: [], uci: [], ply: 0, pieces: [], targets: [], gain: { pawns: 3, what: "knight" }, text: "" };

describe("practice", () => {
  let browser, folder, server, forks;

  before(async () => {
    folder = temporaryFolder();
    browser = await launch();
    server = await serve(join(folder, "a.db"), 0, "--nodes", "20000");
    forks = await review(server, FORKS, false);
  });
  after(async () => {
    await browser?.close();
    await server?.stop();
    await endServers();
    rmSync(folder, { recursive: true });
  });

  async function review(at, pgn, reuse_evals) {
    const { games } = await askServer(at, "POST", "games", pgn);
    const { id } = await askServer(at, "POST", "reviews", { game: games[0].id, reuse_evals });
    await finished(at, id);
    return id;
  }

  /** Opens the review of the forks with known symbols and reasons, and practises as Anna. */
  async function practise(options) {
    const room = await openRoom(browser, server, "/", options);
    await room.page.route(/\/api\/reviews\/\d+(\/judged)?$/, async (route) => {
      const response = await route.fetch();
      const document = await response.json();
      for (const ply of document.games[0].plies) {
        const { symbol = null, reason } = REASONS[ply.ply] ?? {};
        Object.assign(ply, { symbol, reason: reason && { ...EMPTY, ...reason } });
      }
      await route.fulfill({ response, json: document });
    });
    await room.page.goto(`${server.url}/review/${forks}`);
    await room.page.locator(".moves [data-ply='1'] b").waitFor();
    await room.page.keyboard.press("r");
    await room.page.locator(".said.ask").waitFor();
    return room;
  }

  const says = (page, text) => until(page, (text) => document.querySelector(".practice .said")?.textContent.includes(text), text);
  const stands = (page, cell) => page.getByRole("gridcell", { name: cell, exact: true }).waitFor();
  const count = (page, text) => page.locator(".practice > .quiet").first().getByText(text).waitFor();
  const press = (page, name) => page.getByRole("button", { name, exact: true }).click();
  /** Plays a move by the labelled cells. */
  async function play(page, from, to) {
    await page.locator(`[data-key="${from}"]`).focus();
    await page.keyboard.press("Enter");
    await page.locator(`[data-key="${to}"]`).focus();
    await page.keyboard.press("Enter");
  }

  test("refutes a wrong try on the board, counts a second one, and asks again for what was missed", async () => {
    const { page, troubles, close } = await practise();
    await count(page, "1 / 3");
    await says(page, "Anna played 1. a3??. Find a better move.");
    // The game's own move is refuted by the engine's line after it.
    const { lines } = (await askServer(server, "GET", `reviews/${forks}`)).games[0].plies[1];
    await play(page, "a2", "a3");
    await says(page, "Refutation: 1... ");
    assert.match(await page.locator(".said").innerText(), new RegExp(`a3 gives away 0\\.\\d\\d points\\. Refutation: 1\\.\\.\\. ${lines[0].san[0].replace("+", "\\+")}`));
    const to = lines[0].uci[0].slice(2, 4);
    await page.getByRole("gridcell", { name: new RegExp(`^${to}, Black`) }).waitFor();
    // Then it is taken back.
    await stands(page, "d7, Black queen");
    await stands(page, "a2, White pawn");
    await play(page, "e4", "f6");
    await says(page, "Nf6+ is right, at the second try.");
    await press(page, "Next");

    // The hints: in words, the piece, the squares; then the move is shown.
    await says(page, "Anna played 2. b3??");
    await press(page, "Hint");
    await says(page, "There is a fork.");
    await press(page, "Hint");
    await says(page, "Move the knight.");
    await press(page, "Hint");
    await says(page, "The knight on e4 goes to f6.");
    assert.equal(await page.getByRole("button", { name: "Hint" }).count(), 0);
    await press(page, "Show");
    await says(page, "Better: 2. Nf6+");
    await count(page, "2 / 4");

    // A reload goes on with the next one, and knows what was missed.
    await page.reload();
    await says(page, "Anna played 4. f4?!");
    await count(page, "3 / 4");
    await press(page, "Hint");
    await says(page, "After f4 the opponent had an undefended piece to take. Look at the knight on g5.");
    await play(page, "f2", "f4");
    await says(page, "Leaves the knight on g5 hanging: 4... hxg5. Refutation: 4... hxg5");
    await stands(page, "g5, Black pawn");
    await press(page, "Try again");
    await stands(page, "g5, White knight");
    await press(page, "Next");
    await says(page, "Anna played 2. b3??");
    await count(page, "4 / 5 · Once more");
    await play(page, "e4", "f6");
    await says(page, "Nf6+ is right.");
    await press(page, "Next");
    await says(page, "Anna played 4. f4?!");
    await press(page, "Next");
    const summary = "Found at the first try: 0. At the second: 1. Not found: 2. Found when asked again: 1.";
    await says(page, summary);
    await page.reload();
    await says(page, summary);
    // Who ends it is not asked after a reload.
    await press(page, "End");
    await page.reload();
    await page.locator(".moves [data-ply='1'] b").waitFor();
    assert.equal(await page.locator(".practice").count(), 0);
    assert.deepEqual(troubles, []);
    await close();
  });

  test("asks for the same idea after what was missed", async () => {
    const { page, troubles, close } = await practise();
    await play(page, "e4", "f6");
    await says(page, "Nf6+ is right, at the first try.");
    await press(page, "End");
    await page.keyboard.press("r");
    // It goes on where it was ended, without the answered one; from the start, all are asked.
    await says(page, "2. b3??");
    for (const _ of [1, 2]) await press(page, "Next");
    await press(page, "Next");
    await press(page, "Next");
    await press(page, "Start over");
    await says(page, "1. a3??");
    const asked = [];
    for (let index = 0; index < 6; index++) {
      asked.push(/played (\S+ \w+)/.exec(await page.locator(".said").innerText())[1]);
      await press(page, "Next");
    }
    assert.deepEqual(asked, ["1. a3", "4. f4", "1. a3", "2. b3", "4. f4", "2. b3"]);
    assert.deepEqual(troubles, []);
    await close();
  });

  test("refutes any other wrong try by the engine", async () => {
    const { page, troubles, close } = await practise();
    await play(page, "a1", "d1");
    await page.locator(".said.wrong", { hasText: "Refutation: 1... Qxd1+" }).waitFor({ timeout: 60_000 });
    assert.match(await page.locator(".said").innerText(), /^Rd1 gives away 0\.\d\d points\./);
    await stands(page, "d1, Black queen");
    await press(page, "Try again");
    await stands(page, "a1, White rook");
    assert.equal(await page.getByRole("button", { name: "Try again" }).count(), 0);
    assert.deepEqual(troubles, []);
    await close();
  });

  test("speaks German, and can be read", async () => {
    const { page, troubles, close } = await practise({ locale: "de-DE" });
    await press(page, "Tipp");
    await says(page, "Es gibt eine Gabel.");
    await press(page, "Tipp");
    await says(page, "Es zieht: Springer.");
    await play(page, "a2", "a3");
    await says(page, "Widerlegung: 1... ");
    await press(page, "Noch einmal versuchen");
    await play(page, "e4", "f6");
    await says(page, "Sf6+ ist richtig. Diese Stellung wird später wiederholt.");
    await press(page, "Weiter");
    await says(page, "4. f4?!");
    await assertReadableEverywhere(page, "practice");
    assert.deepEqual(troubles, []);
    await close();
  });

  test("does not ask for known theory", async () => {
    const id = await review(server, THEORY, true);
    const { plies } = (await askServer(server, "GET", `reviews/${id}`)).games[0];
    const blamed = plies.filter(({ mover, symbol }) => mover === "black" && ["?!", "?", "??"].includes(symbol));
    const spared = plies.filter(({ suppressed }) => suppressed?.symbol === "?!" && suppressed.reason === "theory");
    assert.deepEqual([blamed, spared].map((all) => all.map(({ ply }) => ply)), [[8], [2]]);
    const { page, troubles, close } = await openRoom(browser, server, `/review/${id}`);
    await page.locator(".moves [data-ply='8'] b").waitFor();
    await page.getByRole("button", { name: "Report" }).click();
    await page.getByRole("button", { name: "Practise as Boris" }).click();
    await says(page, "Boris played 4… Qxf6");
    await count(page, "1 / 1");
    await page.getByText("1 mistake within known theory is skipped.").waitFor();
    assert.deepEqual(troubles, []);
    await close();
  });

  test("works without storage and without an engine, as far as the document goes", async () => {
    const other = await serve(join(folder, "b.db"), 0, "--engine", "/missing/engine");
    const id = await review(other, THEORY, true);
    const { page, close } = await openRoom(browser, other, "/");
    await page.addInitScript(() => {
      for (const name of ["localStorage", "sessionStorage"]) Object.defineProperty(window, name, { get: () => { throw new Error("no storage"); } });
    });
    await page.goto(`${other.url}/review/${id}#flip`);
    await page.locator(".moves [data-ply='8'] b").waitFor();
    await page.keyboard.press("r");
    await says(page, "Boris played 4… Qxf6");
    await play(page, "d8", "f6");
    await says(page, "Qxf6 gives away");
    await says(page, "No refutation is known.");
    await press(page, "Show");
    await says(page, "No better move is known.");
    await close();
    await other.stop();
  });
});
