// The room Ease: which moves players of each level are expected to play in a position, and what the
// moves cost.
import * as labels from "../labels";
import { batch, computed, signal, useSignal, useSignalEffect, type Signal } from "@preact/signals";
import type { DrawShape } from "@lichess-org/chessground/draw";
import { useEffect, useMemo } from "preact/hooks";
import { api, Refusal } from "../api";
import { setAddress } from "../route";
import { status } from "../state";
import type { Ease, EaseLevel, EaseMove } from "../types";
import { Board, type Mark } from "../viewer/board";
import { humanArrows } from "../viewer/human-arrows";
import { after, positions, start, type At } from "../viewer/position";
import { evalText, notation, number, searchLimit, w, wordsOf } from "../words";
import { Axes, path, scale } from "./axes";
import "./ease.css";

const t = wordsOf({
  title: ["What would a player rated {0} play?", "Was würde ein Spieler mit Wertung {0} spielen?"],
  text: [
    "This page shows how likely players of each level are to find the right move. A network that has learned from people’s games predicts their moves, and an engine says what each move costs.",
    "Wie wahrscheinlich Spieler jeder Stärke den richtigen Zug finden: nach einem Netz, das aus Partien von Menschen gelernt hat, gewichtet mit dem, was jeder Zug laut Engine kostet.",
  ],
  fen: ["Position (FEN)", "Stellung (FEN)"],
  set: ["Set up", "Aufstellen"],
  badFen: ["This is not a FEN of a legal position.", "Das ist kein FEN einer legalen Stellung."],
  example: ["Try an example", "Ein Beispiel ansehen"],
  exampleText: ["Légal’s trap, 5. Nxe5: who takes the queen?", "Légals Falle, 5. Sxe5: Wer schlägt die Dame?"],
  startText: ["Make moves on the board, or set up a position.", "Ziehe auf dem Brett, oder stelle eine Stellung auf."],
  level: ["Level", "Spielstärke"],
  found: ["{0} of players rated {1} find a good move, and {2} of players rated {3}.", "Einen guten Zug finden {0} bei {1} und {2} bei {3}."],
  expectedFrom: ["A good move can be expected from {0} on.", "Zu erwarten ab {0}."],
  expectedAt: [
    "The levels give no order: a good move can be expected at {0}, and not at the other levels.",
    "Nach Stärke ungeordnet: zu erwarten bei {0}, bei den anderen nicht.",
  ],
  unclear: [
    "The levels give no order: no level can be expected to find a good move, and higher ones find it less often than lower ones.",
    "Nach Stärke ungeordnet: bei keiner zu erwarten, und höhere finden seltener einen guten Zug als niedrigere.",
  ],
  notExpected: ["Even players rated {0} cannot be expected to find a good move.", "Auch bei {0} nicht zu erwarten."],
  settled: ["No move is a mistake here.", "Hier ist kein Zug ein Fehler."],
  trap: ["The most tempting mistake is {0}: {1} of players rated {2} play it, and it costs {3}.", "Der verlockendste Fehler ist {0}: {1} spielen ihn bei {2}, und er kostet {3}."],
  lossAt: ["points lost here on average by players rated {0}", "Punkte verlieren Spieler mit Wertung {0} hier im Mittel"],
  easeText: ["ease {0} (1 is easiest, 0 is hardest)", "Leichtigkeit {0} (1 ist am leichtesten, 0 am schwersten)"],
  easeLine: ["Ease (0 to 1)", "Leichtigkeit (0 bis 1)"],
  graph: ["Ease and good moves by level", "Leichtigkeit und gute Züge nach Spielstärke"],
  good: ["Finds a good move", "Findet einen guten Zug"],
  best: ["Plays the best move", "Spielt den besten Zug"],
  moves: labels.mv,
  costs: ["Costs", "Kostet"],
  nothing: ["–", "–"],
  sharper: ["{0}, {1}; a longer search is under way …", "{0}, {1}; eine längere Suche läuft …"],
  by: ["{0}, {1}", "{0}, {1}"],
  madeUp: ["This position was set up without its game: the network guesses the earlier moves, so its answer may differ from that in the game.", "Diese Stellung wurde ohne ihre Partie aufgestellt: Das Netz errät die früheren Züge, seine Antwort kann also von der in der Partie abweichen."],
  back: ["Take back", "Zurücknehmen"],
  points: ["{0} of a point", "{0} Punkte"],
});

const EXAMPLE = "e2e4,e7e5,g1f3,d7d6,f1c4,c8g4,b1c3,g7g6,f3e5";
/** Nodes of the first search, whose answer comes soon. The second search has the server's limit. */
const QUICK = 50_000;
/**
 * Milliseconds that a position must stay on the board before a request. Otherwise each position that
 * the user steps through would start one.
 */
