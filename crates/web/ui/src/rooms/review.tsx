// The room of a review: board, moves, graphs with a common cursor, explanation of symbols, and
// report.
import { computed, signal, useComputed, useSignal, useSignalEffect, type Signal } from "@preact/signals";
import type { DrawShape } from "@lichess-org/chessground/draw";
import { useEffect, useMemo } from "preact/hooks";
import { hasReasons } from "../api";
import { Board, type Mark } from "../viewer/board";
import { Graph, moveNumber } from "../viewer/graph";
import { Hints } from "../viewer/hints";
import { Moves, Theirs } from "../viewer/moves";
import type { Key } from "../viewer/position";
import { onSwipe } from "../viewer/swipe";
import { Reasons } from "../viewer/reasons";
import { status } from "../state";
import type { Odds } from "../types";
import { clockText, evalText, isolated, notation, number, positionSign, spoken, symbolLook, symbolTitle, symbolWord, w } from "../words";
import { Collection } from "./collection";
import { Help } from "./help";
import { DeleteGame, JobLine } from "./job";
import { Judging } from "./judging";
import { Ask, endPractice, practise, resumePractice, useKeys, type Asked } from "./keys";
import { EngineLines, Live } from "./live";
import { OwnNoteEditor } from "./own-note";
import { Practise, type PracticeRun } from "./practise";
import { Report } from "./report";
import { Table } from "./table";
import { TableVerdict } from "./table-verdict";
import { WhyPanel } from "./why";

export type Tab = "moves" | "why" | "report";

/** Whether arrows show the better move and the refutation. */
export const showsArrows = signal(true);

export function ReviewRoom({ id }: { id: number }) {
  const table = useMemo(() => new Table(id), [id]);
  const live = useMemo(() => new Live(table), [table]);
  const hints = useMemo(() => new Hints(table), [table]);
  const asked = useSignal<Asked | null>(null);
  const practice = useSignal<PracticeRun | null>(null);
  const tab = useSignal<Tab>("moves");
  const showsWhy = useComputed(() => tab.value === "why");
  const help = useSignal(false);
  useEffect(() => () => {
    endPractice(practice);
    live.close();
    hints.close();
    table.close();
  }, [table]);
  useSignalEffect(() => {
    if (table.moves.value) table.writeFragment();
  });
  useSignalEffect(() => {
    const moves = table.moves.value;
    if (moves) document.title = `${isolated(moves.white)} – ${isolated(moves.black)} · Centipawn`;
  });
  useSignalEffect(() => {
    if (HAS_SERVER && table.isWhole.value && !practice.peek()) resumePractice(table, practice);
  });
  useKeys({ table, live, hints, practice, tab, help, asked });

  const problem = table.problem.value;
  if (problem && !table.moves.value) {
    return (
      <main id="main" class="message">
        <h1>{w("failedToLoad")}</h1>
        <p>{problem.message}</p>
        <p class="quiet">{problem.hint}</p>
        <p>
          <button type="button" onClick={() => void table.load()}>{w("again")}</button> <a href="/">{w("games")}</a>
        </p>
      </main>
    );
  }
  if (!table.moves.value) return <main id="main" class="message" aria-busy="true">{w("wait")}</main>;
  return (
    <main id="main" class={`review${practice.value ? " practising" : ""}`} data-tab={tab.value}>
      <h1 class="hidden"><bdi>{table.moves.value.white}</bdi> – <bdi>{table.moves.value.black}</bdi></h1>
      <section class="stage" aria-label={w("board")}>
        <NameLine table={table} top />
        <div class="field">
          <Bar table={table} />
          <TableBoard table={table} live={live} hints={hints} practice={practice} />
        </div>
        <NameLine table={table} top={false} />
        <Controls table={table} help={help} />
      </section>
      <section class="side">
        {HAS_SERVER && practice.value ? (
          <Practise run={practice.value} onEnd={() => endPractice(practice)} />
        ) : (
          <>
            {problem && (
              <div class="problem" role="alert">
                <p>{problem.message}</p>
                <p class="quiet">{problem.hint}</p>
              </div>
            )}
            {hints.problem.value && <p class="problem" role="alert">{hints.problem.value}</p>}
            <Now table={table} isBrief={showsWhy.value} />
            {HAS_SERVER && status.value && status.value.table_men > 0 && <TableVerdict table={table} men={status.value.table_men} />}
            <Tabs tab={tab} />
            <div class="tab moves-tab">
              <Moves table={table} />
              {HAS_SERVER && <OwnNoteEditor table={table} />}
              {HAS_SERVER && <EngineLines live={live} table={table} />}
              {HAS_SERVER && status.value?.has_positions && <Collection table={table} />}
              {HAS_SERVER && <EaseLink table={table} />}
            </div>
            <div class="tab why-tab">
              {showsWhy.value && <WhyPanel table={table} />}
              {HAS_SERVER && <Judging table={table} />}
            </div>
            <div class="tab report-tab">
              {tab.value === "report" && <Report table={table} onPractise={(side) => practise(table, practice, side)} />}
              {HAS_SERVER && tab.value === "report" && table.game.value && <DeleteGame id={table.moves.value.id} />}
            </div>
          </>
        )}
      </section>
      <section class="under">
        <JobLine job={table.job} />
        <Graph table={table} />
      </section>
      <Speech table={table} />
      {asked.value && <Ask asked={asked.value} onClose={() => (asked.value = null)} />}
      {help.value && <Help onClose={() => (help.value = false)} />}
    </main>
  );
}

