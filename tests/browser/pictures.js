// Makes the pictures of the book: of the page, with the sample games, and plots by the program. `make pictures` runs it.
import { copyFileSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { centipawn, endServers, launch, root, serve, temporaryFolder } from "./browser.js";
import { askServer, finished, openRoom } from "./page.js";

const PICTURES = join(root, "docs", "pictures");
const DESK = { viewport: { width: 1080, height: 720 } };
const PHONE = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true };

/** Takes pictures of rooms of the page with a reviewed game. */
async function ofThePage(folder) {
  const server = await serve(join(folder, "pictures.db"), 0, "--nodes", "50000");
  const { games } = await askServer(server, "POST", "games", readFileSync(join(root, "examples/evergreen-game.pgn"), "utf8"));
  const { id } = await askServer(server, "POST", "reviews", { game: games[0].id });
  await finished(server, id, 600_000);
  const { games: [{ plies }] } = await askServer(server, "GET", `reviews/${id}`);
  // The worst move that has a reason.
  const explained = plies.map((ply, at) => ({ ...ply, at: at + 1 })).filter((ply) => ply.reason);
  const worst = explained.sort((a, b) => b.score_loss - a.score_loss)[0].at;
  const browser = await launch();
  const take = async (name, path, ready, options = DESK) => {
    const { page, close } = await openRoom(browser, server, path, options);
    await ready(page);
    // Fonts and animations are settled.
    await page.waitForTimeout(1500);
    await page.screenshot({ path: join(PICTURES, `${name}.png`) });
    await close();
  };
  const atWorst = async (page) => {
    await page.locator(`.moves [data-ply='${worst}'] b`).waitFor();
    await page.getByRole("button", { name: "Why" }).click();
  };
  try {
    await take("review", `/review/${id}#ply=${worst}`, atWorst);
    await take("review-dark", `/review/${id}#ply=${worst}`, atWorst, { ...DESK, colorScheme: "dark" });
    await take("review-phone", `/review/${id}#ply=${worst}`, (page) => page.locator("cg-board").first().waitFor(), PHONE);
    await take("practise", `/review/${id}`, async (page) => {
      await page.locator(`.moves [data-ply='${worst}'] b`).waitFor();
      await page.keyboard.press("r");
      await page.locator(".said.ask").waitFor();
    });
    await take("calibration", "/curves?rating=1500", (page) => page.locator("main svg").first().waitFor());
  } finally {
    await browser.close();
    await endServers();
  }
}

/** Draws the plots that commands make of the sample files. */
function byTheProgram(folder) {
  const scale = join(folder, "scale");
  centipawn("wdl", "run", "examples/selfplay.pgn.gz", "--engine-name", "Stockfish 15.1", "--out", scale, "--quiet");
  copyFileSync(join(scale, "plots.svg"), join(PICTURES, "wdl.svg"));
  centipawn("match", "examples/selfplay.pgn.gz", "--plot", join(PICTURES, "match.svg"), "--quiet");
}

const folder = temporaryFolder();
mkdirSync(PICTURES, { recursive: true });
try {
  byTheProgram(folder);
  await ofThePage(folder);
} finally {
  rmSync(folder, { recursive: true });
}
