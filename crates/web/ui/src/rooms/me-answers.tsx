// The first screen of the room “Me”: three questions, each with a sentence and a picture. What the
// sentences say is decided by the server.
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { api } from "../api";
import { go } from "../route";
import type { Answers, Moment } from "../types";
import { Diagram } from "../viewer/board";
import { positions, type At } from "../viewer/position";
import { number, w } from "../words";
import { Moments } from "./me-tables";
import { percent, points, t } from "./me-words";
import { dayOf, progressOf } from "./lesson-progress";
import { lessonAddress } from "./puzzle-address";

export function AnswerCards({ answers, player }: { answers: Answers; player: string }) {
  return (
    <div class="answers">
      <Now lessons={answers.now ? [answers.now, ...answers.then] : []} player={player} />
      <Doing doing={answers.doing} />
      <Costs costs={answers.costs} player={player} />
    </div>
  );
}

function Doing({ doing }: { doing: Answers["doing"] }) {
  return (
    <section class="answer doing">
      <h2>{t("doing")}</h2>
      <p class="said">{doing.text}</p>
      {doing.points.length > 1 && <Trend points={doing.points} />}
    </section>
  );
}

/** Dates, or numbers of games such as `1–7`. */
const labelOf = (label: string): string => (/^\d+–\d+$/.test(label) ? t("gamesOf", label) : label);

/** Losses over time: the player's line with its band, and the line of the level. */
function Trend({ points: all }: { points: Answers["doing"]["points"] }) {
  const top = 1.1 * Math.max(...all.map(({ loss, level_loss }) => Math.max(loss.mean, level_loss ?? 0, Math.min(loss.interval?.[1] ?? 0, 1.6 * loss.mean))));
  const x = (index: number) => (100 * index) / (all.length - 1);
  const y = (value: number) => 100 - (100 * Math.min(value, top)) / top;
  const line = (values: (number | null | undefined)[]) =>
    values.map((value, index) => (value == null ? "" : `${index === 0 || values[index - 1] == null ? "M" : "L"}${x(index)} ${y(value)}`)).join("");
  const low = all.map(({ loss }) => loss.interval?.[0] ?? loss.mean);
  const high = all.map(({ loss }) => loss.interval?.[1] ?? loss.mean);
  const band = [...high.map((value, index) => `${x(index)},${y(value)}`), ...low.map((value, index) => `${x(index)},${y(value)}`).reverse()].join(" ");
  const hasLevel = all.some(({ level_loss }) => level_loss !== null);
  const said = all.map(({ label, loss, games, level_loss }) =>
    level_loss === null ? t("graphPointAlone", labelOf(label), number(loss.mean, 2), games) : t("graphPoint", labelOf(label), number(loss.mean, 2), games, number(level_loss, 2)),
  );
  return (
    <figure class="trend">
      <div class="plot">
        <span class="tick" style={{ top: `${y(top / 1.1)}%` }}>{number(top / 1.1, 1)}</span>
        <span class="tick" style={{ top: "100%" }}>0</span>
        <svg viewBox="0 0 100 100" preserveAspectRatio="none" role="img" aria-label={`${t("graph")}. ${said.join("; ")}`}>
          <polygon class="band" points={band} />
          {hasLevel && <path class="its-level" d={line(all.map(({ level_loss }) => level_loss))} />}
          <path class="its-own" d={line(all.map(({ loss }) => loss.mean))} />
        </svg>
      </div>
      <div class="ends"><span>{labelOf(all[0]!.label.split(" – ")[0]!)}</span><span>{labelOf(all.at(-1)!.label.split(" – ").at(-1)!)}</span></div>
      <figcaption class="quiet">
        <span class="key key-own">{t("you")}</span> <span class="key key-band">{t("certain")}</span> {hasLevel && <span class="key key-level">{t("yourLevel")}</span>} <span>{t("lossAxis")}</span>
      </figcaption>
    </figure>
  );
}

