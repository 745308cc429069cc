// The page of `centipawn serve`, which opens on a board, with the real program and Stockfish. These tests take longest; the name of the file
// lets them begin first.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { centipawn, endServers, launch, root, serve, temporaryFolder } from "./browser.js";
import { askServer, assertReadable, assertReadableEverywhere, finished, holdEvents, NARROW, openRoom, until } from "./page.js";

const LICHESS = readFileSync(join(root, "tests/data/lichess.pgn"), "utf8");

/** With symbols, a comment and variations of an annotator. */
const NOTED = `[White "Anna"]
[Black "Boris"]
[Result "1-0"]

1. e4 { [%eval 0.3] } e5 { [%eval 0.3] } 2. Nf3!! { [%eval 0.2] } Nc6 { [%eval 0.3] } 3. Bb5 { [%eval 0.2] A pin: White is ⩲ }
3... a6 { [%eval 0.3] } (3... Nf6! 4. O-O (4. d3 Bc5 $14) 4... Nxe4 { Berlin } 5. d4)
(3... Nge7 -- (4. O-O) 4... d6) 4. Ba4 { [%eval 0.3] } Nf6 { [%eval 0.2] }
5. Qe2 { [%eval 0.1] } b5 { [%eval 0.1] } 6. Bb3 { [%eval 0.2] } Be7 { [%eval 0.2] } 7. Bxf7+! { [%eval -3.2] } Kxf7 { [%eval -3.1] } 1-0
`;

/** The document of the command line. */
const reviewed = (...args) => JSON.parse(centipawn("review", ...args, "--quiet", "--json", "-"));

