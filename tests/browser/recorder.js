// An engine between a program and Stockfish that notes what was asked and answered:
// `node recorder.js FILE`. The file has the introduction and, for each search, its output.
import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { createInterface } from "node:readline";

const [, , file] = process.argv;
const engine = spawn("stockfish", [], {
  stdio: ["pipe", "pipe", "inherit"],
  // Debian puts engines into /usr/games, which root's PATH lacks.
  env: { ...process.env, PATH: `${process.env.PATH}:/usr/games` },
});
const noted = { introduction: "", searches: {} };
let [position, lines, search, output] = ["", "1", "", ""];

createInterface({ input: process.stdin }).on("line", (line) => {
  const [, multipv] = /^setoption name MultiPV value (\d+)/.exec(line) ?? [];
  lines = multipv ?? lines;
  if (line.startsWith("position ")) position = line;
  if (line.startsWith("go ")) [search, output] = [`${lines} ${position} ${line}`, ""];
  engine.stdin.write(`${line}\n`);
}).on("close", () => engine.stdin.end());

let isIntroduced = false;
createInterface({ input: engine.stdout }).on("line", (line) => {
  if (!isIntroduced) noted.introduction += `${line}\n`;
  isIntroduced ||= line === "uciok";
  output += `${line}\n`;
  if (line.startsWith("bestmove")) noted.searches[search] = output;
  process.stdout.write(`${line}\n`);
});
engine.on("exit", () => {
  writeFileSync(file, JSON.stringify(noted));
  process.exit();
});
