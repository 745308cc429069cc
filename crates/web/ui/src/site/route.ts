// Where one stands, in the address of a page without a server: `#ply=25` on the page of a game, `#g2p25` in a report of several. The site's
// build takes this file in place of ../route.

const isReport = document.body.classList.contains("report-page");

/** The games of the page, as they are to be read. */
export const articles = [...document.querySelectorAll<HTMLElement>("article.reading")];

/** The number in an article's id: `g12`. */
export const numberOf = (article: HTMLElement): number => Number(article.id.slice(1));

/** What the address says, `g2p25` apart from the rest. */
function read(): { game: number | null; values: URLSearchParams } {
  const [, game, ply, rest] = /^#g(\d+)(?:p(\d+))?(?:&(.*))?$/.exec(location.hash) ?? [];
  const values = new URLSearchParams(game ? (rest ?? "") : location.hash.slice(1));
  if (ply) values.set("ply", ply);
  return { game: game ? Number(game) : null, values };
}

/** The number of the game that the address names, else that of the first. */
export function gameShown(): number {
  const numbers = articles.map(numberOf);
  const { game } = read();
  return game !== null && numbers.includes(game) ? game : numbers[0]!;
}

/** What the fragment says about the game. */
export const fragment = (): URLSearchParams => read().values;

/** Writes the fragment without a new entry in the history. */
export function setFragment(values: Record<string, string | null>): void {
  const { ply, ...others } = values;
  const place = isReport ? `g${gameShown()}${ply ? `p${ply}` : ""}` : ply ? `ply=${ply}` : "";
  const parts = Object.entries(others).filter(([, value]) => value !== null);
  const rest = parts.map(([name, value]) => (value === "" ? name : `${name}=${encodeURIComponent(value!).replaceAll("%2C", ",")}`));
  const text = [place, ...rest].filter(Boolean).join("&");
  if (`#${text}` === (location.hash || "#")) return;
  // At the start, a report keeps its plain address.
  if (text === `g${numberOf(articles[0]!)}` && !location.hash) return;
  try {
    history.replaceState(null, "", `${location.pathname}${location.search}${text ? `#${text}` : ""}`);
  } catch {
    // In the frame of a notebook a page cannot change its address.
  }
}
