// The state of a game on the board: its evaluations, the current position, and the user's own
// moves.
import { batch, computed, effect, signal } from "@preact/signals";
import { api, Refusal } from "../api";
import { onEvent } from "../events";
import { fragment, setFragment } from "../route";
import { chosenCurve, mySide } from "../state";
import type { Eval, Job, Judge, Moves, OwnNote, Ply, Point, Review, Reviewed, Wdl } from "../types";
import { after, positions, type At } from "../viewer/position";
import { language } from "../words";
import { hasEnded } from "./job";
import { Loading } from "./loading";

/** The value of a position, a point of the graph. */
export interface Worth {
  score: number;
  wdl: Wdl | null;
  eval: Eval | null;
}

/** A move that the user played, with its judgement as soon as that is known. */
export interface Own {
  uci: string;
  san: string;
  at: At;
  ply: Ply | null;
  problem: string | null;
}

/** The curve and symbols in an address. */
function judgeOf(values: URLSearchParams): Judge {
  const balance = Number(values.get("balance"));
  const judge: Judge = { curve: values.get("curve") ?? "", balance: balance > 0 ? balance : undefined, scheme: values.get("scheme") ?? "" };
  return Object.fromEntries(Object.entries(judge).filter(([, value]) => value));
}

export class Table {
  readonly job = signal<Job | null>(null);
  readonly moves = signal<Moves | null>(null);
  readonly review = signal<Review | null>(null);
  readonly problem = signal<Refusal | null>(null);
  /** Evaluations of positions whose moves cannot be judged yet, by half-move. */
  readonly early = signal<ReadonlyMap<number, Point>>(new Map());
  /** Number of half-moves of the game before the position on the board, or before the own moves. */
  readonly ply = signal(0);
  readonly own = signal<Own[]>([]);
  /** Number of own moves on the board. It is smaller than their total after steps back. */
  readonly ownPly = signal(0);
  readonly flipped = signal(false);
  /** The user's side in this game; `null` if the user is neither player. */
  readonly mine = computed(() => (this.moves.value ? mySide(this.moves.value.white, this.moves.value.black) : null));
  readonly judge = signal<Judge>({});
  /** The user's own symbols and comments, by half-move. */
  readonly notes = signal<Record<string, OwnNote>>({});
  /** Why the last own symbol or comment was not kept. */
  readonly noteProblem = signal<string | null>(null);
  /** A message for the live region, besides the announcements of steps. */
  readonly said = signal("");

  readonly game = computed<Reviewed | null>(() => this.review.value?.games[0] ?? null);
  readonly plies = computed<Ply[]>(() => this.game.value?.plies ?? []);
  readonly length = computed(() => this.moves.value?.uci.length ?? 0);
  readonly isWhole = computed(() => this.plies.value.length === this.length.value && this.length.value > 0);
  private readonly main = computed<At[]>(() => {
    const moves = this.moves.value;
    return moves ? positions(moves.fen, moves.uci) : [];
  });

  /** The position on the board. */
  readonly at = computed<At | null>(() => {
    const own = this.own.value[this.ownPly.value - 1];
    return own ? own.at : (this.main.value[this.ply.value] ?? null);
  });

  /** The judged move that led to the position on the board. */
  readonly shown = computed<Ply | null>(() =>
    this.ownPly.value > 0 ? (this.own.value[this.ownPly.value - 1]?.ply ?? null) : (this.plies.value[this.ply.value - 1] ?? null),
  );

  /** Half-moves with symbols. */
  readonly moments = computed(() => this.plies.value.filter((ply) => ply.symbol).map((ply) => ply.ply));

  /**
   * The value of each position of the game, beginning with the start position; `null` if it is
   * unknown.
   */
  readonly worths = computed<(Worth | null)[]>(() => {
    const worths: (Worth | null)[] = new Array(this.length.value + 1).fill(null);
    for (const [ply, point] of this.early.value) {
      worths[ply] = { score: point.expected_score, wdl: point.wdl, eval: point.eval_played };
    }
    for (const ply of this.plies.value) {
      worths[ply.ply] = { score: ply.expected_score, wdl: ply.wdl, eval: ply.eval };
    }
    const first = this.plies.value[0];
    if (first) worths[0] = { score: first.expected_score_best, wdl: null, eval: first.eval_before };
    return worths;
  });

