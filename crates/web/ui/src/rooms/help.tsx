// A list of the keys that work at the board.
import { useEffect, useRef } from "preact/hooks";
import { w } from "../words";
import { letters, NEEDS_SERVER } from "./keys";

/** The keys, and what they do in English and German. */
const KEYS: [keys: string, english: string, german: string][] = [
  ["← →  j k", "one move back, forward", "ein Zug zurück, vor"],
  ["↑ ↓  Home End", "first, last position", "erste, letzte Stellung"],
  ["n p", "next, previous moment", "nächster, voriger Moment"],
  ["b m i", "next blunder, mistake, inaccuracy", "nächster ??, ?, ?!"],
  ["Shift+← Shift+→", "leave your moves, return to them", "eigene Züge verlassen, zu ihnen zurückkehren"],
  ["f", "flip the board", "Brett drehen"],
  ["l", "engine lines on, off", "Engine-Varianten an, aus"],
  ["space", "play the best move", "besten Zug spielen"],
  ["a", "arrows on, off", "Pfeile an, aus"],
  ["h", "the moves that humans play", "die Züge, die Menschen spielen"],
  ["x", "what the opponent threatens", "was der Gegner droht"],
  ["z", "hide the engine", "Engine verbergen"],
  ["w", "explain the symbol", "warum dieses Symbol"],
  ["r", "practise the mistakes", "Fehler üben"],
  ["e", "my symbol and comment; then ! ? = and so on", "mein Zeichen und Kommentar; dann ! ? = und so weiter"],
  ["c", "read the evaluation aloud", "Bewertung vorlesen"],
  ["/", "type a move", "Zug eintippen"],
  ["g", "go to a move", "zu einem Zug gehen"],
  ["Escape", "back to the moves", "zurück zu den Zügen"],
  ["?", "this list", "diese Liste"],
];

export function Help({ onClose }: { onClose(): void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  const column = document.documentElement.lang === "de" ? 2 : 1;
  return (
    <dialog ref={dialog} aria-labelledby="keys" onClose={onClose}>
      <h2 id="keys">{w("keys")}</h2>
      <dl class="keys">
        {KEYS.filter(([key]) => HAS_SERVER || !NEEDS_SERVER.includes(key)).map((row) => (
          <>
            <dt>{row[0].split(" ").filter(Boolean).map((key) => <kbd>{key}</kbd>)}</dt>
            <dd>{row[column]}</dd>
          </>
        ))}
      </dl>
      <label class="option">
        <input
          type="checkbox"
          checked={letters.get() === "on"}
          onChange={(event) => letters.set(event.currentTarget.checked ? "on" : "off")}
        />
        {w("letters")}
      </label>
      <form method="dialog">
        <button type="submit">{w("close")}</button>
      </form>
    </dialog>
  );
}