function Tabs({ tab }: { tab: Signal<Tab> }) {
  const all: Tab[] = hasReasons ? ["moves", "why", "report"] : ["moves", "report"];
  return (
    <div class="tabs" role="group" aria-label={w("review")}>
      {all.map((name) => (
        <button type="button" aria-pressed={tab.value === name} onClick={() => (tab.value = name)}>
          {w(name)}
        </button>
      ))}
    </div>
  );
}

function TableBoard({ table, live, hints, practice }: { table: Table; live: Live; hints: Hints; practice: Signal<PracticeRun | null> }) {
  const arrows = useMemo(
    () =>
      computed<DrawShape[]>(() => {
        const run = practice.value;
        if (run) return run.arrows.value;
        const shapes: DrawShape[] = [];
        const line = live.answer.value?.lines[0];
        if (line?.uci[0]) shapes.push(arrow(line.uci[0], "blue"));
        if (hints.kind.value) return [...shapes, ...hints.arrows.value];
        if (!showsArrows.value || table.ownPly.value > 0) return shapes;
        const ply = table.shown.value;
        // The better move belongs to the position before the mistake, but users look for it after
        // the mistake.
        const best = ply?.better?.uci[0];
        if (best) shapes.push(arrow(best, "green"));
        const reason = ply?.reason?.kind === "allows" ? ply.reason : null;
        if (reason?.uci[0]) shapes.push(arrow(reason.uci[0], "red"), ...reason.targets.map(({ square }) => circle(square)));
        return shapes;
      }),
    [table, live],
  );
  const mark = useMemo(
    () =>
      computed<Mark | null>(() => {
        const to = table.at.value?.last?.[1];
        const symbol = practice.value ? null : table.shown.value?.symbol;
        return to && symbol ? { symbol, at: to } : null;
      }),
    [table],
  );
  const at = useMemo(() => computed(() => practice.value?.at.value ?? table.at.value), [table]);
  return (
    <Board
      at={at}
      flipped={table.flipped}
      arrows={arrows}
      mark={mark}
      chess960={table.moves.value?.chess960 ?? false}
      onMove={(uci) => (practice.value ? void practice.value.tried(uci) : table.play(uci))}
    />
  );
}

const arrow = (uci: string, brush: string): DrawShape => ({ orig: uci.slice(0, 2) as Key, dest: uci.slice(2, 4) as Key, brush });

const circle = (square: string): DrawShape => ({ orig: square as Key, brush: "red" });