  private readonly stop: () => void;
  private readonly stopLanguage: () => void;
  private judging = new AbortController();
  /** Why the server refused the curve or symbols in the address. */
  private refused: Refusal | null = null;
  private readonly loading = new Loading(
    () => this.fetch(),
    (refusal) => (this.problem.value = refusal),
  );

  constructor(readonly id: number) {
    this.stop = onEvent((event) => {
      if (event.event === "reload") {
        // At the first connection, a finished review is already complete.
        if (!event.isFirst || this.job.peek()?.state !== "done") void this.load();
      } else if (event.event === "job" && event.job.id === id) this.hearJob(event.job);
      else if (event.event === "position" && event.job === id) this.hearPoint(event);
    });
    // Remarks are texts in the page's language.
    this.stopLanguage = effect(() => {
      void language.value;
      void this.load();
    });
  }

  close(): void {
    this.stop();
    this.stopLanguage();
    this.judging.abort();
    this.stopJudgingOwn();
  }

  load(): Promise<void> {
    return this.loading.load();
  }

  private async fetch(): Promise<() => void> {
    const job = await api.job(this.id);
    const isFirst = HAS_SERVER && !this.moves.peek() && !this.refused;
    let wanted = isFirst ? judgeOf(fragment()) : {};
    if (isFirst && Object.keys(wanted).length === 0 && job.state === "done" && chosenCurve.peek()) wanted = { curve: chosenCurve.peek() };
    if (Object.keys(wanted).length > 0) this.judge.value = wanted;
    const fetched = this.fetchReview(job).catch((error: unknown) => {
      // The address, or the user's setting, may name a curve that this server does not have. Show
      // the review without it.
      if (!(error instanceof Refusal) || error.status !== 400 || this.judge.peek() !== wanted) throw error;
      this.judge.value = {};
      this.refused = error;
      return this.fetchReview(job);
    });
    const [moves, review] = await Promise.all([this.moves.peek() ?? api.game(job.game), fetched]);
    return () =>
      batch(() => {
        const isFirst = !this.moves.peek();
        this.job.value = job;
        this.moves.value = moves;
        if ("own" in moves) this.notes.value = moves.own as Record<string, OwnNote>;
        this.review.value = review;
        this.problem.value = this.refused;
        if (isFirst) this.readFragment();
      });
  }

  /** Keeps the user's own symbols and comment on a half-move. */
  async setNote(ply: number, note: OwnNote): Promise<void> {
    const game = this.job.peek()?.game;
    if (!HAS_SERVER || !game) return;
    // Show it at once. The next key may follow before the answer arrives.
    this.notes.value = { ...this.notes.peek(), [ply]: note };
    try {
      const answer = await api.setNote(game, { ply, ...note });
      batch(() => {
        this.moves.value = answer;
        this.noteProblem.value = null;
      });
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      this.noteProblem.value = error.text;
    }
  }

  private fetchReview(job: Job, signal?: AbortSignal): Promise<Review> {
    const judge = this.judge.peek();
    const speaks = job.kind === "review" && job.language === language.peek() ? {} : { language: language.peek() };
    const wanted = { ...speaks, ...judge };
    return Object.keys(wanted).length > 0 ? api.judged(job.id, wanted, signal) : api.reviewed(job.id);
  }

