// Games of an account: a name that is typed into the field for games, how many of its games, and
// since when.
import { useSignal, type Signal } from "@preact/signals";
import { w, wordsOf } from "../words";

const t = wordsOf({
  of: ["Games of the account {0}", "Partien des Kontos {0}"],
  count: ["How many, at most", "Wie viele höchstens"],
  since: ["Since", "Seit"],
  from: ["Add from {0}", "Von {0} hinzufügen"],
  explain: ["Only on your click, the server asks this site for the newest games.", "Erst auf deinen Klick fragt der Server diese Seite nach den neuesten Partien."],
});

/** The sites, as an input of games names them, with their own names. */
export const SITES = { lichess: "Lichess", chesscom: "Chess.com" } as const;
type Site = keyof typeof SITES;

/** An account; without `site`, the user has typed only a name. */
export interface Account {
  site: Site | null;
  name: string;
}

/** A move of a game, which could be taken for a name: `e4`, `Nbxd7+`, `O-O`. */
const MOVE = /^(?:[KQRBN]?[a-h]?[1-8]?x?[a-h][1-8](?:=?[QRBN])?|O-O(?:-O)?|0-0(?:-0)?)[+#]?$/;

/**
 * The account that a text names: `lichess:NAME`, the address of a profile, or a name alone; `null`
 * for other text, and for accounts with conditions, which are sent as they are.
 */
export function accountOf(text: string): Account | null {
  const typed = text.trim();
  const [, site, name] = /^(lichess|chesscom):([\w-]{2,30})$/i.exec(typed) ?? [];
  if (site && name) return { site: site.toLowerCase() as Site, name };
  const [, host, profile] = /^(?:https?:\/\/)?(?:www\.)?(lichess\.org\/@|chess\.com\/member)\/([\w-]{2,30})\/?$/i.exec(typed) ?? [];
  if (host && profile) return { site: /^lichess/i.test(host) ? "lichess" : "chesscom", name: profile };
  // A FEN has slashes and a PGN spaces or dots, so a word of letters can only be a name.
  return /^[A-Za-z][\w-]{2,29}$/.test(typed) && !MOVE.test(typed) ? { site: null, name: typed } : null;
}

/** The name of the site of an account that a text names, for messages; `null` for other text. */
export const siteOf = (text: string): string | null => {
  const [, site] = /^\s*(lichess|chesscom):/i.exec(text) ?? [];
  return site ? SITES[site.toLowerCase() as Site] : null;
};

/** How many games are requested, and since which day. */
export interface Wanted {
  count: Signal<string>;
  since: Signal<string>;
}

/** More games than any account has. */
const ALL = 1_000_000;

export const useWanted = (): Wanted => ({ count: useSignal("50"), since: useSignal("") });

/** An account as an input of games: `lichess:NAME?max=50&since=2026-10-01`. */
export function inputOf({ name }: Account, site: Site, { count, since }: Wanted): string {
  const max = Number(count.peek()) > 0 ? Math.floor(Number(count.peek())) : ALL;
  return `${site}:${name}?max=${max}${since.peek() ? `&since=${since.peek()}` : ""}`;
}

/** The fields of an account. If its site is not known, a button for each site adds its games. */
export function AccountForm({ account, wanted, isBusy, add }: { account: Account; wanted: Wanted; isBusy: boolean; add(input: string): void }) {
  const sites = account.site ? [] : (Object.keys(SITES) as Site[]);
  return (
    <div class="account" role="group" aria-label={t("of", account.name)}>
      <label>
        {t("count")}
        <input type="number" min="1" value={wanted.count.value} onInput={(event) => (wanted.count.value = event.currentTarget.value)} />
      </label>
      <label>
        {t("since")}
        <input type="date" value={wanted.since.value} onInput={(event) => (wanted.since.value = event.currentTarget.value)} />
      </label>
      {sites.map((site) => (
        <button type="button" class="main" disabled={isBusy} onClick={() => add(inputOf(account, site, wanted))}>
          {t("from", SITES[site])}
        </button>
      ))}
      <p class="quiet">{isBusy ? w("wait") : t("explain")}</p>
    </div>
  );
}
