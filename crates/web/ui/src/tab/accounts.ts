// The games of an account, from the site itself. The page asks a site only if the user names an
// account there.

/** Number of the newest games that are read if no other number is given. */
const NEWEST = 50;

export class AccountError extends Error {}

/** The games of an account such as `lichess:NAME?max=20` as PGN; `null` for any other text. */
export async function gamesOf(text: string): Promise<string | null> {
  const [, site, name, query] = /^\s*(lichess|chesscom):([\w-]+)(\?\S*)?\s*$/i.exec(text) ?? [];
  if (!site || !name) return null;
  const most = Number(new URLSearchParams(query).get("max")) || NEWEST;
  return site.toLowerCase() === "lichess" ? ofLichess(name, most) : ofChesscom(name, most);
}

async function get(address: string, accept: string): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(address, { headers: { Accept: accept }, credentials: "omit", referrerPolicy: "no-referrer" });
  } catch {
    throw new AccountError(`${new URL(address).host} does not answer`);
  }
  if (response.status === 404) throw new AccountError("there is no such account");
  if (!response.ok) throw new AccountError(`${new URL(address).host} answers ${response.status}`);
  return response;
}

async function ofLichess(name: string, most: number): Promise<string> {
  const address = `https://lichess.org/api/games/user/${name}?max=${most}&clocks=true&evals=true&opening=true`;
  return (await get(address, "application/x-chess-pgn")).text();
}

async function ofChesscom(name: string, most: number): Promise<string> {
  const base = `https://api.chess.com/pub/player/${name.toLowerCase()}/games/archives`;
  const { archives } = (await (await get(base, "application/json")).json()) as { archives: string[] };
  const games: string[] = [];
  for (const month of archives.toReversed()) {
    if (games.length >= most) break;
    const { games: ofMonth } = (await (await get(month, "application/json")).json()) as { games: { pgn?: string }[] };
    games.push(...ofMonth.flatMap(({ pgn }) => pgn ?? []).toReversed());
  }
  return games.slice(0, most).join("\n\n");
}