function Costs({ costs, player }: { costs: Answers["costs"]; player: string }) {
  // One scale, so that the rows can be compared.
  const most = Math.max(...costs.rows.filter((row) => !row.is_score).map((row) => 1.1 * Math.max(row.own, row.level, Math.min(row.interval[1], 2 * row.own))));
  return (
    <section class="answer costs">
      <h2>{t("costs")}</h2>
      <p class="said">{costs.text}</p>
      {costs.note && <p>{costs.note}</p>}
      {costs.rows.length > 0 && (
        <>
          <ul>
            {costs.rows.map((row) => <li><Cost row={row} most={row.is_score ? 1 : most} player={player} /></li>)}
          </ul>
          <p class="quiet legend">
            <span class="key key-own">{t("you")}</span> <span class="key key-band">{t("certain")}</span> <span class="key key-level">{t("yourLevel")}</span>
          </p>
        </>
      )}
    </section>
  );
}

type CostRow = Answers["costs"]["rows"][number];

/** A cost beside that of the level, with its interval in the picture. It opens its moves. */
function Cost({ row, most, player }: { row: CostRow; most: number; player: string }) {
  const [low, high] = row.interval;
  const x = (value: number) => (100 * Math.min(value, most)) / most;
  const text = row.is_score ? percent : points;
  return (
    <details>
      <summary>
        <span class="its-name">{row.label}</span>
        <b class="its-number">{text(row.own)}</b>
        <svg viewBox="0 0 100 10" preserveAspectRatio="none" role="img" aria-label={t("row", text(row.own), text(row.level), row.games)}>
          <line class="axis" x1="0" x2="100" y1="5" y2="5" />
          <line class="its-interval" x1={x(low)} x2={x(high)} y1="5" y2="5" />
          <line class="its-level" x1={x(row.level)} x2={x(row.level)} y1="0" y2="10" />
          <line class="its-own" x1={x(row.own)} x2={x(row.own)} y1="5" y2="5" />
        </svg>
      </summary>
      <p class="quiet">{t("row", text(row.own), text(row.level), row.games)}</p>
      <Moments moments={row.moments} />
      {row.moments.some(({ text }) => text.includes("?")) && <Train kind={row.kind} cause={row.name} player={player} label={t("practiseThis")} />}
    </details>
  );
}

type Proposed = NonNullable<Answers["now"]>;

/** The first lesson in which something is due, after those that were done. */
function Now({ lessons, player }: { lessons: Proposed[]; player: string }) {
  const all = lessons.map((lesson) => ({ lesson, progress: progressOf(lessonAddress({ player, kind: lesson.kind, cause: lesson.name })) }));
  const next = all.findIndex(({ progress }) => !progress?.due);
  const done = next < 0 ? all : all.slice(0, next);
  const [now, answered] = next < 0 ? [null, null] : [all[next]!.lesson, all[next]!.progress?.answered];
  return (
    <section class="answer now-answer">
      <h2>{t("now")}</h2>
      {done.map(({ lesson, progress }) => (
        <p class="quiet">
          ✓ {lesson.label}: {t("doneUntil", dayOf(progress!.due!))}
        </p>
      ))}
      {now ? (
        <>
          <p class="said">{now.text}</p>
          <Train kind={now.kind} cause={now.name} player={player} label={answered ? t("goOn", answered[0], answered[1]) : now.button} isMain />
          {now.first && <FirstPosition moment={now.first} />}
        </>
      ) : (
        <p class="said">{t(done.length > 0 ? "allDone" : "nothingToDo")}</p>
      )}
    </section>
  );
}

/** The position before a costly move, as a picture. The move is not shown. */
function FirstPosition({ moment: { game, ply } }: { moment: Moment }) {
  const at = useSignal<At | null>(null);
  useEffect(() => {
    at.value = null;
    api.game(game).then(
      (moves) => (at.value = positions(moves.fen, moves.uci.slice(0, ply - 1)).at(-1) ?? null),
      () => {},
    );
  }, [game, ply]);
  const here = at.value;
  if (!here) return null;
  const side = here.chess.turn;
  return <Diagram fen={here.fen} last={here.last} side={side} label={t("firstPosition", w(side))} />;
}

/** Opens a lesson. */
export function Train({ kind, cause, player, label, isMain }: { kind: string; cause: string; player: string; label: string; isMain?: boolean }) {
  return (
    <p class="train">
      <button type="button" class={isMain ? "main" : ""} onClick={() => go(lessonAddress({ player, kind, cause }))}>{label}</button>
    </p>
  );
}