/** The line of a player beside the board: name, result, accuracy, clock. */
function NameLine({ table, top }: { table: Table; top: boolean }) {
  const moves = table.moves.value!;
  const side = table.flipped.value === top ? "white" : "black";
  const player = table.game.value?.[side];
  const elo = moves.headers.find(([name]) => name === (side === "white" ? "WhiteElo" : "BlackElo"))?.[1];
  // Own moves take no time, so show the clocks of the position at which they begin.
  const clock = [1, 2].map((back) => table.plies.value[table.ply.value - back]).find((ply) => ply?.mover === side)?.clock_seconds ?? null;
  return (
    <div class={`name ${side}`}>
      <i aria-hidden="true" />
      <span class="who">{moves[side]}</span>
      {elo && /^\d+$/.test(elo) && <span class="quiet">{elo}</span>}
      {clock !== null && <span class="clock" title={w("time")}>{clockText(clock)}</span>}
      {table.isWhole.value && player?.accuracy != null && (
        <span class="quiet accuracy" title={`${w("accuracy")}, ${w("accuracyText")}`}>
          {number(player.accuracy, 1)} %
        </span>
      )}
    </div>
  );
}

/** Win, draw and loss as a bar beside the board. */
function Bar({ table }: { table: Table }) {
  const shown = table.shown.value;
  const worth = table.ownPly.value > 0 ? (shown ? { score: shown.expected_score, wdl: shown.wdl } : null) : table.worths.value[table.ply.value];
  const [win, loss] = worth ? (worth.wdl ? [worth.wdl.win, worth.wdl.loss] : [worth.score, 1 - worth.score]) : [0.5, 0.5];
  const isKnown = Boolean(worth);
  return (
    <svg class={`bar${table.flipped.value ? " flipped" : ""}`} viewBox="0 0 10 100" preserveAspectRatio="none" aria-hidden="true">
      <rect class="draw-area" width="10" height="100" />
      {isKnown && <rect class="black-area" width="10" height={100 * loss} />}
      {isKnown && <rect class="white-area" width="10" y={100 - 100 * win} height={100 * win} />}
      <line x2="10" y1="50" y2="50" vector-effect="non-scaling-stroke" />
    </svg>
  );
}

/** A link that opens the position, with the moves before it, in the room Ease. */
function EaseLink({ table }: { table: Table }) {
  void [table.ply.value, table.own.value];
  const path = table.path(table.ownPly.value);
  if (!path || path.chess960) return null;
  const isStart = path.fen.startsWith("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w");
  const parts = [!isStart && `fen=${encodeURIComponent(path.fen)}`, path.moves.length > 0 && `moves=${path.moves.join(",")}`].filter(Boolean);
  return <a class="ease-link" href={`/ease${parts.length ? `?${parts.join("&")}` : ""}`}>{w("howHard")}</a>;
}

function Controls({ table, help }: { table: Table; help: Signal<boolean> }) {
  const buttons: [string, string, () => void][] = [
    ["«", w("first"), () => table.go(0)],
    ["‹", w("back"), () => table.step(-1)],
    ["›", w("forward"), () => table.step(1)],
    ["»", w("last"), () => table.go(table.length.peek())],
    [`‹ ${w("moment")}`, w("previousMoment"), () => table.toMoment(-1)],
    [`${w("moment")} ›`, w("nextMoment"), () => table.toMoment(1)],
    ["⇅", w("flip"), () => (table.flipped.value = !table.flipped.peek())],
  ];
  return (
    <div class="controls" role="toolbar" aria-label={w("board")}>
      {buttons.map(([sign, label, action]) => (
        <button type="button" class={sign.length > 2 ? "word" : ""} aria-label={label} title={label} onClick={action}>
          {sign}
        </button>
      ))}
      <button type="button" class="help" aria-label={w("keys")} title={w("keys")} onClick={() => (help.value = true)}>
        ⌨
      </button>
    </div>
  );
}

