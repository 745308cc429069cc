// The list of moves with their symbols. It is drawn when the moves change. A step changes only
// which move is marked.
import { useSignalEffect } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { Table } from "../rooms/table";
import type { Note, NoteMove, Ply } from "../types";
import { evalText, halfMoves, nameIn, notation, numbered, printable, symbolLook, symbolTitle, symbolWord, w, type Words } from "../words";
import { draw } from "./drawn";

export function Moves({ table }: { table: Table }) {
  const list = useRef<HTMLDivElement>(null);
  useSignalEffect(() => {
    const [ply, ownPly] = [table.ply.value, table.ownPly.value];
    void [table.moves.value, table.plies.value, table.own.value];
    // Wait until the list is drawn.
    requestAnimationFrame(() => {
      const marked = list.current?.querySelector("[aria-current]");
      const wanted = list.current?.querySelector(ownPly > 0 ? `[data-own="${ownPly}"]` : `[data-ply="${ply}"]`);
      if (marked === wanted) return;
      marked?.removeAttribute("aria-current");
      wanted?.setAttribute("aria-current", "true");
      if (wanted && list.current) reveal(list.current, wanted);
    });
  });
  useSignalEffect(() => {
    const notes = table.ownPly.value > 0 ? [] : (table.moves.value?.notes ?? []);
    draw(table.at.value?.fen, notes.find((note) => note.ply === table.ply.value));
  });
  useEffect(() => () => draw(), []);
  return (
    <div
      ref={list}
      class="moves"
      role="region"
      aria-label={w("moves")}
      tabIndex={0}
      onClick={(event) => {
        const button = (event.target as Element).closest<HTMLElement>("[data-ply], [data-own]");
        if (button?.dataset.ply) table.go(Number(button.dataset.ply));
        if (button?.dataset.own) table.goOwn(Number(button.dataset.own));
      }}
    >
      <List table={table} />
    </div>
  );
}

/** Scrolls the list to the move, without scrolling the page. */
function reveal(list: Element, move: Element): void {
  const [outer, inner] = [list.getBoundingClientRect(), move.getBoundingClientRect()];
  const margin = 40;
  if (inner.top < outer.top + margin) list.scrollTop -= outer.top + margin - inner.top;
  else if (inner.bottom > outer.bottom - margin) list.scrollTop += inner.bottom - (outer.bottom - margin);
}

function List({ table }: { table: Table }) {
  const moves = table.moves.value;
  if (!moves) return null;
  const plies = table.plies.value;
  const parts = moves.fen.split(" ");
  const isBlackFirst = parts[1] === "b";
  const firstNumber = Number(parts[5] ?? 1);
  const rows = [];
  const offset = isBlackFirst ? 1 : 0;
  const notes = new Map(moves.notes.map((note) => [note.ply, note]));
  const cell = (index: number) => {
    const san = moves.san[index];
    if (san === undefined) return <span class="cell" />;
    const ply = plies[index];
    return (
      <button type="button" class="cell" data-ply={index + 1}>
        <span class="san">
          {notation(san)}
          {ply?.symbol && <b class={symbolLook(ply)} title={symbolTitle(ply)}>{ply.symbol}</b>}
          {ply?.only_move && <b class="good">□</b>}
          <Theirs symbol={notes.get(index + 1)?.symbol} ours={ply} />
        </span>
        {ply && <span class="eval">{evalText(ply.eval)}</span>}
      </button>
    );
  };
  for (let row = 0; 2 * row - offset < moves.san.length; row++) {
    const white = 2 * row - offset;
    rows.push(
      <div class="row" key={row}>
        <span class="number">{firstNumber + row}</span>
        {white < 0 ? <span class="cell">…</span> : cell(white)}
        {cell(white + 1)}
      </div>,
    );
    for (const ply of [white + 1, white + 2]) {
      const note = notes.get(ply);
      if (note && (note.text || note.variations.length > 0)) rows.push(<Said table={table} note={note} key={`note${ply}`} />);
    }
    // Own moves are shown below the move that they replace.
    const begin = table.ownBegin;
    const isLastRow = white + 2 >= moves.san.length;
    const isHere = begin === white || begin === white + 1 || (isLastRow && begin > white + 1);
    if (table.own.value.length > 0 && isHere) rows.push(<OwnMoves table={table} />);
  }
  const first = moves.notes.find((note) => note.ply === 0);
  return (
    <>
      {first && <Said table={table} note={first} />}
      {rows}
      {rows.length === 0 && table.own.value.length > 0 && <OwnMoves table={table} />}
      <div class="result">{moves.result}</div>
    </>
  );
}

