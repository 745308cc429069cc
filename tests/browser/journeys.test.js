// Journeys through the page that cross several rooms, or need a server of their own. The others stand in board.test.js (1 to 6, 8, 10), in
// rooms.test.js (9, 11, 15) and in site.test.js (14); docs/web.md lists all of them.
import assert from "node:assert/strict";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, request } from "node:http";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { gzipSync } from "node:zlib";
import { centipawn, endServers, fakeEngine, launch, root, serve, temporaryFolder } from "./browser.js";
import { askServer, assertReadable, assertReadableEverywhere, finished, openRoom, until } from "./page.js";

const LICHESS = readFileSync(join(root, "tests/data/lichess.pgn"), "utf8");
const OPERA = readFileSync(join(root, "examples/opera-game.pgn"), "utf8");
const MINED = '[White "Anna"]\n[Black "Boris"]\n[SetUp "1"]\n[FEN "6k1/5ppp/8/8/8/8/r4PPP/3R2K1 b - - 0 1"]\n\n1... Rb2 2. h3 h6 *\n';

describe("journeys", () => {
  let browser, folder;

  before(async () => {
    folder = temporaryFolder();
    browser = await launch();
  });
  after(async () => {
    await browser?.close();
    await endServers();
    rmSync(folder, { recursive: true });
  });

  /** A server with a store of its own. */
  const start = (name, ...more) => serve(join(folder, name), 0, ...more);

  /** Adds a game with evaluations and reviews it by them; the review's number. */
  async function ownReview(at, pgn = LICHESS) {
    const { games } = await askServer(at, "POST", "games", pgn);
    const { id } = await askServer(at, "POST", "reviews", { game: games[0].id, reuse_evals: true });
    await finished(at, id);
    return id;
  }

  // 7
  for (const [name, part, reason] of [
    ["crashes", "exit", /ended|status 3|introduce|UCI/],
    ["dies at a position", "die-on rn1qkbnr", /died/],
    ["lies", "illegal-best e1e8", /not a legal move/],
    ["says nothing", "no-score", /no score/],
  ]) {
    test(`an engine that ${name} costs its game, and the next one works`, async () => {
      const at = await start(`${part.split(" ")[0]}.db`, "--engine", fakeEngine(part), "--nodes", "1000");
      const { games } = await askServer(at, "POST", "games", OPERA);
      const { id } = await askServer(at, "POST", "reviews", { game: games[0].id });
      const { page, troubles, close } = await openRoom(browser, at, `/review/${id}`);
      await page.locator(".job.failed").waitFor({ timeout: 60_000 });
      assert.match(await page.locator(".job .problem").innerText(), reason);
      await page.getByRole("button", { name: "Try again" }).waitFor();
      assert.equal(at.engines(), 0, "none is left");
      // The moves can be walked all the same.
      await page.keyboard.press("ArrowRight");
      await page.locator(".moves [data-ply='1'][aria-current]").waitFor();
      await page.goto(`${at.url}/review/${await ownReview(at)}#ply=12`);
      await page.locator(".moves [data-ply='12'] b").waitFor();
      assert.deepEqual(troubles, []);
      await close();
      await at.stop();
    });
  }

  // 8
  test("mistakes are practised by the labels of the grid alone", async () => {
    const at = await start("grid.db", "--nodes", "20000");
    const id = await ownReview(at);
    const { page, troubles, close } = await openRoom(browser, at, `/review/${id}`);
    await page.locator(".moves [data-ply='12'] b").waitFor();
    await page.keyboard.press("f");
    await page.keyboard.press("r");
    await page.locator(".said.ask", { hasText: "Find a better move" }).waitFor();
    // No key answers, and none shows what is to be found.
    for (const key of ["ArrowRight", "n", "Home", " ", "l", "w"]) await page.keyboard.press(key);
    assert.match(await page.locator(".said").innerText(), /Find a better move/);
    const ply = (await askServer(at, "GET", `reviews/${id}`)).games[0].plies[11];
    const { lines: best } = await askServer(at, "POST", "lines", { fen: ply.fen, moves: [], nodes: 20_000, lines: 1 });
    const [from, to] = [best[0].uci[0].slice(0, 2), best[0].uci[0].slice(2, 4)];
    // A letter jumps to a piece, arrows walk, Enter lifts and drops; the labels say where one is.
    const focused = () => page.evaluate(() => document.activeElement.getAttribute("aria-label"));
    await page.locator(`[data-key="${from}"]`).focus();
    const piece = await focused();
    assert.match(piece, new RegExp(`^${from}, Black (pawn|knight|bishop|rook|queen|king)`));
    await page.keyboard.press("Enter");
    await page.getByRole("gridcell", { name: `${piece}, picked up` }).waitFor();
    // Black's side is below: files and ranks run the other way.
    const [files, ranks] = [to.charCodeAt(0) - from.charCodeAt(0), Number(to[1]) - Number(from[1])];
    for (let step = 0; step < Math.abs(files); step++) await page.keyboard.press(files > 0 ? "ArrowLeft" : "ArrowRight");
    for (let step = 0; step < Math.abs(ranks); step++) await page.keyboard.press(ranks > 0 ? "ArrowDown" : "ArrowUp");
    assert.match(await focused(), new RegExp(`^${to}`));
    await page.keyboard.press("Enter");
    await page.locator(".said.right").waitFor({ timeout: 60_000 });
    assert.ok((await page.locator(".said").innerText()).includes(best[0].san[0]));
    assert.deepEqual(troubles, []);
    await close();
    await at.stop();
  });

  // 9
  test("a server killed while it mines ends with the puzzles of an undisturbed run, and asks nothing twice", async () => {
    const store = join(folder, "mining.db");
    // With one engine, no search is begun that may prove needless: the stores are equal to the last evaluation.
    const first = await start("mining.db", "--jobs", "1");
    const { games } = await askServer(first, "POST", "games", `${readFileSync(join(root, "examples/evergreen-game.pgn"), "utf8")}\n\n${MINED}`);
    const wanted = { games: games.map((game) => game.id), effort: 0.02 };
    const { jobs } = await askServer(first, "POST", "mining", wanted);
    for (const end = Date.now() + 60_000; ; await new Promise((go) => setTimeout(go, 50))) {
      const { done, state } = await askServer(first, "GET", `jobs/${jobs[0].id}`);
      assert.ok(Date.now() < end && state !== "done", state);
      if (done >= 5) break;
    }
    await first.kill();
    const second = await start("mining.db", "--jobs", "1");
    const { page, troubles, close } = await openRoom(browser, second, "/puzzles");
    await page.locator(".job.interrupted").first().waitFor();
    for (const { id } of jobs) {
      const { state } = await askServer(second, "GET", `jobs/${id}`);
      if (state === "interrupted") await askServer(second, "POST", `jobs/${id}`);
    }
    for (const { id } of jobs) await finished(second, id, 300_000);
    await page.getByText(/puzzles? found in 2 games\./).waitFor();
    const exported = (at) => fetch(`${at.url}/api/puzzles/export/json`).then((answer) => answer.text());
    const resumed = await exported(second);
    assert.ok(resumed.split("\n").length > 1, "with puzzles");
    // The page gives them out as the command line does.
    const csv = await (await fetch(`${second.url}/api/puzzles/export/csv`)).text();
    writeFileSync(join(folder, "mined.jsonl"), resumed);
    assert.equal(centipawn("puzzles", "export", join(folder, "mined.jsonl"), "--format", "csv", "--quiet"), csv);
    assert.deepEqual(troubles, []);
    await close();
    const kept = JSON.parse(centipawn("store", "stats", "--json", "--store", store));
    await second.stop();

    const whole = join(folder, "mining-whole.db");
    const third = await start("mining-whole.db", "--jobs", "1");
    await askServer(third, "POST", "games", `${readFileSync(join(root, "examples/evergreen-game.pgn"), "utf8")}\n\n${MINED}`);
    for (const job of (await askServer(third, "POST", "mining", wanted)).jobs) await finished(third, job.id, 300_000);
    assert.equal(await exported(third), resumed);
    await third.stop();
    assert.equal(JSON.parse(centipawn("store", "stats", "--json", "--store", whole)).evaluations, kept.evaluations);
  });

  // 10
  test("the form shows every number and limit of `symbols`", async () => {
    const at = await start("form.db");
    for (const [side, played, best, second, balance] of [
      ["white", "-1", "2", "", "0.62"],
      ["white", "0.5", "0.5", "-0.3", "0.62"],
      ["black", "0.4", "-0.75", "", "1.1"],
      ["white", "0.1", "0.7", "", "0.37"],
      ["black", "#3", "1.2", "", "0.62"],
    ]) {
      const query = new URLSearchParams({ side, played, best, balance, ...(second && { second }) });
      const { page, troubles, close } = await openRoom(browser, at, `/form?${query}`);
      await page.locator(".numbers").waitFor();
      const args = ["symbols", "--side", side, "--played", played, "--best", best, "--balance", balance, ...(second ? ["--second", second] : [])];
      const json = JSON.parse(centipawn(...args, "--json"));
      const text = centipawn(...args);
      const numbers = await page.locator(".numbers").innerText();
      assert.match(numbers, new RegExp(`Relevant difference\\s+${json.relevant.toFixed(2).replace("-", "−")}`));
      for (const scheme of Object.keys(json.limits.move)) {
        const row = page.locator(".numbers tr", { has: page.getByRole("rowheader", { name: scheme, exact: true }) });
        const shown = (await row.locator("td").allInnerTexts()).map((cell) => cell.trim());
        // "s8  ??  $4  ------ …": the limits are the last six words.
        const printed = new RegExp(`^  ${scheme} .*$`, "m").exec(text)[0].trim().split(/\s+/).slice(-6);
        assert.deepEqual(shown.slice(0, 6), printed.map((limit) => (limit === "------" ? "–" : limit.replace("-", "−"))), `${args.join(" ")} ${scheme}`);
        assert.equal(shown[6], json.move[scheme] ?? "");
      }
      assert.deepEqual(troubles, []);
      await close();
    }
    await at.stop();
  });

  // 12
  test("a calibration of one's own is drawn, and judges form and reviews", async () => {
    const model = join(folder, "model");
    centipawn("wdl", "run", "examples/selfplay.pgn.gz", "--out", model, "--quiet");
    const file = join(model, "curve.json");
    const at = await start("own.db", "--own-curve", file);
    const id = await ownReview(at);
    const { page, troubles, close } = await openRoom(browser, at, "/curves");
    await page.getByRole("combobox", { name: "Curve of" }).selectOption("model/curve.json");
    await page.waitForURL(/\/curves\?own=model%2Fcurve\.json$/);
    const expected = (evaluation, material) => JSON.parse(centipawn("symbols", "--curve", file, "--material", String(material), "--played", String(evaluation), "--best", String(evaluation), "--json"));
    const shown = (text) => until(page, (text) => document.querySelector(".worth")?.textContent.includes(text), text);
    const half = (symbols) => `75 % of the points from +${symbols.balance.toFixed(2)} on`;
    await shown(`${(100 * expected(1, 58).result.played).toFixed(0)} % of the points`);
    await shown(half(expected(1, 58)));
    await page.getByRole("slider", { name: "Material on the board" }).fill("30");
    await shown(half(expected(1, 30)));
    await page.getByRole("slider", { name: "Evaluation" }).last().press("PageUp");
    await shown(`${(100 * expected(2, 30).result.played).toFixed(0)} % of the points`);
    await page.locator("figure", { hasText: "by material" }).waitFor();
    // What `wdl run` drew stands there, too.
    await until(page, () => document.querySelector(".drawings img")?.naturalWidth > 100);
    await assertReadableEverywhere(page, "own-curve");
    await page.getByRole("button", { name: "Use on this page" }).click();
    await page.getByRole("link", { name: "Form", exact: true }).click();
    const form = JSON.parse(centipawn("symbols", "--curve", file, "--played", "-1", "--best", "2", "--json"));
    await until(page, (text) => document.querySelector(".numbers")?.textContent.includes(text), form.relevant.toFixed(2));
    await page.goto(`${at.url}/review/${id}`);
    // The review keeps its symbols' scheme under another curve.
    const [game] = JSON.parse(centipawn("review", "tests/data/lichess.pgn", "--reuse-evals", "--curve", file, "--scheme", "s20", "--quiet", "--json", "-")).games;
    const symbols = game.plies.map((ply) => ply.symbol).filter(Boolean);
    await until(page, (count) => [...document.querySelectorAll(".moves .san b")].filter((mark) => mark.textContent !== "□").length === count, symbols.length);
    assert.deepEqual((await page.locator(".moves .san b").allTextContents()).filter((text) => text !== "□"), symbols);
    assert.deepEqual(troubles, []);
    await close();
    await at.stop();
  });

  // 13
  test("what is foreign, too large or no name is refused, and the server lives", async () => {
    const at = await start("hostile.db", "--max-upload", "1", "--max-games", "3");
    const { hostname, port } = new URL(at.url);
    const ask = (method, path, headers, body) =>
      new Promise((resolve, reject) => {
        const sent = request({ hostname, port, method, path, headers, agent: false }, (response) => {
          let text = "";
          response.on("data", (data) => (text += data));
          response.on("end", () => resolve([response.statusCode, text]));
        });
        // A refusal may come before everything is sent.
        sent.on("socket", (socket) => socket.on("error", () => undefined));
        sent.on("error", (error) => (error.code === "EPIPE" || error.code === "ECONNRESET" ? resolve([413, ""]) : reject(error)));
        sent.end(body);
      });
    const own = { "X-Centipawn": "1" };
    assert.equal((await ask("GET", "/", { Host: "evil.example" }))[0], 421);
    assert.equal((await ask("POST", "/api/games", { ...own, Origin: "https://evil.example" }, "1. e4 *"))[0], 403);
    assert.equal((await ask("POST", "/api/games", { ...own, Origin: "null" }, "1. e4 *"))[0], 403);
    assert.equal((await ask("POST", "/api/games", {}, "1. e4 *"))[0], 403, "a form of another site");
    assert.equal((await ask("POST", "/api/games", own, Buffer.alloc(65 << 20, "x")))[0], 413);
    assert.equal((await ask("POST", "/api/symbols", own, Buffer.alloc(65 << 10, " ")))[0], 413);
    const [status, bomb] = await ask("POST", "/api/games", own, gzipSync(Buffer.alloc(64 << 20, " ")));
    assert.ok(status === 200 && bomb.includes("too large after decompression"), bomb);
    assert.ok((await ask("POST", "/api/games", own, "1. e4 *\n\n".repeat(5)))[1].includes("only the first 3 games"));
    const { games } = await askServer(at, "POST", "games", "1. e4 e5 *\n");
    for (const value of ["/etc/passwd", "../curve.json", "; id", "$(id)", "stockfish; id", "file:///etc/passwd"]) {
      for (const field of ["curve", "scheme", "limit", "language"]) {
        assert.equal((await ask("POST", "/api/reviews", own, JSON.stringify({ game: games[0].id, [field]: value })))[0], 400, `${field} ${value}`);
      }
    }
    // The page itself lives on.
    const { page, troubles, close } = await openRoom(browser, at, "/");
    await page.locator(".game").first().waitFor();
    assert.deepEqual(troubles, []);
    await close();
    await at.stop();
  });

  // 15
  test("every room can be read at 200 % zoom, in either language", async () => {
    const at = await start("zoom.db", "--nodes", "2000");
    const id = await ownReview(at);
    await askServer(at, "POST", "puzzles/import?name=examples.csv", readFileSync(join(root, "examples/puzzles.csv"), "utf8"));
    const { next } = await askServer(at, "POST", "puzzles", {});
    /** Each with what stands there when it is complete. */
    const rooms = {
      games: ["/", ".game"],
      review: [`/review/${id}#ply=12`, ".moves [data-ply='12'] b"],
      form: ["/form", ".numbers"],
      curves: ["/curves", ".limits-table"],
      ease: ["/ease", ".empty"],
      puzzles: ["/puzzles", ".wishes"],
      puzzle: [`/puzzles/${next}`, ".task button:not([disabled])"],
      engines: ["/engines", ".work li"],
    };
    // A window of 1280 × 900 at 200 % has 640 × 450 of the page's pixels.
    const { page, troubles, close } = await openRoom(browser, at, "/", { viewport: { width: 640, height: 450 }, deviceScaleFactor: 2 });
    for (const language of ["English", "Deutsch"]) {
      await page.goto(at.url);
      if (language === "Deutsch") await page.getByRole("button", { name: language }).click();
      for (const [room, [path, whole]] of Object.entries(rooms)) {
        await page.goto(at.url + path);
        await page.locator("main:not([aria-busy])").waitFor();
        await page.locator(whole).first().waitFor();
        await assertReadable(page, `zoom-${room}-${language}`);
      }
      // All rooms stand in sight at the narrowest width, too.
      for (const width of [390, 320]) {
        await page.setViewportSize({ width, height: 640 });
        const links = await page.locator("nav a").evaluateAll((all) => all.map((link) => [link.getBoundingClientRect().left, link.getBoundingClientRect().right]));
        assert.ok(links.every(([left, right]) => left >= 0 && right <= width), `${language} ${width}: ${links}`);
        const nav = await page.locator("nav").evaluate((nav) => [nav.scrollWidth, nav.clientWidth]);
        assert.ok(nav[0] <= nav[1], `${language} ${width}: the rooms scroll (${nav})`);
      }
      await page.setViewportSize({ width: 640, height: 450 });
    }
    assert.deepEqual(troubles, []);
    await close();
    await at.stop();
  });

  test("the games of an account are requested only on a click", async () => {
    const asked = [];
    const game = (day) =>
      `[Event "Rated Blitz game"]\n[Site "https://lichess.org/0000000${day}"]\n[White "anna"]\n[Black "boris"]\n[Result "1-0"]\n` +
      `[UTCDate "2026.10.0${day}"]\n[UTCTime "12:00:00"]\n\n1. e4 e5 2. Nf3 1-0\n\n\n`;
    const site = createServer((question, answer) => {
      asked.push(question.url);
      const isKnown = question.url.startsWith("/api/games/user/anna?");
      answer.writeHead(isKnown ? 200 : 404).end(isKnown ? game(2) + game(1) : "");
    });
    await new Promise((resolve) => site.listen(0, "127.0.0.1", resolve));
    process.env.CENTIPAWN_LICHESS = `http://127.0.0.1:${site.address().port}`;
    process.env.XDG_DATA_HOME = join(folder, "data");
    try {
      const at = await start("account.db", "--engine", fakeEngine("ok"));
      const { page, troubles, close } = await openRoom(browser, at, "/");
      const field = page.getByLabel("Add games");
      await field.fill("lichess:Anna");
      assert.deepEqual(asked, []);
      await page.getByRole("button", { name: "Add", exact: true }).click();
      await until(page, () => document.querySelectorAll(".list li").length === 2);
      assert.deepEqual(asked, ["/api/games/user/anna?clocks=true&evals=true&opening=true&max=50"]);
      await field.fill("lichess:nobody");
      await page.getByRole("button", { name: "Add", exact: true }).click();
      await until(page, () => /Lichess answers with status 404 for the account nobody/.test(document.body.innerText));
      assert.deepEqual(troubles.filter((trouble) => !/400/.test(trouble)), []);
      await close();
    } finally {
      delete process.env.CENTIPAWN_LICHESS;
      delete process.env.XDG_DATA_HOME;
      site.close();
    }
  });

  test("from a name to the next lesson, and on to Anki", async () => {
    const moves = [
      ["1. e4 e5 2. Qh5 Nc6 3. Qxe5+ Nxe5 4. Nc3 Nf6 0-1", "white"],
      ["1. e4 e5 2. Nf3 Nc6 3. Bc4 Nd4 4. Nxe5 Qg5 5. Nxf7 Qxg2 6. Rf1 Qxe4+ 7. Be2 Nf3# 0-1", "white"],
      ["1. e4 e5 2. Bc4 Nc6 3. Qh5 Nf6 4. Qxf7# 1-0", "black"],
      ["1. d4 d5 2. c4 dxc4 3. e3 b5 4. a4 c6 5. axb5 cxb5 6. Qf3 Nc6 7. Qxc6+ Bd7 8. Qa6 1-0", "black"],
      ["1. e4 d5 2. exd5 Qxd5 3. Nc3 Qe5+ 4. Be2 Bg4 5. d4 Bxe2 6. Ngxe2 Qa5 7. Bd2 Qb6 8. Nd5 Qxb2 9. Nxc7+ 1-0", "black"],
    ];
    const game = (number) => {
      const [text, side] = moves[number % moves.length];
      const [white, black] = side === "white" ? ["anna", `rival${number}`] : [`rival${number}`, "anna"];
      return `[Event "Rated Blitz game"]\n[Site "https://lichess.org/${String(number).padStart(8, "0")}"]\n[White "${white}"]\n[Black "${black}"]\n` +
        `[Result "${text.split(" ").at(-1)}"]\n[UTCDate "2026.${number < 25 ? "09" : "10"}.${String(1 + (number % 25)).padStart(2, "0")}"]\n[UTCTime "12:00:00"]\n` +
        `[WhiteElo "1480"]\n[BlackElo "1510"]\n[TimeControl "180+2"]\n\n${text}\n\n\n`;
    };
    const site = createServer((question, answer) => {
      const isKnown = question.url.startsWith("/api/games/user/anna?");
      answer.writeHead(isKnown ? 200 : 404).end(isKnown ? Array.from({ length: 50 }, (_, number) => game(number)).join("") : "");
    });
    await new Promise((resolve) => site.listen(0, "127.0.0.1", resolve));
    process.env.CENTIPAWN_LICHESS = `http://127.0.0.1:${site.address().port}`;
    process.env.XDG_DATA_HOME = join(folder, "lesson-data");
    try {
      // Of each opening the first game is searched; the others have their evaluations in the store.
      const at = await start("lesson.db", "--nodes", "20000");
      const { page, troubles, close } = await openRoom(browser, at, "/");
      await page.getByLabel("Add games").fill("lichess:Anna");
      await page.getByRole("button", { name: "Add", exact: true }).click();
      await page.getByText("50 games were added.").waitFor();
      await page.locator(".list .count", { hasText: "50 games" }).waitFor();
      await page.locator(".review-all select").selectOption("server");
      await page.getByRole("button", { name: "Review all 50 games" }).click();
      await page.locator(".batch.done", { hasText: "50 of 50 done" }).waitFor({ timeout: 180_000 });
      await page.locator(".verdict", { hasText: "1??" }).first().waitFor();

      await page.getByRole("link", { name: "Me", exact: true }).click();
      // The player of most games is proposed.
      await until(page, () => document.querySelector("main input")?.value === "anna");
      await page.getByRole("button", { name: "Show" }).click();
      await page.getByRole("heading", { name: "Where anna loses points" }).waitFor();
      assert.match(await page.locator(".me > p").first().innerText(), /^50 reviewed games · 2026\.09\.01 – 2026\.10\.25 · mean rating 1,\d+/);
      // Three questions, each with a sentence and a picture.
      assert.match(await page.locator(".doing .said").innerText(), /^You lose \d\.\d\d points a game/);
      await page.getByRole("img", { name: /^Points lost a game over time\. 2026\.09/ }).waitFor();
      assert.match(await page.locator(".costs .said").innerText(), /points a game|^Nothing: in 50 games/);
      await page.locator(".costs li svg").first().waitFor();
      assert.match(await page.locator(".now-answer .said").innerText(), /^Solve \d+ positions from your own games: /);
      await page.locator(".now-answer .diagram piece").first().waitFor();
      // A number has its games a click away.
      await page.locator(".me .group > summary", { hasText: "Colour" }).click();
      await page.locator(".me .group", { hasText: "Colour" }).getByRole("button", { name: "White" }).click();
      await page.locator(".me .opened .moments a").first().waitFor();
      await page.getByRole("link", { name: "These games" }).click();
      await page.locator(".list .count", { hasText: "20 of 50 games" }).waitFor();
      await page.goBack();
      await page.getByRole("button", { name: /^Practise: / }).click();
      await page.waitForURL(/\/puzzles\/lesson\?player=anna&kind=\w+&cause=/);
      await page.getByText(/^1 of \d+$/).waitFor();
      // The opponent's move is played first.
      await page.locator(".task .said", { hasText: /\S/ }).waitFor();

      // The lesson is solved by its solutions.
      const { items } = await page.evaluate(() => JSON.parse(localStorage.getItem(`lesson${location.search}`)));
      for (const { puzzle } of items) {
        const { line } = await askServer(at, "GET", `puzzles/${puzzle}/solution`);
        for (const { san } of line.filter((_, index) => index % 2 === 1)) {
          await page.locator(".task button:not([disabled])", { hasText: "Hint" }).waitFor();
          await page.getByRole("textbox", { name: "Type a move" }).fill(san);
          await page.getByRole("textbox", { name: "Type a move" }).press("Enter");
          await page.waitForTimeout(900);
        }
        await page.getByRole("heading", { name: "Solution" }).waitFor();
        await page.getByRole("button", { name: "Next puzzle" }).click();
      }
      await page.getByRole("heading", { name: "The lesson is over" }).waitFor();
      const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("link", { name: "This lesson for Anki" }).click()]);
      const deck = readFileSync(await download.path(), "utf8");
      assert.match(deck, /^#separator:tab\n#html:true\n#notetype:Basic\n#deck:Centipawn\n#guid column:1\n#tags column:4\n/);
      assert.equal(deck.trim().split("\n").length, 6 + items.length);
      // A finished lesson is ticked, and the next one takes its place.
      const { waiting } = await page.evaluate(() => JSON.parse(localStorage.getItem(`lesson${location.search}`)));
      await page.getByRole("link", { name: "What next?" }).click();
      await page.locator(".now-answer .said").waitFor();
      assert.equal(await page.locator(".now-answer", { hasText: /✓ .*: practised, again on / }).count(), waiting === 0 ? 1 : 0);
      assert.deepEqual(troubles, []);
      await close();
      await at.stop();
    } finally {
      delete process.env.CENTIPAWN_LICHESS;
      delete process.env.XDG_DATA_HOME;
      site.close();
    }
  });

  test("the end of a batch is shown, whatever an answer on its way says", async () => {
    // Some seconds of work, so that the page asks for batches before the end.
    const at = await start("batch.db", "--nodes", "300000");
    const { page, troubles, close } = await openRoom(browser, at, "/");
    await page.getByLabel("Add games").fill("1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 1-0\n\n1. d4 d5 2. c4 e6 3. Nc3 Nf6 0-1\n");
    await page.getByRole("button", { name: "Add", exact: true }).click();
    await page.getByText("2 games were added.").waitFor();
    let release;
    const released = new Promise((resolve) => (release = resolve));
    let held = 0;
    await page.route("**/api/batches", async (route) => {
      if (route.request().method() !== "GET") return route.continue();
      const response = await route.fetch();
      held += (await response.text()).includes('"state":"done"') ? 0 : 1;
      await released;
      await route.fulfill({ response });
    });
    await page.locator(".review-all select").selectOption("server");
    await page.getByRole("button", { name: "Review all 2 games" }).click();
    const done = page.locator(".batch.done", { hasText: "2 of 2 done" });
    await done.waitFor({ timeout: 60_000 });
    assert.ok(held > 0, "an answer that is older than the end");
    const answered = page.waitForResponse("**/api/batches");
    release();
    await answered;
    await page.waitForTimeout(500);
    assert.equal(await done.count(), 1);
    await close();
    assert.deepEqual(troubles, []);
  });

  test("ten thousand games are a list like any other", async () => {
    const at = await start("many.db", "--engine", fakeEngine("ok"));
    const games = Array.from({ length: 10_000 }, (_, number) => `[White "Player ${number % 97}"]\n[Black "Rival"]\n[Round "${number}"]\n[Date "2026.01.01"]\n[Result "1-0"]\n\n1. e4 e5 1-0\n`);
    const { total, all } = await askServer(at, "POST", "games", games.join("\n"));
    assert.deepEqual([total, all], [10_000, 10_000]);
    const { page, troubles, close } = await openRoom(browser, at, "/");
    await page.locator("li.game .players").first().waitFor();
    const first = [];
    for (let round = 0; round < 3; round++) {
      await page.reload();
      await page.locator("li.game .players").first().waitFor();
      first.push(await page.evaluate(() => performance.now()));
    }
    // Only rows in view are drawn, wherever the list stands.
    const drawn = () => page.locator("li.game").count();
    assert.ok((await drawn()) < 60, `${await drawn()} rows`);
    const frames = await page.evaluate(async () => {
      const times = [];
      let last = performance.now();
      for (let step = 0; step < 120; step++) {
        scrollBy(0, 400);
        await new Promise((drawn) => requestAnimationFrame(drawn));
        times.push(performance.now() - last);
        last = performance.now();
      }
      return times.sort((a, b) => a - b);
    });
    const [median, late] = [frames[60], frames[114]];
    if (process.env.MEASURE) console.log({ first, median, late });
    assert.ok(Math.min(...first) < (process.env.MEASURE ? 300 : 3000), `first screen: ${first}`);
    assert.ok(median < (process.env.MEASURE ? 17.5 : 60), `a frame takes ${median} ms, of 20 one ${late}`);
    // The end of the list, its address, and the way back.
    await page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight));
    await page.locator("li.game[aria-posinset='10000'] .players").waitFor();
    await page.waitForURL(/#at=99\d\d$/);
    await page.reload();
    await page.locator("li.game[aria-posinset='10000'] .players").waitFor();
    await page.getByText("Filter", { exact: true }).click();
    await page.getByRole("textbox", { name: "Player" }).fill("Player 7");
    await page.locator(".list .count", { hasText: "104 of 10,000 games" }).waitFor();
    await page.waitForURL(/\?player=Player\+7/);
    assert.deepEqual(troubles, []);
    await close();
    await at.stop();
  });
});
