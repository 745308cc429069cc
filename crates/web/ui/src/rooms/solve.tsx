// A puzzle on the board. The server judges each move by the tree of the solution. Wrong moves are
// refuted on the board.
import { batch, computed, signal, useSignal, type Signal } from "@preact/signals";
import type { DrawShape } from "@lichess-org/chessground/draw";
import { useEffect, useMemo } from "preact/hooks";
import { api, Refusal } from "../api";
import { onEvent } from "../events";
import { go } from "../route";
import { setting } from "../state";
import type { Posed, Solution } from "../types";
import { Board, type Mark } from "../viewer/board";
import { after, moveOf, start, type At, type Key } from "../viewer/position";
import { playOut, refutation } from "../viewer/refute";
import { evalText, halfMoves, isolated, lineText, notation, number, numbered, w } from "../words";
import { address, wishes } from "./puzzle-address";
import { PuzzleEditor } from "./puzzle-edit";
import { t } from "./puzzle-words";
import { themeWord } from "./theme-words";

const repeatsMissed = setting<string>("repeat-missed", "");

type State = "ask" | "wait" | "solved" | "shown";

/** The lesson that a puzzle is a part of. */
export interface PartOfLesson {
  /** Whether positions without a solution occur in the lesson. The page must not tell them apart. */
  readonly hasDecoys: boolean;
  /** Takes the result, with the puzzle as it is repeated now. */
  done(mistakes: number, hints: number, isShown: boolean, puzzle: Posed): void;
  next(): void;
}

/** The heading above the task in each state. */
const TURNS = { ask: "toMove", wait: "toMove", solved: "isSolved", shown: "isShown" } as const;

export class Run {
  readonly puzzle = signal<Posed | null>(null);
  readonly problem = signal<Refusal | null>(null);
  readonly at = signal<At | null>(null);
  readonly flipped = signal(false);
  readonly state = signal<State>("wait");
  readonly said = signal("");
  readonly kind = signal<"" | "right" | "wrong">("");
  readonly solution = signal<Solution | null>(null);
  readonly hintSquares = signal<Key[]>([]);
  /** Number of moves of the solution on the board, after the puzzle has ended. */
  readonly place = signal(0);
  /** Whether the refutation of a wrong move is being shown. */
  readonly refuting = signal(false);
  /** Identifies the running animation. A change makes earlier ones stop. */
  private playing = 0;
  private step = 0;
  private mistakes = 0;
  private hints = 0;
  private isClosed = false;
  /** Whether a request is running. Other actions are then ignored. */
  private isAsking = false;
  /** The position in which the solver must move. */
  private here: At | null = null;
  private moves: string[] = [];

  constructor(
    readonly id: number,
    private readonly lesson?: PartOfLesson,
  ) {
    void this.load();
  }

  close(): void {
    this.isClosed = true;
  }

  async load(): Promise<void> {
    try {
      const puzzle = await api.puzzle(this.id);
      const before = start(puzzle.fen);
      const next = after(before, puzzle.first.uci);
      batch(() => {
        this.puzzle.value = puzzle;
        this.problem.value = null;
        this.solution.value = null;
        this.flipped.value = puzzle.solver === "black";
        this.at.value = before;
        this.hintSquares.value = [];
      });
      [this.step, this.mistakes, this.hints, this.moves] = [0, 0, 0, [puzzle.first.uci]];
      // Show the opponent's move as a move, after a short time in the position before it.
      await pause(350);
      if (this.isClosed || !next) return;
      this.here = next.at;
      batch(() => {
        this.at.value = next.at;
        this.state.value = "ask";
        this.kind.value = "";
        const other = w(puzzle.solver === "white" ? "black" : "white");
        this.said.value = this.lesson?.hasDecoys ? t("isThere") : puzzle.mistake ? t("instead", notation(puzzle.mistake)) : t("find_", other, notation(puzzle.first.san));
      });
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      this.problem.value = error;
    }
  }

  /** Loads the puzzle and its solution again after a change, and stays at the solution. */
  async reload(): Promise<void> {
    const [puzzle, solution] = await Promise.all([api.puzzle(this.id), api.solution(this.id)]);
    batch(() => {
      this.puzzle.value = puzzle;
      this.solution.value = solution;
      if (this.state.peek() === "shown") this.said.value = t("shown", solution.line.slice(1).map((move) => notation(move.san)).join(" "));
    });
    this.toPlace(Math.min(this.place.peek(), solution.line.length));
  }