/**
 * Symbols of annotators that are explained by a word: × means a miss on some sites, N a novelty.
 */
const EXPLAINED: Record<"×" | "N", Words> = { "×": ["miss", "verpasst"], N: ["novelty", "Neuerung"] };

const explained = (symbol: string) => nameIn(EXPLAINED, symbol);

/** A symbol as text. A miss is shown as a word. */
const shown = (text: string) => printable(text).replace("×", () => ` ${explained("×")}`);

/** The symbol of the game's annotator, if it differs from that of the review. */
export function Theirs({ symbol: given, ours }: { symbol: string | undefined; ours: Ply | null | undefined }) {
  // A reviewed PGN has `□` as a separate symbol, beside that of the move.
  const symbol = ours?.only_move ? given?.replace("□", "") : given;
  if (!symbol || symbol === ours?.symbol) return null;
  return (
    <>
      {" "}
      <i class="theirs" title={[w("annotator"), explained(symbol)].filter(Boolean).join(": ")}>
        {shown(symbol)}
      </i>
    </>
  );
}

/** An annotator's note: a comment, and variations whose moves can be played on the board. */
function Said({ table, note }: { table: Table; note: Note }) {
  const put = (line: string[]) => {
    table.go(note.ply - 1);
    table.removeOwn();
    line.forEach((uci) => table.play(uci));
  };
  const moves = table.moves.peek();
  const half = halfMoves(moves?.fen ?? "") + note.ply - 1;
  return (
    <div class="said-there">
      {note.text && (
        <p>
          {note.symbol && <b>{`${notation(moves?.san[note.ply - 1] ?? "")}${shown(note.symbol)} `}</b>}
          <bdi>{printable(note.text)}</bdi>
        </p>
      )}
      {note.variations.map((line) => (
        <p>
          <Variation line={line} half={half} before={[]} put={put} />
        </p>
      ))}
    </div>
  );
}

/** A null move in UCI notation. */
const NULL_MOVE = "0000";

/**
 * The moves of a variation. `before` has the moves of the outer variation that precede it, `half`
 * is the number of half-moves of the game before it. Inner variations are in brackets. From a null
 * move on, moves are plain text, because the board plays only legal moves.
 */
function Variation({ line, half, before, put }: { line: NoteMove[]; half: number; before: string[]; put(line: string[]): void }) {
  const path = [...before, ...line.map(({ uci }) => uci)];
  const upTo = (index: number) => path.slice(0, before.length + index);
  /** Whether a move number is needed: at the beginning, and after a comment or a variation. */
  const begins = (index: number) => index === 0 || Boolean(line[index - 1]!.text || line[index - 1]!.variations?.length);
  const move = (san: string, index: number) => {
    const [moves, name] = [upTo(index + 1), numbered(half + index, shown(san), begins(index))];
    if (moves.includes(NULL_MOVE)) return name;
    return <button type="button" class="plain" onClick={() => put(moves)}>{name}</button>;
  };
  return (
    <>
      {line.map(({ san, text, variations }, index) => (
        <>
          {index > 0 && " "}
          {move(san, index)}
          {text && <>{" "}<bdi>{printable(text)}</bdi></>}
          {variations?.map((inner) => (
            <>
              {" "}(<Variation line={inner} half={half + index} before={upTo(index)} put={put} />)
            </>
          ))}
        </>
      ))}
    </>
  );
}

function OwnMoves({ table }: { table: Table }) {
  const half = halfMoves(table.moves.value?.fen ?? "") + table.ownBegin;
  return (
    <div class="own" key="own">
      {table.own.value.map((own, index) => (
        <button type="button" class="cell" data-own={index + 1} title={own.problem ?? undefined}>
          {numbered(half + index, own.san, index === 0)}
          {own.ply?.symbol && <b class={symbolWord(own.ply.symbol)}>{own.ply.symbol}</b>}
          {own.ply && <span class="eval">{evalText(own.ply.eval)}</span>}
          {HAS_SERVER && !own.ply && !own.problem && <span class="eval" aria-label={w("judging")}>…</span>}
        </button>
      ))}
      <button type="button" class="plain" aria-label={`${w("remove")}: ${w("ownMoves")}`} onClick={() => table.removeOwn()}>
        ×
      </button>
    </div>
  );
}