  /** Judges the game by another curve or other symbols. Needs no engine. */
  async setJudge(judge: Judge): Promise<void> {
    this.judge.value = judge;
    this.problem.value = this.refused = null;
    this.loading.changed();
    const job = this.job.peek();
    if (!job) return;
    this.judging.abort();
    this.judging = new AbortController();
    const { signal } = this.judging;
    try {
      this.review.value = await this.fetchReview(job, signal);
      // The review may have ended since the request. The answer may then be incomplete.
      if (this.job.peek()?.state !== job.state) void this.load();
      this.own.value = this.own.peek().map((own) => ({ ...own, ply: null, problem: null }));
      this.stopJudgingOwn();
      await this.judgeOwn();
    } catch (error) {
      if (error instanceof Refusal) this.problem.value = error;
      else if (!signal.aborted) throw error;
    }
  }

  private hearJob(job: Job): void {
    this.takePoints();
    this.job.value = job;
    // The finished document has all numbers, and an answer on its way may be older than the end.
    if (hasEnded(job)) void this.load();
  }

  /** Evaluations that are not shown yet. */
  private points: Point[] = [];

  /**
   * Collects evaluations for 100 ms. A game with evaluations in its comments sends thousands at
   * once, and each change draws the page again.
   */
  private hearPoint(point: Point): void {
    if (this.points.push(point) === 1) setTimeout(() => this.takePoints(), 100);
  }

  private takePoints(): void {
    const points = this.points.splice(0);
    const last = points.at(-1);
    if (!last) return;
    const job = this.job.peek();
    const review = this.review.peek();
    const game = this.game.peek();
    batch(() => {
      if (job) this.job.value = { ...job, state: "running", done: last.done, total: last.total };
      this.early.value = new Map([...this.early.peek(), ...points.map((point) => [point.ply, point] as const)]);
      const known = game?.plies.length ?? 0;
      const judged = points.flatMap((point) => point.judged).filter(({ ply }) => ply > known);
      if (!review || !game || !judged[0] || Object.keys(this.judge.peek()).length > 0) return;
      if (judged[0].ply === known + 1) this.review.value = { ...review, games: [{ ...game, plies: [...game.plies, ...judged] }] };
      // Moves between those on the page and these are missing, because an older answer arrived
      // late.
      else void this.load();
    });
  }

  // The current position and the address.

  private readFragment(): void {
    const values = fragment();
    const ply = Number(values.get("ply"));
    this.ply.value = Number.isInteger(ply) ? Math.min(Math.max(ply, 0), this.length.peek()) : 0;
    // The user sees an own game from the own side, unless the address says otherwise.
    this.flipped.value = values.has("flip") ? values.get("flip") !== "no" : this.mine.peek() === "black";
    const line = values.get("line")?.split(",") ?? [];
    const own: Own[] = [];
    let at = this.main.peek()[this.ply.peek()];
    for (const uci of line) {
      const next = at && after(at, uci);
      if (!next) break;
      own.push({ uci, san: next.san, at: next.at, ply: null, problem: null });
      at = next.at;
    }
    this.own.value = own;
    this.ownPly.value = own.length;
    this.ownBegin = this.ply.peek();
    void this.judgeOwn();
  }

  writeFragment(): void {
    const { curve, balance, scheme } = this.judge.value;
    // Symbols are a separate setting: another curve alone would change them with `auto`, so a link
    // to another curve names both.
    const symbols = scheme ?? (curve || balance ? this.game.value?.scheme : undefined);
    setFragment({
      ply: this.ply.value > 0 ? String(this.ply.value) : null,
      line: this.ownPly.value > 0 ? this.own.value.slice(0, this.ownPly.value).map((own) => own.uci).join(",") : null,
      flip: this.flipped.value ? "" : this.mine.value === "black" ? "no" : null,
      curve: curve ?? null,
      balance: balance ? String(balance) : null,
      scheme: symbols ?? null,
    });
  }

  go(ply: number): void {
    batch(() => {
      this.ply.value = Math.min(Math.max(ply, 0), this.length.peek());
      this.ownPly.value = 0;
    });
  }

  goOwn(ownPly: number): void {
    batch(() => {
      this.ownPly.value = Math.min(Math.max(ownPly, 0), this.own.peek().length);
      if (this.ownPly.value > 0) this.ply.value = this.ownBegin;
    });
  }

