// Shows the games of the page on a board, from data in the page.
"use strict";

const SVG = "http://www.w3.org/2000/svg";
const SQUARE = 45;

/** The upper left corner of a square (a1 = 0), seen from one side. */
function corner(square, flipped) {
  const [file, rank] = [square % 8, square >> 3];
  return flipped ? [(7 - file) * SQUARE, rank * SQUARE] : [file * SQUARE, (7 - rank) * SQUARE];
}

function element(name, attributes) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}

function marked(square, flipped) {
  const [x, y] = corner(square, flipped);
  return element("rect", { class: "moved", x, y, width: SQUARE, height: SQUARE });
}

/** An arrow from the middle of a square to that of another. */
function arrow([from, to], flipped) {
  const middle = (square) => corner(square, flipped).map((edge) => edge + SQUARE / 2);
  const [[x1, y1], [x2, y2]] = [middle(from), middle(to)];
  const length = Math.hypot(x2 - x1, y2 - y1) || 1;
  const [ux, uy] = [(x2 - x1) / length, (y2 - y1) / length];
  const [bx, by] = [x2 - 16 * ux, y2 - 16 * uy];
  const group = element("g", { class: "arrow best" });
  group.append(
    element("path", { d: `M${x1} ${y1}L${bx} ${by}` }),
    element("path", { class: "head", d: `M${x2} ${y2}L${bx - 9 * uy} ${by + 9 * ux}L${bx + 9 * uy} ${by - 9 * ux}Z` }),
  );
  return group;
}

/** The names of files and ranks along the lower and the left edge. */
function coordinates(flipped) {
  const group = element("g", { class: "names" });
  const name = (x, y, text) => {
    const made = element("text", { x, y });
    made.textContent = text;
    group.append(made);
  };
  for (let index = 0; index < 8; index++) {
    name(index * SQUARE + 36, 8 * SQUARE - 3, "abcdefgh"[flipped ? 7 - index : index]);
    name(2, index * SQUARE + 12, flipped ? index + 1 : 8 - index);
  }
  return group;
}

/** The pieces of a FEN's first field. */
function* pieces(fen) {
  let [file, rank] = [0, 7];
  for (const letter of fen) {
    if (letter === "/") [file, rank] = [0, rank - 1];
    else if (letter >= "1" && letter <= "8") file += Number(letter);
    else yield [(letter < "a" ? "w" : "b") + letter.toUpperCase(), rank * 8 + file++];
  }
}

/** A game of the page. */
function game(article) {
  const viewer = article.querySelector(".viewer");
  if (!viewer) return null;
  const frames = JSON.parse(viewer.querySelector("script").textContent);
  const board = viewer.querySelector(".board");
  const cursor = article.querySelector(".cursor");
  const links = [...article.querySelectorAll(".moves [data-ply]")];
  const text = (part) => viewer.querySelector(`.now .${part}`);
  let [ply, flipped] = [0, false];

  function show(next) {
    ply = Math.min(Math.max(next, 0), frames.length - 1);
    const frame = frames[ply];
    const drawn = [];
    for (const square of frame.move ?? []) drawn.push(marked(square, flipped));
    for (const [name, square] of pieces(frame.pieces)) {
      const [x, y] = corner(square, flipped);
      drawn.push(element("use", { href: `#${name}`, x, y }));
    }
    drawn.push(coordinates(flipped));
    // The best move belongs to the position before, but readers look for it after the mistake.
    if (frame.best) drawn.push(arrow(frame.best, flipped));
    board.querySelector("g").replaceChildren(...drawn);
    board.setAttribute("aria-label", `${frame.title}: ${frame.pieces}`);
    text("title").textContent = frame.title;
    text("score").textContent = frame.eval ? `${frame.eval} · ${frame.score}` : frame.score;
    text("remark").textContent = frame.remark;
    text("line").textContent = frame.line;
    cursor.setAttribute("transform", `translate(${ply} 0)`);
    for (const link of links) {
      if (Number(link.dataset.ply) === ply) link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
    }
  }

  /** The next move with a symbol in a direction, or the start or end of the game. */
  function next(step) {
    let to = ply + step;
    while (to > 0 && to < frames.length - 1 && !frames[to].marked) to += step;
    return to;
  }

  const actions = {
    start: () => show(0),
    back: () => show(ply - 1),
    forward: () => show(ply + 1),
    end: () => show(frames.length - 1),
    previous: () => show(next(-1)),
    next: () => show(next(1)),
    flip: () => {
      flipped = !flipped;
      show(ply);
    },
  };
  article.addEventListener("click", (event) => {
    const link = event.target.closest("[data-ply]");
    if (link) {
      event.preventDefault();
      show(Number(link.dataset.ply));
    }
    const button = event.target.closest("[data-action]");
    if (button) actions[button.dataset.action]();
  });
  viewer.hidden = false;
  article.classList.add("alive");
  show(0);
  return { article, actions, show };
}

const KEYS = {
  ArrowLeft: "back",
  ArrowRight: "forward",
  p: "previous",
  n: "next",
  Home: "start",
  End: "end",
  f: "flip",
};

const games = [...document.querySelectorAll("article")].map(game).filter(Boolean);

/** Shows the move that the address names, such as #g1p25. */
function follow() {
  const [, id, ply] = /^#(g\d+)p(\d+)$/.exec(location.hash) ?? [];
  games.find(({ article }) => article.id === id)?.show(Number(ply));
}
window.addEventListener("hashchange", follow);
follow();

/** Whether the focused element is a field, which needs the key. */
const isTaken = ({ target }) => target.closest("input, textarea, select, [contenteditable]") !== null;

document.addEventListener("keydown", (event) => {
  // Ignore Caps Lock.
  const action = KEYS[event.key.length === 1 ? event.key.toLowerCase() : event.key];
  if (!action || isTaken(event) || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
  // The visible game: the first that extends below the middle of the window.
  const looked = games.find(({ article }) => article.getBoundingClientRect().bottom > window.innerHeight / 2);
  if (!looked) return;
  event.preventDefault();
  looked.actions[action]();
});
