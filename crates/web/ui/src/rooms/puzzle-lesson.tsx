// A lesson: puzzles and decoys one after the other, with a count, and a summary at the end. The
// address has the topic. The sitting is kept in the browser, so that it continues after a reload.
import { batch, signal } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { api, Refusal } from "../api";
import { setting } from "../state";
import type { LessonItem, LessonWanted, Posed, Sitting } from "../types";
import { Board, type Mark } from "../viewer/board";
import { after, start, type At } from "../viewer/position";
import { playOut, refutation } from "../viewer/refute";
import { evalText, halfMoves, lineText, notation, number, w } from "../words";
import { dayOf, isUnfinished, keep, keptOf, seconds, type Kept, type Result } from "./lesson-progress";
import { address, exported, worksheet } from "./puzzle-address";
import { t } from "./puzzle-words";
import { Solve, Typed } from "./solve";

type Decoy = NonNullable<LessonItem["decoy"]>;

const decoysChosen = setting<string>("decoys", "on");

export const isLesson = (): boolean => location.pathname.endsWith("/puzzles/lesson");

/** The request of the address. */
function wanted(): LessonWanted {
  const given = new URLSearchParams(location.search);
  const text = (name: string) => given.get(name) ?? undefined;
  const [player, kind, cause] = [text("player") ?? "", text("kind") ?? "", text("cause") ?? ""];
  const puzzles = { theme: text("theme"), rating: text("rating"), origin: text("origin"), due: given.has("due") || undefined, only: text("only")?.split(",").map(Number) };
  return cause ? { player, kind, cause } : { puzzles };
}

class Lesson {
  readonly kept = signal<Kept | null>(null);
  readonly problem = signal<Refusal | null>(null);
  /** The answer of the server, if nothing is due. */
  readonly rest = signal<Sitting | null>(null);
  readonly hasDecoys = signal(decoysChosen.get() === "on");
  private readonly query = location.search;

  constructor() {
    const kept = keptOf(this.query);
    if (kept && isUnfinished(kept)) this.kept.value = kept;
    else void this.load(false);
  }

  private set(change: Partial<Kept>): void {
    const kept = this.kept.peek();
    if (!kept) return;
    this.kept.value = { ...kept, ...change };
    keep(this.query, this.kept.peek());
  }

  /** Asks for a sitting. With `again`, puzzles that are not due are asked, too. */
  async load(again: boolean): Promise<void> {
    this.problem.value = null;
    try {
      const sitting = await api.lesson({ ...wanted(), decoys: this.hasDecoys.peek(), again });
      batch(() => {
        const isEmpty = sitting.items.length === 0;
        this.rest.value = isEmpty ? sitting : null;
        this.kept.value = isEmpty ? null : { items: sitting.items, waiting: sitting.waiting, index: 0, results: {}, at: seconds() };
        // A sitting that is over stays, because the room “Me” knows from it when the next one is due.
        this.set({});
      });
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      this.problem.value = error;
    }
  }

  done(result: Result): void {
    const kept = this.kept.peek();
    // The first answer counts, also after a reload of the page.
    if (kept && !kept.results[kept.index]) this.set({ results: { ...kept.results, [kept.index]: result } });
  }

  next(): void {
    const kept = this.kept.peek();
    if (kept) this.set({ index: kept.index + 1 });
  }

  /** Chooses whether decoys are mixed in, and begins again. */
  setDecoys(isOn: boolean): void {
    decoysChosen.set(isOn ? "on" : "off");
    this.hasDecoys.value = isOn;
    void this.load(false);
  }
}

export function LessonRoom() {
  const lesson = useMemo(() => new Lesson(), []);
  useEffect(() => {
    document.title = `${t("lesson")} · Centipawn`;
  }, []);
  const { value: kept } = lesson.kept;
  const { value: problem } = lesson.problem;
  if (problem) {
    return (
      <main id="main" class="message">
        <h1>{w("failedToLoad")}</h1>
        <p>{problem.text}</p>
        <p>
          <a href="/puzzles">{t("all")}</a>
        </p>
      </main>
    );
  }
  if (lesson.rest.value) return <Resting lesson={lesson} sitting={lesson.rest.value} />;
  if (!kept) return <main id="main" class="message" aria-busy="true">{w("wait")}</main>;
  if (kept.index >= kept.items.length) return <Summary lesson={lesson} kept={kept} />;
  const item = kept.items[kept.index]!;
  const key = `${kept.at} ${kept.index}`;
  const part = {
    hasDecoys: kept.items.some(({ decoy }) => decoy !== null),
    done: (mistakes: number, hints: number, isShown: boolean, puzzle: Posed) => lesson.done({ mistakes, hints, isShown, due: puzzle.repetition?.due ?? null }),
    next: () => lesson.next(),
  };
  return (
    <main id="main" class="lesson">
      <header class="count">
        <h1>{t("lesson")}</h1>
        <p>{t("ofCount", kept.index + 1, kept.items.length)}</p>
        <ol class="steps" aria-hidden="true">
          {kept.items.map((_, index) => (
            <li class={`${lookOf(kept.results[index])} ${index === kept.index ? "here" : ""}`} />
          ))}
        </ol>
      </header>
      {item.decoy ? <DecoyTask key={key} decoy={item.decoy} lesson={lesson} /> : <Solve key={key} id={item.puzzle!} lesson={part} />}
      {kept.index === 0 && !kept.results[0] && (
        <label class="option decoys">
          <input type="checkbox" checked={lesson.hasDecoys.value} onChange={(event) => lesson.setDecoys(event.currentTarget.checked)} /> {t("withDecoys")}
        </label>
      )}
    </main>
  );
}