  async tried(uci: string): Promise<void> {
    const [here, puzzle] = [this.here, this.puzzle.peek()];
    const next = here && after(here, uci);
    if (!next || !puzzle || this.state.peek() !== "ask" || this.isAsking) return;
    batch(() => {
      this.at.value = next.at;
      this.state.value = "wait";
      this.said.value = t("wait");
      this.kind.value = "";
      this.hintSquares.value = [];
    });
    try {
      const { result, san, instead_of, reply } = await api.answer(this.id, this.step, uci);
      if (this.isClosed) return;
      const other = w(puzzle.solver === "white" ? "black" : "white");
      const [played, instead] = [notation(san), instead_of && notation(instead_of)];
      if (result === "wrong") {
        this.mistakes++;
        await this.refute(uci, played);
      } else if (result === "right" && reply) {
        const next = notation(reply.san);
        await this.goOn(reply.uci, instead ? t("rightToo", played, instead, other, next) : t("right", played, other, next));
      } else {
        const text = this.mistakes > 0 ? t("afterMistakes", this.mistakes, played) : instead ? t("solvedToo", played, instead) : t("solved", played);
        await this.end("solved", text);
      }
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      batch(() => {
        this.at.value = here;
        this.state.value = "ask";
        this.said.value = error.message;
        this.kind.value = "wrong";
      });
    }
  }

  /** Shows the engine's line after a wrong move, then takes the wrong move back. */
  private async refute(uci: string, san: string): Promise<void> {
    const puzzle = this.puzzle.peek()!;
    const tried = this.at.peek()!;
    const line = await refutation({ fen: puzzle.fen, chess960: false, moves: [...this.moves, uci] });
    if (this.isClosed) return;
    const half = halfMoves(puzzle.fen) + this.moves.length + 1;
    batch(() => {
      this.said.value = line ? t("refuted", san, `${lineText(half, line.san)} (${evalText(line.eval)})`) : t("wrong", san);
      this.kind.value = "wrong";
    });
    this.refuting.value = true;
    const turn = ++this.playing;
    const isOver = () => this.isClosed || turn !== this.playing;
    await playOut(tried, line?.uci ?? [], (at) => (this.at.value = at), isOver);
    if (!isOver()) this.takeBack();
  }

  /** Takes a wrong move back. Stops a refutation that is being shown. */
  takeBack(): void {
    if (!this.refuting.peek()) return;
    this.playing++;
    batch(() => {
      this.refuting.value = false;
      this.at.value = this.here;
      this.state.value = "ask";
    });
  }

  /**
   * Shows the opponent's reply. If the solver played another correct move, the move of the solution
   * replaces it, because the reply belongs to it.
   */
  private async goOn(reply: string, text: string): Promise<void> {
    const solution = await api.solution(this.id);
    const own = solution.line[2 * this.step + 1]!.uci;
    const stood = after(this.here!, own)!;
    this.at.value = stood.at;
    await pause(350);
    if (this.isClosed) return;
    const next = after(stood.at, reply)!;
    this.moves.push(own, reply);
    this.step++;
    this.here = next.at;
    batch(() => {
      this.at.value = next.at;
      this.state.value = "ask";
      this.said.value = text;
      this.kind.value = "right";
    });
  }

  /** Runs an action that needs the server, one at a time. Errors of the server are shown. */
  async asking(work: () => Promise<void>): Promise<void> {
    if (this.isAsking) return;
    this.isAsking = true;
    try {
      await work();
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      batch(() => {
        this.said.value = error.text;
        this.kind.value = "wrong";
      });
    } finally {
      this.isAsking = false;
    }
  }

  /** Shows the next hint: the piece, then its target, then the solution. */
  async hint(): Promise<void> {
    if (this.state.peek() !== "ask") return;
    const solution = await api.solution(this.id);
    const seen = this.hintSquares.peek().length;
    if (seen === 2) return this.reveal(solution);
    const move = solution.line[2 * this.step + 1]!;
    const [from, to] = [move.uci.slice(0, 2) as Key, move.uci.slice(2, 4) as Key];
    this.hints++;
    const role = this.here?.chess.board.get(squareOf(from))?.role ?? "pawn";
    if (seen === 0) {
      this.hintSquares.value = [from];
      this.said.value = t("hintPiece", w(role), from);
    } else {
      this.hintSquares.value = [from, to];
      this.said.value = t("hintTarget", w(role), from, to);
    }
    this.kind.value = "";
  }