  step(by: number): void {
    if (this.ownPly.peek() > 0) this.goOwn(this.ownPly.peek() + by);
    else this.go(this.ply.peek() + by);
  }

  /**
   * Goes to the next move with one of `symbols`, or with any symbol. With `symbols`, stays if there
   * is none.
   */
  toMoment(direction: 1 | -1, symbols?: string[]): void {
    const plies = this.plies.peek().filter((ply) => (symbols ? symbols.includes(ply.symbol ?? "") : ply.symbol));
    const here = this.ply.peek();
    const found = direction > 0 ? plies.find((ply) => ply.ply > here) : plies.findLast((ply) => ply.ply < here);
    if (found) this.go(found.ply);
    else if (!symbols) this.go(direction > 0 ? this.length.peek() : 0);
  }

  /**
   * Plays a move. The game's own move goes forward; any other move starts or continues a variation.
   */
  play(uci: string): void {
    const at = this.at.peek();
    const next = at && after(at, uci);
    if (!next) return;
    const [ply, ownPly, own] = [this.ply.peek(), this.ownPly.peek(), this.own.peek()];
    if (ownPly === 0 && this.moves.peek()?.uci[ply] === uci) return this.go(ply + 1);
    if (own[ownPly]?.uci === uci && (ownPly > 0 || this.ownBegin === ply)) return this.goOwn(ownPly + 1);
    batch(() => {
      this.own.value = [...own.slice(0, ownPly), { uci, san: next.san, at: next.at, ply: null, problem: null }];
      this.ownPly.value = ownPly + 1;
      if (ownPly === 0) this.ownBegin = ply;
    });
    void this.judgeOwn();
  }

  /** Number of half-moves of the game before the own moves. */
  ownBegin = 0;

  removeOwn(): void {
    this.stopJudgingOwn();
    batch(() => {
      this.own.value = [];
      this.ownPly.value = 0;
    });
  }

  /** The position after this number of own moves, as requests need it. */
  path(ownPlies: number): { fen: string; chess960: boolean; moves: string[] } | null {
    const moves = this.moves.peek();
    if (!moves) return null;
    // The own moves stay while the user looks at other moves of the game.
    const main = moves.uci.slice(0, ownPlies > 0 ? this.ownBegin : this.ply.peek());
    const own = this.own.peek().slice(0, ownPlies);
    return { fen: moves.fen, chess960: moves.chess960, moves: [...main, ...own.map((own) => own.uci)] };
  }

  /** The review and settings by which own moves are judged, the same as for moves of the game. */
  judgedBy(): { review: number } & Judge {
    return { review: this.id, language: language.peek(), ...this.judge.peek() };
  }

  /** Cancels the requests for judgements of own moves; `null` if none is running. */
  private judgingOwn: AbortController | null = null;

  private stopJudgingOwn(): void {
    this.judgingOwn?.abort();
    this.judgingOwn = null;
  }

  /**
   * Requests judgements of own moves one after another. Moves that are played in the meantime
   * follow.
   */
  private async judgeOwn(): Promise<void> {
    if (!HAS_SERVER) return;
    if (this.judgingOwn) return;
    const asking = (this.judgingOwn = new AbortController());
    try {
      for (;;) {
        const index = this.own.peek().findIndex((own) => !own.ply && !own.problem);
        const own = this.own.peek()[index];
        const path = this.path(index + 1);
        if (!own || !path) return;
        let judged: Partial<Own>;
        try {
          judged = { ply: (await api.move({ ...path, ...this.judgedBy() }, asking.signal)).ply };
        } catch (error) {
          if (asking.signal.aborted) return;
          if (!(error instanceof Refusal)) throw error;
          judged = { problem: error.message };
        }
        if (asking.signal.aborted) return;
        // The move may have been replaced during the request. Then its judgement is dropped.
        this.own.value = this.own.peek().map((other) => (other === own ? { ...own, ...judged } : other));
      }
    } finally {
      if (this.judgingOwn === asking) this.judgingOwn = null;
    }
  }
}
