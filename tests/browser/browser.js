// What browser tests share: Centipawn's binary, Chromium, pages that tell what went wrong in them.
import { execFileSync, spawn } from "node:child_process";
import { accessSync, mkdtempSync, readFileSync, readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";

export const root = fileURLToPath(new URL("../..", import.meta.url));

const binary = process.env.CENTIPAWN_BIN ?? join(root, "target", "debug", "centipawn");

/** Runs centipawn in the project's folder; gives what it prints. */
export function centipawn(...args) {
  // The evaluations of the user are not touched.
  const env = { ...process.env, CENTIPAWN_STORE: "none" };
  return execFileSync(binary, args, { cwd: root, encoding: "utf8", env });
}

/** The command of an engine that plays a part, such as `exit`; `cargo build -p centipawn-fake-engine` makes it. */
export const fakeEngine = (part) => `'${join(root, "target", "debug", "centipawn-fake-engine")}' ${part}`;

/** Servers that run. Their pipes would keep the tests alive. */
const running = new Set();

/** Ends the servers that failed tests have left. */
export const endServers = () => Promise.all([...running].map((server) => server.kill()));

/** Starts `centipawn serve` on a free port, or on this one, with a store of its own. */
export async function serve(store, port = 0, ...more) {
  const env = { ...process.env, CENTIPAWN_STORE: "none" };
  const jobs = more.includes("--jobs") ? [] : ["--jobs", "2"];
  const args = ["serve", "--port", String(port), "--store", store, ...jobs, ...more];
  const child = spawn(binary, args, { cwd: root, env, stdio: ["ignore", "pipe", "pipe"] });
  const end = (signal) => {
    child.kill(signal);
    return ended;
  };
  const server = {
    stop: () => end("SIGINT"),
    kill: () => end("SIGKILL"),
    /** How many engines it has running. */
    engines: () => children(child.pid).length,
  };
  let [output, errors] = ["", ""];
  server.output = () => output;
  running.add(server);
  const ended = new Promise((resolve) => child.once("exit", resolve)).then(() => running.delete(server));
  server.url = await new Promise((resolve, reject) => {
    child.stderr.on("data", (data) => (errors += data));
    child.stdout.on("data", (data) => {
      output += data;
      const [, address] = /^(http:\S+?)\/?\n/m.exec(output) ?? [];
      if (address) resolve(address);
    });
    child.once("exit", () => reject(new Error(`centipawn serve ended: ${errors}`)));
  });
  server.port = Number(new URL(server.url).port);
  return server;
}

/** Processes that a process has started, without those that have ended. */
function children(parent) {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((name) => {
      try {
        const [state, of] = readFileSync(`/proc/${name}/stat`, "utf8").split(") ")[1].split(" ");
        return Number(of) === parent && state !== "Z";
      } catch {
        return false;
      }
    });
}

/** A new folder; who makes one removes it. */
export const temporaryFolder = () => mkdtempSync(join(tmpdir(), "centipawn-"));

function isThere(path) {
  try {
    accessSync(path);
    return true;
  } catch {
    return false;
  }
}

function findChromium() {
  const names = ["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"];
  const folders = (process.env.PATH ?? "").split(delimiter);
  const paths = [
    ...folders.flatMap((folder) => names.map((name) => join(folder, name))),
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  ];
  const found = [process.env.CHROMIUM, ...paths].find((path) => path && isThere(path));
  if (!found) throw new Error("Chromium was not found; on Debian: apt install chromium; or name one with CHROMIUM=PATH");
  return found;
}

/** Starts the browser. Root, as in a container, has no sandbox. */
export function launch() {
  const args = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
  return chromium.launch({ executablePath: findChromium(), args });
}

/** Opens a file; `troubles` collects messages of the console, errors, and every request but the one for the page. */
export async function open(browser, path, options = {}) {
  const page = await browser.newPage(options);
  const troubles = [];
  const address = `file://${path}`;
  page.on("console", (message) => troubles.push(`console: ${message.text()}`));
  page.on("pageerror", (error) => troubles.push(`error: ${error}`));
  page.on("request", (request) => {
    if (request.url().split("#")[0] !== address) troubles.push(`request: ${request.url()}`);
  });
  await page.goto(address);
  return { page, troubles };
}