const PAUSE = 150;
/** The levels that the network in the program imitates. */
const [LOWEST, HIGHEST] = [600, 2200];
const [WIDTH, HEIGHT] = [420, 220];

/** Ease with two decimals. */
const easeNumber = (ease: number) => number(ease, 2);
const percent = (share: number) => `${number(100 * share, 0)} %`;

/** The position on the board, the answer about it, and the selected level. */
class Desk {
  readonly fen = signal("");
  readonly moves = signal<string[]>([]);
  readonly level = signal(1500);
  readonly flipped = signal(false);
  readonly answer = signal<Ease | null>(null);
  readonly isBusy = signal(false);
  readonly problem = signal<Refusal | null>(null);
  readonly line = computed<At[]>(() => positions(this.fen.value, this.moves.value));
  readonly at = computed<At | null>(() => this.line.value[this.line.value.length - 1] ?? null);
  /** Whether the user has not set up a position or made a move. No request is sent then. */
  readonly isUntouched = computed(() => this.fen.value === "" && this.moves.value.length === 0);
  readonly shown = computed<EaseLevel | null>(() => this.answer.value?.levels.find((level) => level.level === this.level.value) ?? null);

  constructor() {
    const given = new URLSearchParams(location.search);
    this.fen.value = given.get("fen") ?? "";
    this.moves.value = given.get("moves")?.split(",").filter(Boolean) ?? [];
    const level = Number(given.get("at") ?? 1500);
    this.level.value = Number.isFinite(level) ? Math.min(Math.max(100 * Math.round(level / 100), LOWEST), HIGHEST) : 1500;
    this.flipped.value = this.at.peek()?.chess.turn === "black";
  }

  write(): void {
    const parts = [
      this.fen.value && `fen=${encodeURIComponent(this.fen.value)}`,
      this.moves.value.length > 0 && `moves=${this.moves.value.join(",")}`,
      this.level.value !== 1500 && `at=${this.level.value}`,
    ].filter(Boolean);
    setAddress(`/ease${parts.length ? `?${parts.join("&")}` : ""}`);
  }

  set(fen: string, moves: string[]): void {
    batch(() => {
      this.fen.value = fen;
      this.moves.value = moves;
      this.flipped.value = this.at.peek()?.chess.turn === "black";
    });
  }

  play(uci: string): void {
    if (this.at.peek() && after(this.at.peek()!, uci)) this.moves.value = [...this.moves.peek(), uci];
  }

  /** Requests a quick answer about the position, then one with the server's limit. `signal` cancels both. */
  async ask(signal: AbortSignal): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve, PAUSE));
    const wanted = { fen: this.fen.peek() || start("").fen, chess960: false, moves: this.moves.peek() };
    const nodes = Number(/^(\d+) nodes$/.exec(status.peek()?.limit ?? "")?.[1] ?? 0);
    const limits = nodes > QUICK ? [`${QUICK} nodes`, undefined] : [undefined];
    for (const limit of limits) {
      if (signal.aborted) return;
      this.isBusy.value = true;
      try {
        const answer = await api.ease({ ...wanted, limit }, signal);
        batch(() => {
          this.answer.value = answer;
          this.isBusy.value = limit !== undefined;
          this.problem.value = null;
        });
      } catch (error) {
        if (signal.aborted) return;
        if (!(error instanceof Refusal)) throw error;
        batch(() => {
          this.isBusy.value = false;
          this.answer.value = null;
          this.problem.value = error;
        });
        return;
      }
    }
  }
}