/** The move on the board: its symbol, its evaluation and, unless `isBrief`, the reason. */
function Now({ table, isBrief }: { table: Table; isBrief: boolean }) {
  const ply = table.shown.value;
  const moves = table.moves.value!;
  const own = table.own.value[table.ownPly.value - 1];
  const swipe = useMemo(() => onSwipe((direction) => table.toMoment(direction)), [table]);
  if (!ply) {
    const san = own?.san ?? moves.san[table.ply.value - 1];
    return (
      <div class="now" {...swipe}>
        <p class="title">{san ? `${own ? "" : moveNumber(table, table.ply.value)} ${notation(san)}` : moves.occasion || w("startPosition")}</p>
        <p class="quiet">{own?.problem ?? (san ? (HAS_SERVER ? w("judging") : "") : (moves.opening ?? ""))}</p>
      </div>
    );
  }
  const share = (value: number) => Math.round(100 * value);
  return (
    <div class={`now ${ply.symbol ? `marked-${symbolWord(ply.symbol)}` : ""}`} {...swipe}>
      <p class="title">
        <span>{`${ply.move_number}${ply.mover === "white" ? "." : " …"} ${notation(ply.san)}`}</span>
        {ply.symbol && <b class={symbolLook(ply)} title={symbolTitle(ply)}>{ply.symbol}</b>}
        {ply.only_move && <b class="good" title={w("onlyMove")}>□</b>}
        {!own && <Theirs symbol={moves.notes.find((note) => note.ply === ply.ply)?.symbol} ours={ply} />}
        <span class="eval">{evalText(ply.eval)}</span>
        <span class="sign">{positionSign(ply.position)}</span>
      </p>
      <p class="quiet chances">
        {ply.wdl
          ? `${share(ply.wdl.win)} % ${w("white")} · ${share(ply.wdl.draw)} % ${w("draw")} · ${share(ply.wdl.loss)} % ${w("black")}`
          : `${w("expected")} ${number(ply.expected_score, 2)}`}
      </p>
      {ply.odds && (
        <details class="quiet odds">
          <summary>{w("theseTwo")}</summary>
          {forThem(ply.odds, share)}
        </details>
      )}
      {!isBrief && <Reasons table={table} ply={ply} />}
    </div>
  );
}

/**
 * What the position is worth between these two players, by the evaluation, the ratings and the
 * clocks.
 */
function forThem(odds: Odds, share: (value: number) => number): string {
  return odds.win === undefined
    ? w("theirScore", number(odds.expected_score, 2))
    : w("theirChances", share(odds.win), share(odds.draw!), share(odds.loss!));
}

/**
 * The text that screen readers announce for each step, such as "14, Black, queen takes e5, blunder.
 * Throws away the win."
 */
export function sentence(table: Table): string {
  const ply = table.shown.value;
  const own = table.own.value[table.ownPly.value - 1];
  if (!ply) {
    const san = own?.san ?? table.moves.value?.san[table.ply.value - 1];
    return san ? spoken(san) : w("startPosition");
  }
  const symbol = ply.symbol ? `, ${w(symbolWord(ply.symbol))}` : "";
  const only = ply.only_move ? `, ${w("onlyMove")}` : "";
  const variation = own ? `${w("variation")}, ` : "";
  const better = ply.better?.san[0];
  const reason = ply.reason ? ` ${ply.reason.text}` : "";
  const instead = better ? ` ${w("better")}: ${spoken(better)}.` : "";
  return `${variation}${ply.move_number}, ${w(ply.mover)}, ${spoken(ply.san)}${symbol}${only}. ${ply.remark ?? ""}${reason}${instead}`.trim();
}

function Speech({ table }: { table: Table }) {
  const text = useSignal("");
  const step = useComputed(() => sentence(table));
  useSignalEffect(() => {
    const now = step.value;
    // Wait a moment, so that a key that is held down does not announce every position.
    const timer = setTimeout(() => (text.value = now), 60);
    return () => clearTimeout(timer);
  });
  useSignalEffect(() => {
    if (table.said.value) text.value = table.said.value;
  });
  return (
    <p class="hidden" role="status" aria-live="polite">
      {text.value}
    </p>
  );
}