  /** The answer that nothing is to be won here, which is wrong for every puzzle. */
  nothing(): void {
    if (this.state.peek() !== "ask") return;
    this.mistakes++;
    batch(() => {
      this.said.value = t("something");
      this.kind.value = "wrong";
    });
  }

  async show(): Promise<void> {
    if (this.state.peek() === "ask") await this.reveal(await api.solution(this.id));
  }

  private reveal(solution: Solution): Promise<void> {
    return this.end("shown", t("shown", solution.line.slice(2 * this.step + 1).map((move) => notation(move.san)).join(" ")));
  }

  private async end(state: "solved" | "shown", text: string): Promise<void> {
    // Showing the solution counts as a hint.
    const [mistakes, hints] = [this.mistakes, this.hints + (state === "shown" ? 1 : 0)];
    // What a lesson asks comes back.
    const repeat = this.lesson !== undefined || (repeatsMissed.get() === "on" && mistakes + hints > 0);
    const shown = state === "shown";
    const [solution, puzzle] = await Promise.all([api.solution(this.id), api.attempt(this.id, { mistakes, hints, shown, repeat })]);
    this.lesson?.done(mistakes, hints, shown, puzzle);
    batch(() => {
      this.solution.value = solution;
      this.puzzle.value = puzzle;
      this.state.value = state;
      this.said.value = text;
      this.kind.value = state === "solved" ? "right" : "";
      this.hintSquares.value = [];
    });
    this.toPlace(solution.line.length);
  }

  /** After the end, shows the position after so many moves of the solution. */
  toPlace(place: number): void {
    const [solution, puzzle] = [this.solution.peek(), this.puzzle.peek()];
    if (!solution || !puzzle) return;
    const wanted = Math.min(Math.max(place, 0), solution.line.length);
    let at = start(puzzle.fen);
    for (const move of solution.line.slice(0, wanted)) at = after(at, move.uci)?.at ?? at;
    batch(() => {
      this.place.value = wanted;
      this.at.value = at;
    });
  }
}

const pause = (time: number) => new Promise((resolve) => setTimeout(resolve, time));
const squareOf = (key: Key) => key.charCodeAt(0) - 97 + 8 * (Number(key[1]) - 1);