describe("the page", () => {
  let browser, folder, server;

  before(async () => {
    folder = temporaryFolder();
    browser = await launch();
    server = await serve(join(folder, "a.db"), 0, "--nodes", "20000");
  });
  after(async () => {
    await browser?.close();
    await server?.stop();
    await endServers();
    rmSync(folder, { recursive: true });
  });

  const open = (path, options = {}, at = server) => openRoom(browser, at, path, options);
  const ask = (method, path, body, at = server) => askServer(at, method, path, body);

  /** A review with the game's own evaluations; its number. */
  async function ownReview(at = server) {
    const { games } = await ask("POST", "games", LICHESS, at);
    const job = await ask("POST", "reviews", JSON.stringify({ game: games[0].id, reuse_evals: true }), at);
    await finished(at, job.id);
    return job.id;
  }

  const title = (page) => page.locator(".now .title").innerText();
  const said = (page, pattern) =>
    until(page, (source) => new RegExp(source).test(document.querySelector("main [role=status][aria-live]")?.textContent ?? ""), pattern.source);

  test("begins with an example, whose numbers are those of the command line", async () => {
    const other = await serve(join(folder, "example.db"));
    const { page, troubles, close } = await open("/", {}, other);
    await page.getByRole("button", { name: "Review an example" }).click();
    await page.waitForURL(/\/review\/1/);
    // One walks through the moves while the graph fills.
    await page.locator(".moves [data-ply='1']").waitFor();
    await page.keyboard.press("ArrowRight");
    assert.match(await title(page), /^1\. e4/);
    await page.waitForURL(/#ply=1$/);
    await page.locator(".job").waitFor({ state: "detached", timeout: 120_000 });
    const document = await ask("GET", "reviews/1", undefined, other);
    const expected = reviewed("examples/opera-game.pgn", "--nodes", "20000");
    assert.deepEqual(document.games, expected.games);
    assert.deepEqual([document.limit, document.lines, document.scheme], [expected.limit, expected.lines, expected.scheme]);
    const symbols = expected.games[0].plies.map((ply) => ply.symbol).filter(Boolean);
    const shown = page.locator(".moves button .san b:not(:text-is('□'))");
    assert.deepEqual(await shown.allTextContents(), symbols);
    // Each symbol tells how likely it stands, and those that may change are lighter.
    const sure = expected.games[0].plies.filter((ply) => ply.symbol).map((ply) => ply.symbol_probability);
    const titles = await shown.evaluateAll((all) => all.map((symbol) => symbol.title.match(/stands with (\d+) %/)?.[1] ?? ""));
    assert.deepEqual(titles, sure.map((share) => (share === undefined ? "" : (100 * share).toFixed(0))));
    const unsure = await shown.evaluateAll((all) => all.map((symbol) => symbol.classList.contains("unsure")));
    assert.deepEqual(unsure, sure.map((share) => share < 0.7));
    await page.getByRole("button", { name: "Report" }).click();
    const accuracy = expected.games[0].white.accuracy.toFixed(1);
    assert.match(await page.locator(".report").innerText(), new RegExp(accuracy.replace(".", "\\.")));
    assert.deepEqual(troubles, []);
    await close();
    await other.stop();
  });

  test("takes a pasted game with its evaluations, and asks no engine", async () => {
    const [expected] = reviewed("tests/data/lichess.pgn", "--reuse-evals").games;
    const moment = expected.plies.find((ply) => ply.symbol);
    const fragment = `ply=${moment.ply}`;
    const { page, troubles, close } = await open("/");
    await page.locator("main .empty, main .list li").first().waitFor();
    await page.getByLabel("Add games").fill(LICHESS);
    await page.getByRole("button", { name: "Add", exact: true }).click();
    const row = page.locator(".game", { hasText: "sammeke_69" });
    await row.getByRole("button", { name: "Use the game’s evaluations" }).click();
    await page.waitForURL(/\/review\/\d+/);
    await page.locator(`.moves [data-ply='${moment.ply}'] b`).waitFor();
    await page.keyboard.press("n");
    assert.equal(moment.san, "Bg4");
    assert.match(await title(page), /^6 … Bg4\s*\?/);
    await page.waitForURL(new RegExp(`/review/\\d+#${fragment}$`));
    assert.equal(await page.getByRole("slider").getAttribute("aria-valuenow"), String(moment.ply));
    await said(page, /6, Black, bishop g4, (dubious|mistake)\. Gives the opponent /);
    assert.ok((await page.locator("main [role=status][aria-live]").innerText()).includes(moment.remark));
    assert.equal(await page.getByRole("gridcell", { name: "g4, Black bishop" }).count(), 1);

    await page.keyboard.press("w");
    await page.getByText("The calculation", { exact: true }).click();
    const gone = moment.score_loss.toFixed(2);
    const possible = (1 - moment.expected_score_best).toFixed(2);
    assert.ok((await page.locator(".why .sum").innerText()).startsWith(`Bg4 lost ${gone} of a possible ${possible}. ${moment.symbol} begins at `));
    await page.getByRole("combobox", { name: /^Curve/ }).selectOption("lichess");
    await page.getByRole("combobox", { name: /^Symbols/ }).selectOption("s8");
    await until(page, () => document.querySelector(".why .sum")?.textContent.startsWith("Bg4 lost 0.22 of a possible 0.55. ?! begins at 1/8 (+0.81)"));
    await page.keyboard.press("Escape");
    await page.keyboard.press("f");
    await page.waitForURL(new RegExp(`/review/\\d+#${fragment}&flip&curve=lichess&scheme=s8,s40$`));
    assert.equal(await page.getByRole("gridcell").first().getAttribute("data-key"), "h1");
    await page.keyboard.press("End");
    assert.match(await title(page), /^27\. Qxg8#/);
    // The address follows with the next frame: each step is waited for, so that the last address is not the one of before.
    await page.waitForURL(/\/review\/\d+#ply=53&flip&curve=lichess&scheme=s8,s40$/);
    await page.keyboard.press("Home");
    await page.waitForURL(/\/review\/\d+#flip&curve=lichess&scheme=s8,s40$/);
    await page.keyboard.press("n");
    await page.waitForURL(new RegExp(`/review/\\d+#${fragment}&flip&curve=lichess&scheme=s8,s40$`));
    await page.reload();
    await page.locator(`.moves [data-ply='${moment.ply}'][aria-current]`).waitFor();
    assert.match(await title(page), /^6 … Bg4/);
    assert.equal(await page.getByRole("gridcell").first().getAttribute("data-key"), "h1");
    assert.deepEqual(troubles, []);
    assert.equal(server.engines(), 0, "no engine was started");
    await close();
  });

  test("says what cannot be read, with line and reason", async () => {
    const { page, close } = await open("/");
    await page.locator("main .empty, main .list li").first().waitFor();
    await page.getByLabel("Add games").fill("1. e4 e5 *\n\n1. e5 *\n");
    await page.getByRole("button", { name: "Add", exact: true }).click();
    const alert = page.getByRole("alert");
    assert.match(await alert.innerText(), /line 3: 1\. e5 is not a legal move in/);
    assert.equal(await page.getByLabel("Add games").inputValue(), "1. e4 e5 *\n\n1. e5 *\n", "it can be corrected");
    await page.getByLabel("Add games").fill("8/8/8/4k3/8/8/4P3/4K3 w - - 0 1\n8/8/8/8/8/8/8/8 w - - 0 1\n");
    await page.getByRole("button", { name: "Add", exact: true }).click();
    await alert.getByText("illegal position: empty board").waitFor();
    assert.match(await alert.innerText(), /line 2: /);
    await page.getByText("1 game was added.").waitFor();
    await close();
  });

  test("takes several files at once, and counts the games that are new", async () => {
    const other = await serve(join(folder, "files.db"));
    const { page, troubles, close } = await open("/", {}, other);
    await page.locator("main .empty").waitFor();
    const file = (name, text) => ({ name, mimeType: "text/plain", buffer: Buffer.from(text) });
    await page.locator("input[type=file]").setInputFiles([file("one.pgn", "1. e4 e5 *"), file("two.pgn", "1. d4 d5 *\n\n1. e5 *\n")]);
    await page.getByText("2 games were added.").waitFor();
    assert.match(await page.getByRole("alert").innerText(), /line 3: two\.pgn: 1\. e5 is not a legal move in/);
    // Files are dropped on the page as well.
    await page.evaluate(() => {
      const dataTransfer = new DataTransfer();
      for (const [name, text] of [["three.pgn", "1. c4 *"], ["one.pgn", "1. e4 e5 *"]]) dataTransfer.items.add(new File([text], name));
      document.querySelector("main").dispatchEvent(new DragEvent("drop", { bubbles: true, dataTransfer }));
    });
    await page.getByText("1 game was added. 1 game was there already.").waitFor();
    // They are added in every room, and a browser never shows them instead of the page.
    await page.goto(`${other.url}/form`);
    await page.locator("main h1").waitFor({ state: "attached" });
    const isTaken = await page.evaluate(() => {
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File(["1. g3 *"], "five.pgn"));
      return !document.querySelector("main").dispatchEvent(new DragEvent("drop", { bubbles: true, cancelable: true, dataTransfer }));
    });
    assert.ok(isTaken);
    await page.waitForURL(`${other.url}/`);
    await page.getByText("1 game was added.", { exact: true }).waitFor();
    await page.getByLabel("Add games").fill("1. c4 *");
    await page.getByRole("button", { name: "Add", exact: true }).click();
    await page.getByText("1 game was there already.", { exact: true }).waitFor();
    // Each refused file is named.
    await page.locator("input[type=file]").setInputFiles([file("none.pgn", ""), file("four.pgn", "1. b3 *"), file("nothing.pgn", " ")]);
    await page.getByText("1 game was added.", { exact: true }).waitFor();
    const refused = await page.getByRole("alert").getByRole("listitem").allInnerTexts();
    assert.deepEqual(refused.map((text) => text.split(":")[0]), ["none.pgn", "nothing.pgn"], refused.join(" "));
    assert.deepEqual(troubles.filter((text) => !text.includes("status of 400")), []);
    await close();
    await other.stop();
  });

  test("has bars of times inside the graph, and space between links", async () => {
    const id = await ownReview();
    const { page, close } = await open(`/review/${id}#ply=12`);
    await page.locator(".strip rect").last().waitFor();
    const edges = await page.locator(".strip svg").evaluate((svg) => [svg, ...svg.querySelectorAll("rect")].map((one) => one.getBoundingClientRect().right));
    assert.ok(Math.max(...edges) <= edges[0] + 0.5, String(edges));
    await page.getByRole("button", { name: "Report" }).click();
    await page.locator(".profiles a").nth(1).waitFor();
    const links = await page.locator(".profiles a").evaluateAll((all) => all.map((link) => link.getBoundingClientRect()).map(({ left, right, top }) => ({ left, right, top })));
    const [first, second] = links;
    assert.ok(second.left - first.right >= 8 || second.top > first.top, JSON.stringify(links));
    await close();
  });

  test("judges by another curve as the command line does", async () => {
    const id = await ownReview();
    const { page, troubles, close } = await open(`/review/${id}#ply=12`);
    await page.locator(".moves [data-ply='12'][aria-current]").waitFor();
    await page.keyboard.press("w");
    await page.getByRole("combobox", { name: /^Curve/ }).selectOption("stockfish-15.1");
    const [game] = reviewed("tests/data/lichess.pgn", "--reuse-evals", "--curve", "stockfish-15.1", "--scheme", "s20").games;
    const expected = game.plies.filter((ply) => ply.symbol).map((ply) => `${ply.ply}${ply.symbol}`);
    const shown = () => page.locator(".moves button[data-ply]").evaluateAll((all) =>
      all.map((button) => [button.dataset.ply, button.querySelector(".san b:not(.only)")?.textContent ?? ""])
        .filter(([, symbol]) => symbol && symbol !== "□").map(([ply, symbol]) => ply + symbol));
    // The server judges the game again; until then the review's own symbols are shown.
    for (const end = Date.now() + 30_000; String(await shown()) !== String(expected) && Date.now() < end; ) await page.waitForTimeout(50);
    assert.deepEqual(await shown(), expected);
    await page.locator(".areas .score").first().waitFor();
    assert.equal(server.engines(), 0);
    // The symbols of people stay, and both choices stand in the address.
    const symbols = page.getByRole("combobox", { name: /^Symbols/ });
    assert.equal(await symbols.inputValue(), "s20");
    await page.waitForURL(/#ply=12&curve=stockfish-15\.1&scheme=s20,s40$/);
    await symbols.selectOption("s8");
    await until(page, (count) => document.querySelectorAll(".moves .san b").length < count, expected.length);
    await page.waitForURL(/&curve=stockfish-15\.1&scheme=s8,s40$/);
    await page.getByRole("combobox", { name: /^Curve/ }).selectOption("lichess");
    await page.waitForURL(/&curve=lichess&scheme=s8,s40$/);
    assert.equal(await symbols.inputValue(), "s8");
    const link = await open(page.url().slice(server.url.length));
    await link.page.locator(".moves [data-ply='12'][aria-current]").waitFor();
    await link.page.keyboard.press("w");
    const [curve, scheme] = [/^Curve/, /^Symbols/].map((name) => link.page.getByRole("combobox", { name }));
    assert.deepEqual([await curve.inputValue(), await scheme.inputValue()], ["lichess", "s8"]);
    // Files are judged as the page is.
    await link.page.getByRole("button", { name: "Report" }).click();
    const [download] = await Promise.all([link.page.waitForEvent("download"), link.page.getByRole("link", { name: "JSON" }).click()]);
    const [exported] = JSON.parse(readFileSync(await download.path(), "utf8")).games;
    assert.deepEqual([exported.curve.split(",")[0], exported.scheme], ["lichess", "s8,s40"]);
    await link.close();
    // What a link names and this server does not have is left out.
    const foreign = await open(`/review/${id}#ply=12&curve=nobody%27s&scheme=s99`);
    await foreign.page.locator(".moves [data-ply='12'][aria-current]").waitFor();
    await foreign.page.waitForURL(/#ply=12$/);
    assert.match(await foreign.page.getByRole("alert").innerText(), /^there is no curve "nobody's"/);
    await foreign.close();
    assert.deepEqual(troubles, []);
    await close();
  });

  test("goes where a link leads that is pasted into an open tab, and back", async () => {
    const id = await ownReview();
    const { page, troubles, close } = await open(`/review/${id}#ply=3`);
    const isAt = (ply) => page.locator(`.moves [data-ply='${ply}'][aria-current]`).waitFor();
    await isAt(3);
    await page.evaluate(() => (location.hash = "#ply=12&flip&curve=lichess"));
    await isAt(12);
    assert.match(await title(page), /^6 … Bg4/);
    assert.equal(await page.getByRole("gridcell").first().getAttribute("data-key"), "h1");
    await page.waitForURL(/#ply=12&flip&curve=lichess&scheme=/);
    await page.evaluate(() => (location.hash = "#ply=4&line=d2d4"));
    await page.locator(".own [data-own='1'][aria-current]").waitFor();
    assert.match(await page.locator(".own [data-own='1']").innerText(), /^3\. d4/);
    await page.goBack();
    await isAt(12);
    // The link to the game's moves for readers by keys leaves the address as it is.
    await page.locator(".skip").focus();
    await page.keyboard.press("Enter");
    assert.match(page.url(), /#ply=12&flip/);
    assert.equal(await page.evaluate(() => document.activeElement.id), "main");
    // A link leads there, too.
    await page.getByRole("link", { name: "Form", exact: true }).click();
    await page.getByRole("heading", { name: "Form" }).waitFor();
    await until(page, () => document.activeElement.id === "main");
    assert.deepEqual(troubles, []);
    await close();
  });

  test("own symbols and comments are kept with the game, and other programs read them in its PGN", async () => {
    const own = await serve(join(folder, "own.db"));
    const id = await ownReview(own);
    const { page, troubles, close } = await open(`/review/${id}#ply=3`, {}, own);
    await page.locator(".moves [data-ply='3']").waitFor();
    await page.keyboard.press("e");
    const pressed = page.locator(".own-note .symbols [aria-pressed='true']");
    await page.locator(".own-note textarea").waitFor();
    // An annotator's keys: two characters within a moment are one symbol.
    await page.keyboard.type("!?");
    await page.keyboard.type("+=");
    await until(page, () => document.querySelectorAll(".own-note .symbols [aria-pressed='true']").length === 2);
    assert.deepEqual(await pressed.allTextContents(), ["!?", "⩲"]);
    await page.locator(".own-note textarea").fill("My plan: castle first.");
    // The page shows a comment before the server has it.
    await Promise.all([page.waitForResponse((response) => response.url().includes("/api/games/") && response.request().method() !== "GET"), page.keyboard.press("Tab")]);
    await page.locator(".moves").getByText("My plan: castle first.").waitFor();
    await page.reload();
    await page.locator(".moves").getByText("My plan: castle first.").waitFor();
    await close();
    assert.deepEqual(troubles, []);

    const file = join(folder, "own.pgn");
    const pgn = await (await fetch(`${own.url}/api/reviews/${id}.pgn`, { headers: { "X-Centipawn": "1" } })).text();
    writeFileSync(file, pgn);
    // Centipawn keeps them when it reviews the file again.
    const again = centipawn("review", file, "--reuse-evals", "--quiet", "-o", "-");
    assert.match(again, /\$5[^{]*\$14[^{]*\{[^(]*My plan: castle first\./);
    const script = "import sys, chess.pgn; node = chess.pgn.read_game(open(sys.argv[1])).next().next().next(); print(sorted(node.nags), node.comment)";
    const python = [join(root, "crates/python/.venv/bin/python"), "python3"].find((program) => spawnSync(program, ["-c", "import chess.pgn"]).status === 0);
    assert.ok(python, "python-chess is installed");
    const read = spawnSync(python, ["-c", script, file], { encoding: "utf8" });
    assert.match(read.stdout, /^\[5, 14\] .*My plan: castle first\./, read.stderr);
    await own.stop();
  });

  test("a finished review can be extended by how hard each move was to find", async () => {
    const { games } = await ask("POST", "games", NOTED);
    const job = await ask("POST", "reviews", { game: games[0].id, limit: "2000 nodes" });
    await finished(server, job.id);
    const { page, troubles, close } = await open(`/review/${job.id}`);
    await page.getByRole("button", { name: "Report" }).click();
    await page.getByRole("button", { name: "How hard was each move to find?" }).click();
    await page.waitForURL((url) => /\/review\/\d+/.test(url.pathname) && !url.pathname.endsWith(`/${job.id}`));
    await page.locator(".under").getByText(/How hard each move was to find/).first().waitFor({ timeout: 60_000 });
    await close();
    assert.deepEqual(troubles, []);
  });

  test("shows the annotator's symbols beside its own, and numbers variations", async () => {
    const { games } = await ask("POST", "games", NOTED);
    const job = await ask("POST", "reviews", JSON.stringify({ game: games[0].id, reuse_evals: true }));
    await finished(server, job.id);
    const { page, troubles, close } = await open(`/review/${job.id}#ply=3`);
    const cell = (ply) => page.locator(`.moves [data-ply='${ply}'] .san`);
    await cell(13).locator("b").waitFor();
    assert.deepEqual([await cell(3).innerText(), await cell(13).innerText()].map((text) => text.replace(/\s+/g, " ")), ["Nf3 !!", "Bxf7+?? !"]);
    assert.match(await title(page), /^2\. Nf3\s*!!/);
    const said = (await page.locator(".said-there").allInnerTexts()).join(" ").replace(/\s+/g, " ");
    assert.equal(said, "A pin: White is +/= 3... Nf6! 4. O-O (4. d3 Bc5 +/=) 4... Nxe4 Berlin 5. d4 3... Nge7 4. -- (4. O-O) 4... d6");
    // The board has no null moves, so a line is text from there on.
    const buttons = (await page.locator(".said-there button").allInnerTexts()).map((text) => text.replace(/\s+/g, " "));
    assert.deepEqual(buttons, ["3... Nf6!", "4. O-O", "4. d3", "Bc5 +/=", "4... Nxe4", "5. d4", "3... Nge7", "4. O-O"]);
    await page.getByRole("button", { name: "4... Nxe4" }).click();
    await page.waitForURL(/#ply=5&line=g8f6,e1g1,f6e4$/);
    assert.equal((await page.locator(".own").innerText()).replace(/[\s…×]+/g, " ").trim().replace(/ [+−#]\S+/g, ""), "3... Nf6 4. O-O Nxe4");
    // As on the command line, the annotated game keeps the annotator's symbols.
    const pgn = await (await fetch(`${server.url}/api/reviews/${job.id}.pgn`)).text();
    assert.match(pgn, /2\.\s+Nf3 \$3/);
    assert.match(pgn, /7\.\s+Bxf7\+ \$1/);
    assert.deepEqual(troubles, []);
    await close();
  });

  test("starts in German for a German browser, with German letters of pieces", async () => {
    const { games } = await ask("POST", "games", NOTED);
    const job = await ask("POST", "reviews", JSON.stringify({ game: games[0].id, reuse_evals: true }));
    await finished(server, job.id);
    const { page, troubles, close } = await open(`/review/${job.id}#ply=13`, { locale: "de-DE" });
    await page.locator(".moves [data-ply='13'] b").waitFor();
    assert.equal(await page.locator("html").getAttribute("lang"), "de");
    assert.match(await title(page), /^7\. Lxf7\+/);
    const shown = async () => (await page.locator("main").innerText()).match(/(?<![\p{L}])[NBRQ](?:[a-h1-8]?x?[a-h][1-8])|=[NBRQ]/gu);
    assert.equal(await shown(), null, "no English letter of a piece");
    await page.getByRole("button", { name: "Warum" }).click();
    await page.getByText("Die Rechnung", { exact: true }).click();
    assert.match(await page.locator(".why .sum").innerText(), /^Lxf7\+ verlor/);
    assert.equal(await shown(), null);
    await page.getByRole("button", { name: "Bericht" }).click();
    await page.locator(".report table").waitFor();
    assert.equal(await shown(), null);
    assert.match(await page.locator(".report").innerText(), /Relevanter Verlust: erwartete Punkte, die die Züge verloren, in Bauern/);
    assert.match(await page.locator(".report .profiles a").first().innerText(), /^Was zu üben ist: /);
    const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("link", { name: "HTML" }).click()]);
    assert.match(readFileSync(await download.path(), "utf8"), /<html lang="de">[^]*7\. Lxf7\+/);
    // German letters are understood where a move is typed.
    await page.keyboard.press("Home");
    await page.keyboard.press("/");
    await page.getByRole("textbox", { name: "Zug eintippen" }).fill("Sc3");
    await page.getByRole("textbox", { name: "Zug eintippen" }).press("Enter");
    await page.waitForURL(/#line=b1c3$/);
    // Castling may be written with zeros, as in German books, or with small letters.
    for (const typed of ["0-0", "o-o"]) {
      await page.evaluate(() => (location.hash = "#ply=6"));
      await until(page, () => document.querySelector(".moves [data-ply='6'] [aria-current], .moves [data-ply='6'][aria-current]"));
      await page.keyboard.press("/");
      await page.getByRole("textbox", { name: "Zug eintippen" }).fill(typed);
      await page.getByRole("textbox", { name: "Zug eintippen" }).press("Enter");
      await page.waitForURL(/=e1g1$/);
    }
    // Who chose English keeps it.
    await page.getByRole("button", { name: "English" }).click();
    await page.reload();
    await page.locator(".moves [data-ply='13'] b").waitFor();
    assert.equal(await page.locator("html").getAttribute("lang"), "en");
    assert.match(await page.locator(".moves [data-ply='13'] .san").innerText(), /^Bxf7\+/);
    assert.deepEqual(troubles, []);
    await close();
  });

  test("prints the board with its pieces, and without what is only clicked", async () => {
    const id = await ownReview();
    const { page, close } = await open(`/review/${id}#ply=12`);
    await page.locator(".moves [data-ply='12'] b").waitFor();
    await page.emulateMedia({ media: "print" });
    for (const part of [".top", ".controls", ".tabs", ".live"]) assert.ok(!(await page.locator(part).isVisible()), part);
    const { exact, inside } = await page.evaluate(() => {
      const board = document.querySelector("cg-board");
      const [pieces, edge] = [[...board.querySelectorAll("piece")], board.getBoundingClientRect()];
      const isIn = (box) => box.left >= edge.left - 1 && box.right <= edge.right + 1 && box.top >= edge.top - 1 && box.bottom <= edge.bottom + 1;
      return {
        exact: [board, ...pieces].every((one) => getComputedStyle(one).printColorAdjust === "exact"),
        inside: pieces.length > 20 && pieces.every((piece) => isIn(piece.getBoundingClientRect())),
      };
    });
    assert.ok(exact, "backgrounds are printed");
    assert.ok(inside, "every piece stands on the board");
    await close();
  });

  test("tells how to get a game of an address, and that there is no engine", async () => {
    const { page, troubles, close } = await open("/");
    await page.locator("main .empty, main .list li").first().waitFor();
    // Only visitors without games read what the page is for.
    assert.equal(await page.getByText("You can then practise exactly these positions").count(), 0);
    assert.equal(await page.getByText("was not found").count(), 0);
    for (const [address, way] of [["https://lichess.org/gWv2Tm2S/white", "Share & export"], ["www.chess.com/game/live/4711", "the tab “PGN”"], ["https://example.org/game", "Download or copy"]]) {
      await page.getByLabel("Add games").fill(` ${address}\n`);
      await page.getByRole("button", { name: "Add", exact: true }).click();
      await page.getByRole("alert").getByText(way).waitFor();
    }
    await page.getByRole("button", { name: "Deutsch" }).click();
    await page.getByLabel("Partien hinzufügen").fill("https://www.chess.com/game/live/4711");
    await page.getByRole("button", { name: "Hinzufügen", exact: true }).click();
    await page.getByRole("alert").getByText("wähle „Teilen“").waitFor();
    assert.deepEqual(troubles, []);
    await close();
    const other = await serve(join(folder, "engineless.db"), 0, "--engine", "stokfish");
    const there = await open("/", {}, other);
    await there.page.getByText("The engine “stokfish” was not found").waitFor();
    await there.page.getByText("sudo apt install stockfish").waitFor();
    await there.page.getByText("You can then practise exactly these positions").waitFor();
    await assertReadable(there.page, "engineless");
    await there.close();
    await other.stop();
  });

  test("judges one's own moves, and keeps them in the link", async () => {
    const { games } = await ask("POST", "games", readFileSync(join(root, "examples/opera-game.pgn"), "utf8"));
    const job = await ask("POST", "reviews", JSON.stringify({ game: games[0].id, limit: "5000 nodes" }));
    await finished(server, job.id);
    const { page, troubles, close } = await open(`/review/${job.id}`);
    await page.locator(".moves [data-ply='4'] .eval").waitFor();
    await page.locator(".job").waitFor({ state: "detached", timeout: 60_000 });
    for (let step = 0; step < 4; step++) await page.keyboard.press("ArrowRight");
    await page.locator(".moves [data-ply='4'][aria-current]").waitFor();
    // By the grid alone: the knight goes from f3 to g5.
    const cell = (key) => page.locator(`[data-key="${key}"]`);
    await cell("f3").focus();
    await page.keyboard.press("Enter");
    await page.getByRole("gridcell", { name: "f3, White knight, picked up" }).waitFor();
    for (const key of ["ArrowRight", "ArrowUp", "ArrowUp"]) await page.keyboard.press(key);
    await page.keyboard.press("Enter");
    await page.locator(".own [data-own='1'] .eval", { hasText: /[+−]/ }).waitFor({ timeout: 60_000 });
    await page.waitForURL(/#ply=4&line=f3g5$/);
    assert.match(await title(page), /^3\. Ng5/);
    const symbol = await page.locator(".own b").allTextContents();
    const again = await open(page.url().slice(server.url.length));
    await again.page.locator(".own [data-own='1'] .eval", { hasText: /[+−]/ }).waitFor({ timeout: 60_000 });
    assert.deepEqual(await again.page.locator(".own b").allTextContents(), symbol);
    // A line that is put on the board is judged move by move, and no further once it is removed.
    let asked = 0;
    await page.route("**/api/moves", async (route) => {
      asked++;
      await page.waitForTimeout(300);
      await route.continue().catch(() => undefined);
    });
    const [reviewed] = (await ask("GET", `reviews/${job.id}`)).games;
    const blamed = reviewed.plies.find((ply) => ply.better?.san.length > 3 && ply.symbol !== null);
    await page.getByRole("button", { name: "Remove: Your moves" }).click();
    await page.locator(`.moves [data-ply="${blamed.ply}"]`).click();
    await page.locator(".now .line", { hasText: "Better" }).getByRole("button").last().click();
    await until(page, (length) => document.querySelectorAll(".own [data-own]").length === length, blamed.better.san.length);
    await page.getByRole("button", { name: "Remove: Your moves" }).click();
    await page.waitForTimeout(500);
    assert.equal(asked, 1);
    assert.deepEqual(troubles, []);
    await again.close();
    await close();
  });

  test("goes on after a kill, with the bytes of an undisturbed run", async () => {
    const store = join(folder, "killed.db");
    const pgn = readFileSync(join(root, "examples/evergreen-game.pgn"), "utf8");
    const first = await serve(store);
    // The tab is there before the review, which is long enough to be seen and killed.
    const tab = await open("/", {}, first);
    const { games } = await ask("POST", "games", pgn, first);
    const wanted = JSON.stringify({ game: games[0].id, limit: "100000 nodes" });
    const { id } = await ask("POST", "reviews", wanted, first);
    await tab.page.goto(`${first.url}/review/${id}`);
    await until(tab.page, () => document.querySelector("progress")?.value >= 5, null, 60_000);
    await first.kill();
    await tab.close();

    const second = await serve(store);
    const { page, troubles, close } = await open(`/review/${id}`, {}, second);
    await page.locator(".job.interrupted").waitFor();
    await page.getByRole("button", { name: "Continue" }).click();
    await page.locator(".job").waitFor({ state: "detached", timeout: 300_000 });
    const text = (at) => fetch(`${at.url}/api/reviews/${id}`).then((response) => response.text());
    const resumed = await text(second);
    assert.deepEqual(troubles, []);
    await close();
    const kept = JSON.parse(centipawn("store", "stats", "--json", "--store", store));
    await second.stop();

    const whole = join(folder, "whole.db");
    const third = await serve(whole);
    await ask("POST", "games", pgn, third);
    await ask("POST", "reviews", wanted, third);
    await finished(third, id, 300_000);
    assert.equal(await text(third), resumed);
    assert.deepEqual(JSON.parse(centipawn("store", "stats", "--json", "--store", whole)).evaluations, kept.evaluations);
    await third.stop();
  });

  test("shows one job in ten tabs by one stream, and leaves no engine after a cancel", async () => {
    const own = await serve(join(folder, "tabs.db"));
    const { games } = await ask("POST", "games", readFileSync(join(root, "examples/immortal-draw.pgn"), "utf8"), own);
    const { id } = await ask("POST", "reviews", JSON.stringify({ game: games[0].id, limit: "3000000 nodes" }), own);
    const context = await browser.newContext();
    const tabs = [];
    for (let index = 0; index < 10; index++) {
      const tab = await context.newPage();
      await tab.goto(`${own.url}/review/${id}`);
      tabs.push(tab);
    }
    for (const tab of tabs) await tab.locator(".job.running").waitFor({ timeout: 30_000 });
    assert.ok(own.engines() > 0);
    await tabs[7].getByRole("button", { name: "Cancel" }).click();
    for (const tab of tabs) await tab.locator(".job.cancelled").waitFor({ timeout: 30_000 });
    // A moment for the system to bury them.
    for (const end = Date.now() + 30_000; own.engines() > 0; await new Promise((go) => setTimeout(go, 50))) {
      assert.ok(Date.now() < end, `${own.engines()} engines are left`);
    }
    await context.close();
    await own.stop();
  });

  test("hears of work that ends before the stream of events is open", async () => {
    const own = await serve(join(folder, "unheard.db"));
    const { games: [long, short] } = await ask("POST", "games", `${readFileSync(join(root, "examples/immortal-draw.pgn"), "utf8")}\n\n${LICHESS}`, own);
    // One job works; the others wait behind it.
    const review = (wanted) => ask("POST", "reviews", JSON.stringify(wanted), own);
    const first = await review({ game: long.id, limit: "3000000 nodes" });
    const second = await review({ game: short.id, reuse_evals: true });
    const { jobs: [mining] } = await ask("POST", "mining", JSON.stringify({ games: [short.id] }), own);
    const context = await browser.newContext();
    const troubles = [];
    const open = async (path, prepare) => {
      const page = await context.newPage();
      page.on("pageerror", (error) => troubles.push(`error: ${error}`));
      await prepare(page);
      await page.goto(own.url + path);
      return page;
    };
    const tabs = {
      running: await open(`/review/${first.id}`, holdEvents),
      waiting: await open(`/review/${second.id}#ply=12`, holdEvents),
      games: await open("/", holdEvents),
      puzzles: await open("/puzzles", holdEvents),
      engines: await open("/engines", holdEvents),
    };
    // Where tabs cannot share a stream, its place is taken by the first answer to a poll.
    let poll;
    const mayPoll = new Promise((go) => (poll = go));
    const polling = await open(`/review/${second.id}`, async (page) => {
      await page.addInitScript(() => delete window.SharedWorker);
      await page.route("**/api/events?*", async (route) => {
        await mayPoll;
        await route.continue();
      });
    });
    const before = async () => {
      await tabs.running.locator(".job.running").waitFor();
      await tabs.waiting.locator(".job.waiting").waitFor();
      await polling.locator(".job.waiting").waitFor();
      await tabs.games.locator(".game .job.running").waitFor();
      await tabs.games.locator(".game .job.waiting").waitFor();
      await tabs.puzzles.getByText("1 more game waits.").waitFor();
      await tabs.engines.locator(".work .job.running").waitFor();
      assert.equal(await tabs.engines.locator(".work .job.waiting").count(), 2);
    };
    await before();
    for (const { id } of [mining, first]) await ask("DELETE", `jobs/${id}`, undefined, own);
    await finished(own, second.id);
    // No page has received an event of it.
    await before();
    for (const page of Object.values(tabs)) await page.evaluate(() => window.hear());
    poll();
    await tabs.running.locator(".job.cancelled").waitFor();
    for (const page of [tabs.waiting, polling]) {
      await page.locator(".job").waitFor({ state: "detached" });
      await page.locator(".moves [data-ply='12'] b").waitFor();
    }
    assert.match(await title(tabs.waiting), /^6 … Bg4/);
    await tabs.games.locator(".game .job.cancelled").waitFor();
    await until(tabs.games, () => document.querySelectorAll(".game .job").length === 1);
    await tabs.puzzles.locator(".job.cancelled").waitFor();
    await until(tabs.engines, () => document.querySelectorAll(".work .job.cancelled").length === 2);
    assert.equal(await tabs.engines.locator(".work .job").count(), 2, "the third is done");
    assert.deepEqual(troubles, []);
    await context.close();
    await own.stop();
  });

  test("polls where tabs cannot share a stream, and speaks German", async () => {
    const { games } = await ask("POST", "games", readFileSync(join(root, "examples/opera-game.pgn"), "utf8"));
    const { page, troubles, close } = await open("/");
    await page.addInitScript(() => delete window.SharedWorker);
    await page.reload();
    await page.getByRole("button", { name: "Deutsch" }).click();
    assert.equal(await page.locator("html").getAttribute("lang"), "de");
    const { id } = await ask("POST", "reviews", JSON.stringify({ game: games[0].id, limit: "4000 nodes" }));
    await page.goto(`${server.url}/review/${id}#ply=8`);
    await page.locator(".moves [data-ply='1']").waitFor();
    await page.locator(".job").waitFor({ state: "detached", timeout: 60_000 });
    // The document comes after the end.
    await page.locator(".moves [data-ply='33'] .eval").waitFor();
    const remarks = await page.evaluate(async (id) => {
      const { games } = await (await fetch(`/api/reviews/${id}/judged`, { method: "POST", headers: { "X-Centipawn": "1" }, body: '{"language":"de"}' })).json();
      return games[0].plies.filter((ply) => ply.remark).map((ply) => [ply.ply, ply.remark]);
    }, id);
    const [, remark] = remarks[0];
    await page.keyboard.press("Home");
    await page.keyboard.press("n");
    await until(page, (remark) => document.querySelector(".now .remark")?.textContent === remark, remark);
    await said(page, /, (Weiß|Schwarz), /);
    assert.deepEqual(troubles, []);
    await close();
  });

  test("is practised by touch on a phone", async () => {
    const id = await ownReview();
    const { page, troubles, close } = await open(`/review/${id}`, { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
    await page.getByRole("button", { name: "Report" }).tap();
    await page.getByRole("button", { name: "Practise as casualksk" }).tap();
    assert.match(await page.locator(".said").innerText(), /casualksk played 6… Bg4\?!?\. Find a better move\./);
    // No key of navigation answers or gives anything away.
    for (const key of ["ArrowRight", "n", "End", " "]) await page.keyboard.press(key);
    assert.match(await page.locator(".said").innerText(), /Find a better move/);
    const tapSquare = async (key) => {
      const box = await page.locator(`[data-key="${key}"]`).boundingBox();
      await page.touchscreen.tap(box.x + box.width / 2, box.y + box.height / 2);
    };
    await page.locator(".board").scrollIntoViewIfNeeded();
    await tapSquare("e8");
    await tapSquare("f8");
    await page.locator(".said.wrong, .said.right").waitFor({ timeout: 60_000 });
    await page.getByRole("button", { name: "Next", exact: true }).tap();
    await page.locator(".practice", { hasText: /2 \/ \d+/ }).waitFor();
    await page.getByRole("button", { name: "End", exact: true }).tap();
    assert.deepEqual(troubles, []);
    await close();
  });

  test("fills in the form as the command line does", async () => {
    const { page, troubles, close } = await open("/form");
    await page.locator(".numbers").waitFor();
    const numbers = () => page.locator(".numbers").innerText();
    const expected = (played, best) =>
      JSON.parse(centipawn("symbols", "--played", played, "--best", best, "--balance", "0.62", "--json"));
    assert.match(await numbers(), new RegExp(`Relevant difference\\s+${expected("-1", "2").relevant.toFixed(2)}`));
    await page.getByLabel("Best", { exact: true }).first().fill("0.4");
    await until(page, (text) => document.querySelector(".numbers")?.innerText.includes(text), expected("-1", "0.4").relevant.toFixed(2));
    await page.waitForURL(/\/form\?best=0\.4$/);
    const point = page.getByRole("slider", { name: "Played" });
    for (let step = 0; step < 4; step++) await point.press("ArrowRight");
    await until(page, (text) => document.querySelector(".numbers")?.innerText.includes(text), expected("-0.8", "0.4").relevant.toFixed(2));
    const box = await point.locator("circle").boundingBox();
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width / 2 - 60, box.y + 10, { steps: 4 });
    await page.mouse.up();
    const played = await page.getByLabel("Played", { exact: true }).first().inputValue();
    assert.ok(Number(played) < -0.9, played);
    await page.waitForURL((url) => url.searchParams.get("played") === played);
    await page.reload();
    assert.equal(await page.getByLabel("Played", { exact: true }).first().inputValue(), played);
    assert.deepEqual(troubles, []);
    await close();
  });

  test("keeps the numbers of the form while a newer question calls off the one before", async () => {
    const { page, troubles, close } = await open("/form");
    await page.locator(".numbers").waitFor();
    await page.evaluate(() => {
      const { fetch } = window;
      window.heads = window.ends = 0;
      // The head is there, the rest does not come; only calling it off ends it.
      const body = ({ signal }) =>
        new ReadableStream({
          start(controller) {
            signal.addEventListener("abort", () => {
              controller.error(signal.reason);
              setTimeout(() => window.ends++);
            });
            window.heads++;
          },
        });
      window.fetch = (path, how) => (path === "/api/symbols" ? Promise.resolve(new Response(body(how))) : fetch(path, how));
      window.release = () => (window.fetch = fetch);
    });
    const best = page.getByLabel("Best", { exact: true }).first();
    for (const [index, value] of ["0.4", "0.5", "0.6"].entries()) {
      await best.fill(value);
      await until(page, ([heads, ends]) => window.heads === heads && window.ends === ends, [index + 1, index]);
      assert.equal(await page.locator(".numbers").count(), 1, `after ${index} questions called off`);
    }
    await page.evaluate(() => window.release());
    await best.fill("0.7");
    const { relevant } = JSON.parse(centipawn("symbols", "--played", "-1", "--best", "0.7", "--balance", "0.62", "--json"));
    await until(page, (text) => document.querySelector(".numbers")?.innerText.includes(text), relevant.toFixed(2));
    assert.deepEqual(troubles, []);
    await close();
  });

  test("refuses other sites in the browser, too", async () => {
    const context = await browser.newContext();
    const page = await context.newPage();
    // A page of another site: no origin that the server knows.
    await page.setContent(`<form method="post" enctype="text/plain" action="${server.url}/api/games"><input name="1. e4" value="*"></form>`);
    const before = (await ask("POST", "games/select", "{}")).all;
    const [response] = await Promise.all([
      page.waitForResponse((response) => response.url().endsWith("/api/games")),
      page.evaluate(() => void setTimeout(() => document.querySelector("form").submit())),
    ]);
    assert.equal(response.status(), 403);
    const other = await context.newPage();
    await other.setContent("<p>Another site</p>");
    const foreign = await other.evaluate((url) => fetch(`${url}/api/jobs`).then(() => "read", () => "refused"), server.url);
    assert.equal(foreign, "refused");
    assert.equal((await ask("POST", "games/select", "{}")).all, before);
    await context.close();
  });

  test("says that the server is gone, and comes back by itself", async () => {
    const store = join(folder, "gone.db");
    const first = await serve(store);
    const { page, close } = await open("/", {}, first);
    await page.locator(".empty").waitFor();
    await first.stop();
    await page.locator(".gone").waitFor({ timeout: 20_000 });
    const second = await serve(store, first.port);
    await page.locator(".gone").waitFor({ state: "detached", timeout: 20_000 });
    await close();
    await second.stop();
  });

  test("keeps its budgets", async () => {
    // 300 half-moves with evaluations, so that no engine has to work.
    const shuffle = ["Nf3 { [%eval 0.2] }", "Nf6 { [%eval 0.1] }", "Ng1 { [%eval 0.1] }", "Ng8 { [%eval 0.2] }"];
    const moves = Array.from({ length: 300 }, (_, ply) => `${ply % 2 ? "" : `${1 + ply / 2}. `}${shuffle[ply % 4]}`);
    const { games } = await ask("POST", "games", `[White "Long"]\n\n${moves.join(" ")} *\n`);
    const { id } = await ask("POST", "reviews", JSON.stringify({ game: games[0].id, reuse_evals: true }));
    await finished(server, id);
    const measured = {};
    const budget = (name, value, most, unit, slack = 1) => {
      measured[name] = { measured: Number(value.toFixed(2)), budget: most, unit };
      return [name, value, slack * most];
    };
    const held = [];

    // Of several tries the best counts: the others tell how busy the machine is.
    const usable = [];
    for (let round = 0; round < 4; round++) {
      const context = await browser.newContext();
      const page = await context.newPage();
      // Usable: all moves stand there with their evaluations, and the next frame is drawn.
      await page.addInitScript(() => {
        const look = new MutationObserver(() => {
          if (!document.querySelector(".moves [data-ply='300'] .eval")) return;
          look.disconnect();
          requestAnimationFrame(() => setTimeout(() => performance.mark("usable")));
        });
        look.observe(document, { childList: true, subtree: true });
      });
      await page.goto(`${server.url}/review/${id}`);
      await until(page, () => performance.getEntriesByName("usable").length > 0);
      usable.push(await page.evaluate(() => performance.getEntriesByName("usable")[0].startTime));
      await context.close();
    }
    // The budget is that of an idle machine. Only who measures holds it narrowly: elsewhere it tells a hang from a slow machine.
    const slack = process.env.MEASURE ? { view: 5, step: 1 } : { view: 20, step: 2 };
    held.push(budget("usable, 300 half-moves", Math.min(...usable), 500, "ms", slack.view));

    const { page, close } = await open(`/review/${id}`);
    await page.locator(".moves [data-ply='300'] .eval").waitFor();
    const rounds = await page.evaluate(async () => {
      const rounds = [];
      for (let round = 0; round < 5; round++) {
        const times = [];
        for (let step = 0; step < 60; step++) {
          const began = performance.now();
          document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight", bubbles: true }));
          times.push(performance.now() - began);
          if (step % 10 === 9) await new Promise((drawn) => requestAnimationFrame(drawn));
        }
        rounds.push(times.sort((a, b) => a - b)[Math.floor(0.95 * times.length)]);
        document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "Home", bubbles: true }));
      }
      return rounds;
    });
    held.push(budget("script of a step, 95th percentile", Math.min(...rounds), 2, "ms", slack.step));
    await close();

    if (process.env.MEASURE) console.table(measured);
    for (const [name, value, most] of held) assert.ok(value > -1 && value <= most, `${name}: ${value} of ${most}`);
  });

  test("can be read at every width, in light and dark", async () => {
    const id = await ownReview();
    const rooms = {
      games: ["/", async (page) => page.locator(".game").first().waitFor()],
      moves: [`/review/${id}#ply=12`, async (page) => page.locator(".moves [data-ply='12'] b").waitFor()],
      why: [`/review/${id}#ply=12`, async (page) => {
        await page.getByRole("button", { name: "Why" }).click();
        await page.locator(".why summary").click();
      }],
      report: [`/review/${id}`, async (page) => {
        await page.getByRole("button", { name: "Report" }).click();
        await page.locator(".report .profiles a").first().waitFor();
      }],
      me: ["/me?player=casualksk", async (page) => {
        await page.locator(".me .group").first().waitFor();
        for (const summary of await page.locator(".me .group > summary").all()) await summary.click();
        await page.locator(".me tbody button").first().click();
      }],
      practise: [`/review/${id}`, async (page) => {
        await page.getByRole("button", { name: "Report" }).click();
        await page.getByRole("button", { name: "Practise as casualksk" }).click();
        await page.locator(".practice").waitFor();
      }],
      form: ["/form", async (page) => page.locator(".numbers").waitFor()],
      missing: ["/review/4711", async (page) => page.locator(".message h1").waitFor()],
    };
    for (const [room, [path, arrive]] of Object.entries(rooms)) {
      const { page, close } = await open(path, NARROW);
      await page.locator("main").waitFor();
      await arrive(page);
      await assertReadableEverywhere(page, room);
      await close();
    }
  });
});