/** Whether an answer was right at the first try, with help, or wrong. */
const lookOf = (result: Result | undefined): "" | "first" | "hint" | "wrong" =>
  !result ? "" : result.mistakes > 0 || result.isShown ? "wrong" : result.hints > 0 ? "hint" : "first";

const pause = (time: number) => new Promise((resolve) => setTimeout(resolve, time));

/** A decoy on the board. */
class DecoyRun {
  readonly at = signal<At | null>(null);
  readonly flipped;
  readonly state = signal<"ask" | "wait" | "over">("wait");
  readonly said = signal("");
  readonly kind = signal<"" | "right" | "wrong">("");
  private here: At | null = null;
  private isClosed = false;

  constructor(
    private readonly decoy: Decoy,
    private readonly done: (mistakes: number, hints: number, isShown: boolean) => void,
  ) {
    this.flipped = signal(decoy.solver === "black");
    void this.pose();
  }

  close(): void {
    this.isClosed = true;
  }

  private async pose(): Promise<void> {
    const before = start(this.decoy.fen);
    this.at.value = before;
    // The opponent's move is shown as a move, as for a puzzle.
    await pause(350);
    if (this.isClosed) return;
    this.here = after(before, this.decoy.first.uci)?.at ?? before;
    batch(() => {
      this.at.value = this.here;
      this.state.value = "ask";
      this.said.value = t("isThere");
    });
  }

  nothing(): void {
    this.end(t("nothingRight"));
  }

  /** There is no hint to a decoy, so asking for one or for the solution shows what it is. */
  reveal(isShown: boolean): void {
    this.end(t("nothingToFind"), 0, 1, isShown);
  }

  async tried(uci: string): Promise<void> {
    const next = this.here && after(this.here, uci);
    if (!next || this.state.peek() !== "ask") return;
    const { fen, chess960, first, review } = this.decoy;
    const path = { fen, chess960, moves: [first.uci, uci] };
    batch(() => {
      this.at.value = next.at;
      this.state.value = "wait";
      this.said.value = w("judging");
    });
    try {
      const { ply } = await api.move({ ...path, review });
      if (this.isClosed) return;
      if (!["?!", "?", "??"].includes(ply.symbol ?? "")) return this.end(t("quietMove", notation(ply.san)));
      const line = await refutation(path);
      if (this.isClosed) return;
      const refuted = line ? ` ${lineText(halfMoves(fen) + 2, line.san)} (${evalText(line.eval)})` : "";
      this.end(t("loses", notation(ply.san), number(ply.score_loss, 2)) + refuted, 1);
      await playOut(next.at, line?.uci ?? [], (at) => (this.at.value = at), () => this.isClosed);
      this.at.value = this.here;
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      batch(() => {
        this.at.value = this.here;
        this.state.value = "ask";
        this.said.value = error.text;
        this.kind.value = "wrong";
      });
    }
  }

  private end(text: string, mistakes = 0, hints = 0, isShown = false): void {
    batch(() => {
      this.state.value = "over";
      this.said.value = text;
      this.kind.value = mistakes > 0 ? "wrong" : hints > 0 ? "" : "right";
    });
    this.done(mistakes, hints, isShown);
  }
}

