// Replaces ../route in the build of sites. The fragment names the position: `#ply=25` on the page
// of one game, `#g2p25` in a report of several.

const isReport = document.body.classList.contains("report-page");

/** The texts of the page's games. */
export const articles = [...document.querySelectorAll<HTMLElement>("article.reading")];

/** The number in the id of an article, 12 for `g12`. */
export const numberOf = (article: HTMLElement): number => Number(article.id.slice(1));

/** The game and the values in the fragment. `g2p25` is split into its parts. */
function read(): { game: number | null; values: URLSearchParams } {
  const [, game, ply, rest] = /^#g(\d+)(?:p(\d+))?(?:&(.*))?$/.exec(location.hash) ?? [];
  const values = new URLSearchParams(game ? (rest ?? "") : location.hash.slice(1));
  if (ply) values.set("ply", ply);
  return { game: game ? Number(game) : null, values };
}

/** The number of the game in the address, or of the first game. */
export function gameShown(): number {
  const numbers = articles.map(numberOf);
  const { game } = read();
  return game !== null && numbers.includes(game) ? game : numbers[0]!;
}

/** The values in the fragment. */
export const fragment = (): URLSearchParams => read().values;

/** Writes the fragment without a new entry in the history. */
export function setFragment(values: Record<string, string | null>): void {
  const { ply, ...others } = values;
  const place = isReport ? `g${gameShown()}${ply ? `p${ply}` : ""}` : ply ? `ply=${ply}` : "";
  const parts = Object.entries(others).filter(([, value]) => value !== null);
  const rest = parts.map(([name, value]) => (value === "" ? name : `${name}=${encodeURIComponent(value!).replaceAll("%2C", ",")}`));
  const text = [place, ...rest].filter(Boolean).join("&");
  if (`#${text}` === (location.hash || "#")) return;
  // A report that was just opened keeps its address without a fragment.
  if (text === `g${numberOf(articles[0]!)}` && !location.hash) return;
  try {
    history.replaceState(null, "", `${location.pathname}${location.search}${text ? `#${text}` : ""}`);
  } catch {
    // A notebook shows the page in a frame, in which its address cannot be changed.
  }
}

/** Opens another address. What does so asks a server, so it is left out of sites. */
export const go = (address: string): void => location.assign(address);