export function EaseRoom() {
  const desk = useMemo(() => new Desk(), []);
  useSignalEffect(() => {
    desk.write();
    document.title = `${t("title", desk.level.value)} · Centipawn`;
  });
  useSignalEffect(() => {
    void desk.fen.value;
    void desk.moves.value;
    const isKnown = status.value !== null;
    desk.problem.value = null;
    desk.answer.value = null;
    desk.isBusy.value = false;
    if (desk.isUntouched.value || !isKnown) return;
    const asking = new AbortController();
    desk.isBusy.value = true;
    void desk.ask(asking.signal);
    return () => asking.abort();
  });
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const target = event.target as HTMLElement;
      if (event.ctrlKey || event.metaKey || event.altKey || target.closest("input, textarea, select, [role=grid]")) return;
      if (event.key === "ArrowLeft") desk.moves.value = desk.moves.peek().slice(0, -1);
      else if (event.key === "f") desk.flipped.value = !desk.flipped.peek();
      else return;
      event.preventDefault();
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, []);
  const arrows = useMemo(() => computed<DrawShape[]>(() => (desk.shown.value ? humanArrows(desk.shown.value) : [])), []);
  const mark = useMemo(() => signal<Mark | null>(null), []);
  return (
    <main id="main" class="easy">
      <h1>{t("title", desk.level.value)}</h1>
      <p class="quiet lead">{t("text")}</p>
      <div class="desk">
        <section class="ease-board" aria-label={w("board")}>
          <Board at={desk.at} flipped={desk.flipped} arrows={arrows} mark={mark} chess960={false} onMove={(uci) => desk.play(uci)} />
          <p class="buttons">
            <button type="button" disabled={desk.moves.value.length === 0} onClick={() => (desk.moves.value = desk.moves.peek().slice(0, -1))}>
              {t("back")}
            </button>
            <button type="button" onClick={() => (desk.flipped.value = !desk.flipped.peek())}>{w("flip")}</button>
          </p>
          <SetUp desk={desk} />
        </section>
        <section class="ease-answer" aria-busy={desk.isBusy.value}>
          <Level level={desk.level} />
          {desk.problem.value && (
            <div class="problem" role="alert">
              <p>{desk.problem.value.message}</p>
              <p class="quiet">{desk.problem.value.hint}</p>
            </div>
          )}
          {desk.isUntouched.value && (
            <div class="empty">
              <p>{t("startText")}</p>
              <button type="button" class="main" onClick={() => desk.set("", EXAMPLE.split(","))}>{t("example")}</button>
              <p class="quiet">{t("exampleText")}</p>
            </div>
          )}
          {desk.isBusy.value && !desk.answer.value && <p class="quiet">{w("wait")}</p>}
          {desk.answer.value && desk.shown.value && <Judgement desk={desk} answer={desk.answer.value} shown={desk.shown.value} />}
        </section>
      </div>
    </main>
  );
}

function Level({ level }: { level: Signal<number> }) {
  return (
    <label class="level">
      <span>{t("level")}</span>
      <b class="value">{level.value}</b>
      <input type="range" min={LOWEST} max={HIGHEST} step="100" value={level.value} onInput={(event) => (level.value = event.currentTarget.valueAsNumber)} />
    </label>
  );
}

function SetUp({ desk }: { desk: Desk }) {
  const typed = useSignal<string | null>(null);
  const isBad = useSignal(false);
  return (
    <form
      class="set-up"
      onSubmit={(event) => {
        event.preventDefault();
        const fen = (typed.peek() ?? "").trim();
        // The board shows the start position if it cannot read the FEN, so compare the positions.
        isBad.value = fen === "" || start(fen).fen.split(" ")[0] !== fen.split(" ")[0];
        if (!isBad.peek()) {
          desk.set(fen, []);
          typed.value = null;
        }
      }}
    >
      <label>
        {t("fen")}
        <input type="text" spellcheck={false} value={typed.value ?? desk.at.value?.fen ?? ""} onInput={(event) => (typed.value = event.currentTarget.value)} />
      </label>
      <button type="submit" disabled={typed.value === null}>{t("set")}</button>
      {isBad.value && <p class="problem" role="alert">{t("badFen")}</p>}
    </form>
  );
}

/** The levels at which a good move can be expected: from one level on, or a list of them. */
function expected(answer: Ease, highest: number): string {
  if (answer.found_from !== null) return t("expectedFrom", answer.found_from);
  if (answer.found_at.length > 0) return t("expectedAt", answer.found_at.join(", "));
  return answer.is_unclear ? t("unclear") : t("notExpected", highest);
}

function Judgement({ desk, answer, shown }: { desk: Desk; answer: Ease; shown: EaseLevel }) {
  const [first, last] = [answer.levels[0]!, answer.levels[answer.levels.length - 1]!];
  const trap = shown.moves.find((move) => move.uci === shown.trap);
  const isSettled = shown.moves.every((move) => move.score_loss === 0);
  return (
    <>
      <p class="big" role="status">
        {number(shown.expected_loss, 2)}
        <span class="quiet">{`${t("lossAt", shown.level)}${shown.ease === null ? "" : `; ${t("easeText", easeNumber(shown.ease))}`}`}</span>
      </p>
      {isSettled ? (
        <p>{t("settled")}</p>
      ) : (
        <p>
          {t("found", percent(answer.finds[0]!), first.level, percent(answer.finds[answer.finds.length - 1]!), last.level)}{" "}
          {expected(answer, last.level)}{" "}
          {trap && t("trap", notation(trap.san), percent(trap.p), shown.level, t("points", number(trap.score_loss, 2)))}
        </p>
      )}
      <ByLevel desk={desk} answer={answer} />
      <MoveTable desk={desk} answer={answer} shown={shown} />
      <p class="quiet">
        {t(desk.isBusy.value ? "sharper" : "by", answer.engine, searchLimit(answer.limit))}
        {shown.history_made_up > 0 && desk.fen.value && ` · ${t("madeUp")}`}
      </p>
    </>
  );
}

