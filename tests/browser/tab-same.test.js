// For the same answers of the engine, the page without a server writes the documents of the command
// line, byte for byte.
import assert from "node:assert/strict";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { centipawn, root, temporaryFolder } from "./browser.js";
import { startProgram } from "./program.js";

const NODES = 1000;
const GAMES = 20;

/** Games of the sample files: famous ones, a rated one of people, and engines'. */
function samples() {
  const files = ["examples/opera-game.pgn", "examples/evergreen-game.pgn", "examples/immortal-draw.pgn", "tests/data/lichess.pgn", "tests/data/games/tcec.pgn", "examples/selfplay.pgn.gz"];
  const read = (file) => (file.endsWith(".gz") ? gunzipSync(readFileSync(join(root, file))) : readFileSync(join(root, file))).toString();
  const games = files.flatMap((file) => read(file).split(/\n(?=\[Event )/).map((game) => game.trim()));
  assert.ok(games.length >= GAMES, `${games.length} games`);
  return `${games.slice(0, GAMES).join("\n\n")}\n`;
}

test("twenty games are reviewed as on the command line", { timeout: 600_000 }, async () => {
  const folder = temporaryFolder();
  try {
    const [file, log, json, pgn] = ["games.pgn", "log.json", "out.json", "out.pgn"].map((name) => join(folder, name));
    writeFileSync(file, samples());
    const engine = `node '${fileURLToPath(new URL("recorder.js", import.meta.url))}' '${log}'`;
    centipawn("review", file, "--engine", engine, "--jobs", "1", "--nodes", String(NODES), "--json", json, "--output", pgn);
    const { introduction, searches } = JSON.parse(readFileSync(log, "utf8"));
    const expected = readFileSync(json, "utf8").split("\n").slice(1, -2);
    const annotated = readFileSync(pgn, "utf8");
    assert.equal(expected.length, GAMES);

    const tab = await startProgram();
    tab.ask("POST", "games?name=games.pgn", readFileSync(file));
    let { head } = tab.send({ do: "introduce" }, introduction);
    assert.equal(head.error, null);
    for (let game = 1; game <= GAMES; game++) {
      ({ head } = tab.ask("POST", "reviews", JSON.stringify({ game, limit: `${NODES} nodes` })));
      assert.equal(head.status, 200);
      while (head.wanted.length > 0) {
        const [commands] = head.wanted;
        const [, lines, position, go] = /MultiPV value (\d+)\n(position .*)\n(go .*)\n$/.exec(commands) ?? [];
        const output = searches[`${lines} ${position} ${go}`];
        assert.ok(output, `the command line did not ask: ${commands}`);
        ({ head } = tab.send({ do: "answer", commands }, output));
      }
      const document = tab.text(tab.ask("GET", `reviews/${game}`).body);
      assert.equal(document.split("\n")[1], expected[game - 1].replace(/,$/, ""), `game ${game}`);
      const own = tab.text(tab.ask("GET", `reviews/${game}.pgn`).body).trim();
      assert.ok(annotated.includes(own), `the annotated game ${game}`);
    }
    const megabytes = tab.memory() / 2 ** 20;
    assert.ok(megabytes < 300, `${megabytes} MiB`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