function DecoyTask({ decoy, lesson }: { decoy: Decoy; lesson: Lesson }) {
  const run = useMemo(() => new DecoyRun(decoy, (mistakes, hints, isShown) => lesson.done({ mistakes, hints, isShown, due: null })), []);
  useEffect(() => () => run.close(), []);
  const [arrows, mark] = useMemo(() => [signal([]), signal<Mark | null>(null)] as const, []);
  const state = run.state.value;
  return (
    <div class="solving">
      <section class="ease-board" aria-label={w("board")}>
        <Board at={run.at} flipped={run.flipped} arrows={arrows} mark={mark} chess960={decoy.chess960} onMove={(uci) => void run.tried(uci)} />
      </section>
      <section class="task">
        <p class="turn">
          <i class={decoy.solver} aria-hidden="true" /> {t("toMove", w(decoy.solver))}
        </p>
        <p class={`said ${run.kind.value}`} role="status">{run.said.value}</p>
        {state !== "over" && <Typed run={run} />}
        <p class="buttons">
          {state === "over" ? (
            <button type="button" class="main" onClick={() => lesson.next()}>{t("next")}</button>
          ) : (
            // The same controls as of a puzzle.
            <>
              <button type="button" disabled={state === "wait"} onClick={() => run.nothing()}>{t("nothingHere")}</button>
              <button type="button" disabled={state === "wait"} onClick={() => run.reveal(false)}>{t("hint")}</button>
              <button type="button" disabled={state === "wait"} onClick={() => run.reveal(true)}>{t("show")}</button>
            </>
          )}
        </p>
        {state === "over" && (
          <p class="quiet">
            {t("wasPlayed", notation(decoy.played))} <a href={`/review/${decoy.review}#ply=${decoy.ply + 1}`}>{t("openReview")}</a>
          </p>
        )}
      </section>
    </div>
  );
}


/** How an item was answered, in words. */
function resultText(item: LessonItem, result: Result | undefined): string {
  if (!result) return t("skipped");
  if (item.decoy) return t(lookOf(result) === "first" ? "decoyFound" : "decoyMissed");
  if (result.isShown) return t("seen");
  if (result.mistakes > 0) return t("later", result.mistakes);
  return t(result.hints > 0 ? "withHint" : "atFirst");
}

function Summary({ lesson, kept }: { lesson: Lesson; kept: Kept }) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus({ preventScroll: true }), []);
  const rows = kept.items.map((item, index) => ({ item, result: kept.results[index] }));
  const puzzles = rows.filter(({ item }) => !item.decoy);
  const decoys = rows.filter(({ item }) => item.decoy);
  const right = (part: typeof rows) => part.filter(({ result }) => lookOf(result) === "first").length;
  const numbers = puzzles.map(({ item }) => item.puzzle!);
  return (
    <main id="main" class="lesson summary">
      <h1 ref={heading} tabIndex={-1}>{t("lessonEnd")}</h1>
      <p class="big">
        {t("foundFirst", right(puzzles), puzzles.length)} {decoys.length > 0 && t("decoysRight", right(decoys), decoys.length)}
      </p>
      <ol class="results">
        {rows.map(({ item, result }) => (
          <li class={lookOf(result)}>
            {item.decoy ? <a href={`/review/${item.decoy.review}#ply=${item.decoy.ply + 1}`}>{resultText(item, result)}</a> : <a href={address(item.puzzle!, {})}>{resultText(item, result)}</a>}
            {result?.due != null && <span class="quiet">{t("again", dayOf(result.due))}</span>}
          </li>
        ))}
      </ol>
      <p class="buttons">
        {kept.waiting > 0 && <button type="button" class="main" onClick={() => void lesson.load(false)}>{t("moreLessons", kept.waiting)}</button>}
        {!IN_TAB && (
          <>
            <a class="button" href={worksheet({ only: numbers })} target="_blank">{t("asPaper")}</a>
            <a class="button" href={exported("anki", { only: numbers })} download>{t("lessonForAnki")}</a>
          </>
        )}
        <BackToMe />
        <a class="button" href="/puzzles">{t("all")}</a>
      </p>
    </main>
  );
}

/** Leads to what comes after a lesson of a player's mistakes. */
function BackToMe() {
  const player = new URLSearchParams(location.search).get("player");
  return player && <a class="button" href={`/me?player=${encodeURIComponent(player)}`}>{t("toMe")}</a>;
}

/** Nothing of the lesson is due now. */
function Resting({ lesson, sitting }: { lesson: Lesson; sitting: Sitting }) {
  return (
    <main id="main" class="lesson summary">
      <h1>{t("nothingDue")}</h1>
      {sitting.resting > 0 && sitting.next_due !== null && <p class="big">{t("resting", sitting.resting, dayOf(sitting.next_due))}</p>}
      <p class="buttons">
        {sitting.resting > 0 && <button type="button" onClick={() => void lesson.load(true)}>{t("anyway")}</button>}
        <BackToMe />
        <a class="button" href="/puzzles">{t("all")}</a>
      </p>
    </main>
  );
}