/** A graph of ease, good moves and the best move by level. The selected level is marked. */
function ByLevel({ desk, answer }: { desk: Desk; answer: Ease }) {
  const x = scale(LOWEST, HIGHEST, 0, WIDTH);
  const y = scale(0, 1, HEIGHT, 0);
  const best = answer.levels.map((level) => level.moves.find((move) => move.uci === answer.best)?.p ?? null);
  const lines: [string, "easeLine" | "good" | "best", (number | null)[]][] = [
    ["ease-line", "easeLine", answer.levels.map((level) => level.ease)],
    ["good-line", "good", answer.finds],
    ...(best.every((share) => share !== null) ? [["best-line", "best", best] as [string, "best", (number | null)[]]] : []),
  ];
  const read = lines.map(([, word, values]) => `${t(word)}: ${answer.levels.map((level, index) => `${level.level} ${word === "easeLine" ? easeNumber(values[index] ?? 0) : percent(values[index] ?? 0)}`).join(", ")}`);
  return (
    <figure>
      <figcaption>{t("graph")}</figcaption>
      <svg class="drawing" viewBox={`-48 -12 ${WIDTH + 60} ${HEIGHT + 58}`} role="img" aria-label={read.join("; ")}>
        <Axes
          x={x}
          y={y}
          width={WIDTH}
          height={HEIGHT}
          xs={answer.levels.filter(({ level }) => level % 400 === 200).map(({ level }) => [level, String(level)])}
          ys={[0, 0.25, 0.5, 0.75, 1].map((at) => [at, percent(at)])}
          xName={t("level")}
          yName=""
        />
        <line class="here" x1={x(desk.level.value)} x2={x(desk.level.value)} y2={HEIGHT} />
        {lines.map(([name, , values]) => (
          <path class={`plot ${name}`} d={path(answer.levels.map((level, index): [number, number] => [x(level.level), y(values[index] ?? 0)]))} />
        ))}
        {lines.map(([name, , values]) => {
          const index = answer.levels.findIndex((level) => level.level === desk.level.value);
          return <circle class={`here ${name}`} cx={x(desk.level.value)} cy={y(values[index] ?? 0)} r="5" />;
        })}
      </svg>
      <ul class="legend" aria-hidden="true">
        {lines.map(([name, word]) => (
          <li>
            <svg viewBox="0 0 28 10"><line class={`plot ${name}`} x2="28" y1="5" y2="5" /></svg> {t(word)}
          </li>
        ))}
      </ul>
    </figure>
  );
}

/** A table of the likeliest moves: their probability at each level, and the points they cost. */
function MoveTable({ desk, answer, shown }: { desk: Desk; answer: Ease; shown: EaseLevel }) {
  const columns = [...new Set([1100, shown.level, 1900])].sort((a, b) => a - b).filter((level) => answer.levels.some((other) => other.level === level));
  const share = (level: number, uci: string) => answer.levels.find((other) => other.level === level)?.moves.find((move) => move.uci === uci)?.p;
  const cost = (move: EaseMove) => (move.score_loss >= 0.1 ? "mistake" : move.score_loss >= 0.05 ? "dubious" : "good");
  const turn = desk.at.value?.chess.turn;
  return (
    <table class="likely">
      <thead>
        <tr>
          <th scope="col">{t("moves")}</th>
          {columns.map((level) => (
            <th scope="col" class={level === shown.level ? "chosen" : ""}>{level}</th>
          ))}
          <th scope="col">{w("evaluation")}</th>
          <th scope="col">{t("costs")}</th>
        </tr>
      </thead>
      <tbody>
        {shown.moves.slice(0, 8).map((move) => (
          <tr>
            <th scope="row">
              <button type="button" class="plain" onClick={() => desk.play(move.uci)}>{notation(move.san)}</button>
              {move.uci === answer.best && <b class="good" title={w("best")}> ✓</b>}
            </th>
            {columns.map((level) => {
              const p = share(level, move.uci);
              return <td class={level === shown.level ? "chosen" : ""}>{p === undefined ? t("nothing") : percent(p)}</td>;
            })}
            <td>{move.mover_eval ? evalText(turned(move.mover_eval, turn === "black")) : t("nothing")}</td>
            <td class={cost(move)}>{move.score_loss >= 0.005 ? number(move.score_loss, 2) : t("nothing")}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Converts an evaluation of the mover to White's view, which all of the page uses. */
const turned = (eval_: NonNullable<EaseMove["mover_eval"]>, isBlack: boolean) =>
  !isBlack ? eval_ : "mate" in eval_ ? { mate: -eval_.mate } : { cp: -eval_.cp };
