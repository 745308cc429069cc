// Help for a pasted web address. The page does not load games from addresses, but explains how to
// get the game.
import { wordsOf } from "../words";

const t = wordsOf({
  isAddress: ["This is a URL, not a game in PGN.", "Das ist eine URL, keine Partie in PGN."],
  getLichess: [
    "On Lichess, open the game, choose “Share & export” below the board, then “Download PGN” or copy the PGN, and paste it here.",
    "Öffne die Partie auf Lichess, wähle unter dem Brett „Teilen & exportieren“, dann „PGN herunterladen“ oder kopiere das PGN, und füge es hier ein.",
  ],
  getChessCom: [
    "On Chess.com, open the game, choose “Share”, then the tab “PGN”, copy it or download the file, and paste it here.",
    "Öffne die Partie auf Chess.com, wähle „Teilen“, dann die Karte „PGN“, kopiere es oder lade die Datei herunter, und füge es hier ein.",
  ],
  getAccount: ["For the newest games of this account, write {0} here.", "Für die neuesten Partien dieses Kontos hier {0} schreiben."],
  getPgn: ["Download or copy the game as PGN there, and paste it here.", "Lade die Partie dort als PGN herunter oder kopiere sie, und füge sie hier ein."],
});

/** The hint for a web address; `null` for other text. */
function wayToGame(text: string): "getLichess" | "getChessCom" | "getPgn" | null {
  const [, host] = /^(?:https?:\/\/)?((?:[\w-]+\.)+[a-z]{2,})(?:[/?#]\S*)?$/i.exec(text.trim()) ?? [];
  if (!host) return null;
  return /(^|\.)lichess\.org$/i.test(host) ? "getLichess" : /(^|\.)chess\.com$/i.test(host) ? "getChessCom" : "getPgn";
}

/**
 * Why nothing is loaded from an address, and how to get the game from that site; `null` for other
 * text.
 */
export function addressHelp(text: string): { reason: string; hint: string } | null {
  const [, site, name] = /(lichess\.org\/@|chess\.com\/member)\/([\w-]{2,30})\/?$/i.exec(text.trim()) ?? [];
  if (site && name) {
    return { reason: t("isAddress"), hint: t("getAccount", `${/lichess/i.test(site) ? "lichess" : "chesscom"}:${name}`) };
  }
  const way = wayToGame(text);
  return way && { reason: t("isAddress"), hint: t(way) };
}
