// The user's own symbols and comment on the move of the board. They are kept with the game, and its
// PGN contains them.
import { signal, useSignal, useSignalEffect } from "@preact/signals";
import { copyText } from "../state";
import type { OwnNote } from "../types";
import { isolated, notation, positionSign, w, wordsOf } from "../words";
import type { Table } from "./table";
import "./own-note.css";

const t = wordsOf({
  title: ["My symbol and comment", "Mein Zeichen und Kommentar"],
  symbols: ["Symbols", "Zeichen"],
  comment: ["My comment on {0}", "Mein Kommentar zu {0}"],
  keys: [
    "Keys: ! ? !! ?! and so on, = += =+ +/- -/+ +- -+ for the position, ~ for ∝, Backspace removes them.",
    "Tasten: ! ? !! ?! und so weiter, = += =+ +/- -/+ +- -+ für die Stellung, ~ für ∝, Rücktaste entfernt sie.",
  ],
  copy: ["Copy symbol and remark", "Zeichen und Bemerkung kopieren"],
  copied: ["Copied", "Kopiert"],
});

/** The symbols, with their numbers in PGN and how they are typed. */
const SYMBOLS: readonly (readonly [typed: string, nag: number, sign: string])[] = [
  ["!!", 3, "!!"],
  ["!", 1, "!"],
  ["!?", 5, "!?"],
  ["?!", 6, "?!"],
  ["?", 2, "?"],
  ["??", 4, "??"],
  ["[]", 7, "□"],
  ["=", 10, "="],
  ["+=", 14, "⩲"],
  ["=+", 15, "⩱"],
  ["+/-", 16, "±"],
  ["-/+", 17, "∓"],
  ["+-", 18, "+−"],
  ["-+", 19, "−+"],
  ["~", 13, "∝"],
];

/** The kind of a symbol. A move has at most one of each kind. */
const kind = (nag: number) => (nag <= 6 ? "move" : nag === 7 ? "only" : "position");

/** Whether keys set symbols. */
export const isAnnotating = signal(false);

/** The characters of a symbol so far, and when the last one was typed. */
let typed = { text: "", at: 0 };
const PAUSE = 900;

/** The half-move on the board, 0 if it is none of the game's. */
const halfMove = (table: Table): number => (table.ownPly.peek() > 0 ? 0 : table.ply.peek());

const noteOf = (table: Table, ply: number): OwnNote => table.notes.peek()[ply] ?? { nags: [], text: "" };

/** Sets a symbol in the place of others of its kind, or removes it. */
function setSymbol(table: Table, nag: number, isSet: boolean): void {
  const ply = halfMove(table);
  if (ply === 0) return;
  const note = noteOf(table, ply);
  const others = note.nags.filter((other) => kind(other) !== kind(nag));
  void table.setNote(ply, { ...note, nags: isSet ? [...others, nag] : others });
}

/** Takes a key for a symbol. Returns whether it was one. */
export function annotate(table: Table, key: string): boolean {
  if (!isAnnotating.peek()) return false;
  const ply = halfMove(table);
  if (key === "Backspace" && ply > 0) {
    typed = { text: "", at: 0 };
    void table.setNote(ply, { ...noteOf(table, ply), nags: [] });
    return true;
  }
  const isPart = (text: string) => SYMBOLS.some(([symbol]) => symbol.startsWith(text));
  const longer = performance.now() - typed.at < PAUSE ? typed.text + key : key;
  const text = isPart(longer) ? longer : key;
  if (!isPart(text)) return false;
  typed = { text, at: performance.now() };
  const found = SYMBOLS.find(([symbol]) => symbol === text);
  if (found) setSymbol(table, found[1], true);
  return true;
}

export function OwnNoteEditor({ table }: { table: Table }) {
  const copied = useSignal(false);
  const text = useSignal("");
  const ply = table.ownPly.value > 0 ? 0 : table.ply.value;
  const note = table.notes.value[ply] ?? { nags: [], text: "" };
  useSignalEffect(() => {
    const at = table.ownPly.value > 0 ? 0 : table.ply.value;
    text.value = table.notes.value[at]?.text ?? "";
    copied.value = false;
  });
  const moves = table.moves.value;
  if (!moves || moves.san.length === 0) return null;
  const shown = table.shown.value;
  const san = moves.san[ply - 1];
  const signs = note.nags.map((nag) => SYMBOLS.find((symbol) => symbol[1] === nag)?.[2] ?? "");
  const copy = async () => {
    if (!shown) return;
    const own = note.nags.some((nag) => kind(nag) === "move");
    const symbol = own ? "" : (shown.symbol ?? "");
    const move = `${shown.move_number}${shown.mover === "white" ? "." : "…"} ${notation(shown.san)}${symbol}${signs.join(" ")}`;
    const position = note.nags.some((nag) => kind(nag) === "position") ? "" : positionSign(shown.position);
    await copyText([move, position, note.text, shown.remark, shown.reason?.text].filter(Boolean).join(" "));
    copied.value = true;
  };
  const save = () => {
    if (ply > 0 && text.peek().trim() !== note.text) void table.setNote(ply, { ...note, text: text.peek() });
  };
  return (
    <details class="own-note" open={isAnnotating.value} onToggle={(event) => (isAnnotating.value = event.currentTarget.open)}>
      <summary>
        {t("title")} {signs.length > 0 && <b>{signs.join(" ")}</b>}
      </summary>
      {ply > 0 && san && (
        <>
          <div class="symbols" role="group" aria-label={t("symbols")}>
            {SYMBOLS.map(([name, nag, sign]) => (
              <button type="button" aria-pressed={note.nags.includes(nag)} title={`${name} $${nag}`} onClick={() => setSymbol(table, nag, !note.nags.includes(nag))}>
                {sign}
              </button>
            ))}
          </div>
          <textarea
            rows={2}
            maxLength={4000}
            aria-label={t("comment", isolated(notation(san)))}
            value={text.value}
            onInput={(event) => (text.value = event.currentTarget.value)}
            onBlur={save}
          />
          <p class="quiet">{t("keys")}</p>
          {shown && (
            <p>
              <button type="button" onClick={() => void copy()}>{t("copy")}</button> <span role="status">{copied.value ? t("copied") : ""}</span>
            </p>
          )}
          {table.noteProblem.value && <p class="problem" role="alert">{table.noteProblem.value}</p>}
        </>
      )}
      {ply === 0 && <p class="quiet">{w("startPosition")}</p>}
    </details>
  );
}