export function Solve({ id, lesson }: { id: number; lesson?: PartOfLesson }) {
  const run = useMemo(() => new Run(id, lesson), [id]);
  useEffect(() => {
    const stop = onEvent((event) => {
      if (event.event === "reload" && run.problem.peek()) void run.load();
    });
    return () => {
      stop();
      run.close();
    };
  }, [run]);
  useEffect(() => {
    if (!lesson) document.title = `${w("puzzles")} ${id} · Centipawn`;
    const onKey = (event: KeyboardEvent) => {
      const target = event.target as HTMLElement;
      if (event.ctrlKey || event.metaKey || event.altKey || target.closest("input, textarea, select, [role=grid]")) return;
      // Keys must not play moves or show the solution before the puzzle has ended.
      const isOver = run.state.peek() === "solved" || run.state.peek() === "shown";
      const steps: Record<string, number> = { ArrowLeft: -1, ArrowRight: 1 };
      if (isOver && event.key in steps) run.toPlace(run.place.peek() + steps[event.key]!);
      else if (event.key === "f") run.flipped.value = !run.flipped.peek();
      else return;
      event.preventDefault();
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, [run]);
  const arrows = useMemo(
    () =>
      computed<DrawShape[]>(() => {
        const [from, to] = run.hintSquares.value;
        return from ? [to ? { orig: from, dest: to, brush: "blue" } : { orig: from, brush: "blue" }] : [];
      }),
    [run],
  );
  const mark = useMemo(() => signal<Mark | null>(null), []);
  const puzzle = run.puzzle.value;
  if (run.problem.value) {
    const text = (
      <>
        <h1>{w("failedToLoad")}</h1>
        <p>{run.problem.value.message}</p>
        <p>{lesson ? <button type="button" onClick={lesson.next}>{t("next")}</button> : <a href="/puzzles">{t("all")}</a>}</p>
      </>
    );
    return lesson ? <div class="message">{text}</div> : <main id="main" class="message">{text}</main>;
  }
  if (!puzzle) return lesson ? <p aria-busy="true">{w("wait")}</p> : <main id="main" class="message" aria-busy="true">{w("wait")}</main>;
  // A puzzle must look like a decoy of the lesson until it is solved.
  const isSecret = lesson?.hasDecoys && TURNS[run.state.value] === "toMove";
  const content = (
    <>
      {!lesson && <h1 class="hidden">{`${w("puzzles")} ${id}`}</h1>}
      <section class="ease-board" aria-label={w("board")}>
        <Board at={run.at} flipped={run.flipped} arrows={arrows} mark={mark} chess960={false} onMove={(uci) => void run.tried(uci)} />
      </section>
      <section class="task">
        <p class="turn">
          <i class={puzzle.solver} aria-hidden="true" /> {t(TURNS[run.state.value], w(puzzle.solver))}
          {!isSecret && TURNS[run.state.value] === "toMove" && <span class="quiet">{t("movesToFind", puzzle.moves)}</span>}
        </p>
        <p class={`said ${run.kind.value}`} role="status">{run.said.value}</p>
        <Buttons run={run} lesson={lesson} />
        {(run.state.value === "solved" || run.state.value === "shown") && run.solution.value && <After run={run} solution={run.solution.value} lesson={lesson} />}
        {!isSecret && (
          <p class="quiet">
            {[rating(puzzle), <bdi>{puzzle.origin}</bdi>, !lesson && <a href={address(null, wishes())}>{t("all")}</a>]
              .filter((part) => part && (typeof part === "string" || part.type !== "bdi" || puzzle.origin))
              .map((part, index) => (
                <>
                  {index > 0 && " · "}
                  {part}
                </>
              ))}
          </p>
        )}
      </section>
    </>
  );
  return lesson ? <div class="solving">{content}</div> : <main id="main" class="solving">{content}</main>;
}

function rating(puzzle: Posed): string {
  if (puzzle.rating === null) return "";
  const range = puzzle.rating_interval;
  return range ? t("ratedBetween", puzzle.rating, range[0], range[1]) : t("rated", puzzle.rating);
}

function Buttons({ run, lesson }: { run: Run; lesson?: PartOfLesson }) {
  const isLast = useSignal(false);
  const state = run.state.value;
  const isOpen = state === "ask" || state === "wait";
  const next = async () => {
    const wanted = wishes();
    const { next } = await api.puzzles({ ...wanted, after: run.id });
    if (next === null) isLast.value = true;
    else go(address(next, wanted));
  };
  return (
    <>
      {isOpen && <Typed run={run} />}
      <p class="buttons">
        {run.refuting.value && (
          <button type="button" onClick={() => run.takeBack()}>{t("tryAgain")}</button>
        )}
        {isOpen && (
          <>
            {lesson?.hasDecoys && (
              <button type="button" disabled={state === "wait"} onClick={() => run.nothing()}>{t("nothingHere")}</button>
            )}
            <button type="button" disabled={state === "wait"} onClick={() => void run.asking(() => run.hint())}>{t("hint")}</button>
            <button type="button" disabled={state === "wait"} onClick={() => void run.asking(() => run.show())}>{t("show")}</button>
          </>
        )}
        {lesson
          ? !isOpen && <button type="button" class="main" onClick={lesson.next}>{t("next")}</button>
          : <button type="button" class={isOpen ? "" : "main"} onClick={() => void run.asking(next)}>{t("next")}</button>}
        {!isOpen && !lesson && <button type="button" onClick={() => void run.load()}>{t("solveAgain")}</button>}
      </p>
      {isLast.value && <p role="status">{t("noneLeft")}</p>}
      {isOpen && !lesson && <RepeatMissed />}
    </>
  );
}

/** A field in which the user can type moves. */
export function Typed({ run }: { run: { readonly at: { peek(): At | null }; takeBack?(): void; tried(uci: string): Promise<void> } }) {
  const text = useSignal("");
  const isBad = useSignal(false);
  const typed = (event: preact.TargetedInputEvent<HTMLInputElement>) => {
    text.value = event.currentTarget.value;
    isBad.value = false;
  };
  return (
    <form
      class="line typed"
      onSubmit={(event) => {
        event.preventDefault();
        // A refutation on the board ends, because the move belongs to the puzzle.
        run.takeBack?.();
        const at = run.at.peek();
        const uci = at && moveOf(at.chess, text.peek(), false);
        isBad.value = !uci;
        if (!uci) return;
        text.value = "";
        void run.tried(uci);
      }}
    >
      <label>
        {w("typeMove")}
        <input type="text" autocomplete="off" spellcheck={false} aria-invalid={isBad.value} value={text.value} onInput={typed} />
      </label>
      {isBad.value && <span class="quiet" role="alert">{`${text.value} ${w("notLegal")}`}</span>}
    </form>
  );
}

function RepeatMissed() {
  const isOn = useSignal(repeatsMissed.get() === "on");
  return (
    <label class="option">
      <input
        type="checkbox"
        checked={isOn.value}
        onChange={(event) => {
          isOn.value = event.currentTarget.checked;
          repeatsMissed.set(isOn.value ? "on" : "");
        }}
      />{" "}
      {t("repeatMissed")}
    </label>
  );
}

/** The players, the date and the move played, as far as they are known. */
function gameText(game: Solution["puzzle"]["game"]): string {
  if (!game?.white && !game?.black) return "";
  const players = `${isolated(game.white || "?")} – ${isolated(game.black || "?")}`;
  return [[players, game.date].filter(Boolean).join(", "), game.played && t("played", notation(game.played))].filter(Boolean).join(" ");
}

/**
 * Why the solution is right: the reason of the mistake in the game, or what the solution does by its
 * themes.
 */
function Why({ solution }: { solution: Solution }) {
  const { game } = solution.puzzle;
  const words = solution.motifs.map(themeWord).join(", ");
  if (solution.remark && game?.played) {
    return (
      <p class="reason">
        <strong>{t("inTheGame", `${notation(game.played)}${game.played_symbol ?? ""}`)}</strong> {solution.remark}
      </p>
    );
  }
  return words ? <p class="reason">{t("because", words)}</p> : null;
}

function After({ run, solution, lesson }: { run: Run; solution: Solution; lesson: PartOfLesson | undefined }) {
  const puzzle = run.puzzle.value!;
  const isRepeated: Signal<boolean> = useSignal(puzzle.repetition !== null);
  const due = run.puzzle.value?.repetition ?? null;
  const left = due ? (1000 * due.due - Date.now()) / 86_400_000 : 0;
  const proof = solution.puzzle.tree?.[0]?.answers.filter((answer) => answer.expected !== undefined) ?? [];
  const engine = solution.puzzle.provenance?.engine?.name;
  const game = gameText(solution.puzzle.game);
  return (
    <div class="after">
      <Why solution={solution} />
      <h2>{t("solution")}</h2>
      <p class="line-moves">
        {solution.line.map((move, index) => (
          <>
            <button type="button" class="plain" aria-current={run.place.value === index + 1 ? "true" : undefined} onClick={() => run.toPlace(index + 1)}>
              {numbered(halfMoves(puzzle.fen) + index, move.san, index === 0)}
            </button>{" "}
          </>
        ))}
      </p>
      {solution.also.map((others, index) => others.length > 0 && <p class="quiet">{t("also", notation(solution.line[2 * index + 1]?.san ?? ""), others.map(notation).join(", "))}</p>)}
      <label class="option">
        <input
          type="checkbox"
          checked={isRepeated.value}
          onChange={(event) => {
            const wanted = (isRepeated.value = event.currentTarget.checked);
            void run.asking(async () => {
              try {
                run.puzzle.value = await api.repeat(run.id, wanted);
              } catch (error) {
                isRepeated.value = !wanted;
                throw error;
              }
            });
          }}
        />{" "}
        {t("repeat")} {due && <span class="quiet due">· {left <= 0 ? t("dueNow") : t("dueIn", Math.max(Math.round(left), 1))}</span>}
      </label>
      <dl>
        {solution.motifs.length > 0 && (
          <>
            <dt>{t("themes")}</dt>
            <dd>{solution.motifs.map(themeWord).join(", ")}</dd>
          </>
        )}
        {game && (
          <>
            <dt>{t("fromGame")}</dt>
            <dd>
              {game}{" "}
              {solution.review !== null && solution.ply !== null && <a href={`/review/${solution.review}#ply=${solution.ply + 1}`}>{t("openReview")}</a>}
            </dd>
          </>
        )}
        {solution.puzzle.url?.startsWith("https://") && (
          <>
            <dt>URL</dt>
            <dd>{solution.puzzle.url}</dd>
          </>
        )}
        {proof.length > 0 && (
          <>
            <dt>{t("engineProof")}</dt>
            <dd>{`${proof.map((answer) => `${notation(answer.move)} ${number(answer.expected ?? 0, 2)}`).join("; ")}${engine ? ` (${engine})` : ""}`}</dd>
          </>
        )}
      </dl>
      {!lesson && <PuzzleEditor puzzle={puzzle} solution={solution} changed={() => run.reload()} />}
    </div>
  );
}
