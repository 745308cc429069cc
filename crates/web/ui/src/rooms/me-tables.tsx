// The tables of the room “Me”: causes, and groups of games and moves. Each row opens its moves.
import { useSignal } from "@preact/signals";
import type { Moment, ProfileGroup } from "../types";
import { notation, number } from "../words";
import { addressOfFilter } from "./game-filter";
import { label, percent, points, t } from "./me-words";

/**
 * The address of the list with the games of a group; `null` for groups that consist of moves
 * instead of games.
 */
function listed(kind: string, row: ProfileGroup, player: string): string | null {
  const filters: Record<string, object> = {
    all: {},
    color: { color: row.name },
    "time class": { time_class: row.name },
    opening: { family: row.name, color: row.color },
    month: { since: row.name, until: row.name },
  };
  const filter = filters[kind];
  return filter && row.name !== "other" ? addressOfFilter({ player, reviewed: true, ...filter }) : null;
}

/** A kind of groups in one line, with its table behind it. */
export function Groups({ kind, rows, player }: { kind: string; rows: ProfileGroup[]; player: string }) {
  const brief = rows.slice(0, BRIEF).map((row) => `${label(kind, row)}: ${row.score ? percent(row.score.mean) : t("lostShort", points(row.loss.mean))}`);
  return (
    <details class="group">
      <summary>
        <b>{t(kind as "color")}</b> <span class="quiet">{brief.join(" · ")}{rows.length > BRIEF && " …"}</span>
      </summary>
      <Table name={t(kind as "color")} rows={rows} label={(row) => label(kind, row)} player={player} kind={kind} />
    </details>
  );
}

/** Maximum number of rows in the line of a kind of groups. */
const BRIEF = 3;

export function Table({ name, rows, label, player, kind }: { name: string; rows: ProfileGroup[]; label(row: ProfileGroup): string; player: string; kind: string }) {
  const hasScore = rows.some(({ score }) => score);
  const hasLevel = rows.some(({ difference }) => difference);
  const hasWorth = rows.some(({ after_opening }) => after_opening);
  const open = useSignal<string | null>(null);
  const columns = 3 + Number(hasScore) + Number(hasLevel) + Number(hasWorth);
  return (
    <div class="scrolled" role="region" aria-label={name} tabIndex={0}>
      <table>
        <thead>
          <tr>
            <th scope="col">{name}</th>
            <th scope="col">{t("games")}</th>
            {hasScore && <th scope="col">{t("score")}</th>}
            {hasWorth && <th scope="col">{t("after")}</th>}
            <th scope="col">{t("lost")}</th>
            {hasLevel && <th scope="col">{t("level")}</th>}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => {
            const key = `${row.name} ${row.color}`;
            const list = listed(kind, row, player);
            return (
              <>
                <tr>
                  <th scope="row">
                    <button type="button" class="plain" aria-expanded={open.value === key} onClick={() => (open.value = open.peek() === key ? null : key)}>{label(row)}</button>
                  </th>
                  <td>{number(row.games, 0)}</td>
                  {hasScore && <td>{mean(row.score, percent)}</td>}
                  {hasWorth && <td>{mean(row.after_opening, percent)}</td>}
                  <td>{mean(row.loss, points)}</td>
                  {hasLevel && <td>{compared(row)}</td>}
                </tr>
                {open.value === key && (
                  <tr class="opened">
                    <td colSpan={columns}>
                      {list && <p><a href={list}>{t("listed")}</a></p>}
                      <Moments moments={row.moments} />
                    </td>
                  </tr>
                )}
              </>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

type Mean = ProfileGroup["loss"];

/** A mean, large, with its interval, small. */
function mean(value: Mean | null | undefined, text: (value: number) => string) {
  if (!value) return "–";
  return (
    <>
      {text(value.mean)} {value.interval && <span class="quiet">{`(${text(value.interval[0])}–${text(value.interval[1])})`}</span>}
    </>
  );
}

/**
 * The difference from what players of the same level lose in the same positions, with its interval.
 */
function compared({ difference }: ProfileGroup) {
  if (!difference) return "–";
  const { mean, interval } = difference;
  const isClear = interval && (interval[0] > 0 || interval[1] < 0);
  const text = Math.abs(mean) < 0.005 ? t("same") : t(mean > 0 ? "more" : "less", number(Math.abs(mean), 2));
  return (
    <>
      {isClear ? <b class={mean > 0 ? "mistake" : "good"}>{text}</b> : text}{" "}
      {interval && <span class="quiet">{`(${number(interval[0], 2)} … ${number(interval[1], 2)})`}</span>}
    </>
  );
}

export function Moments({ moments }: { moments: Moment[] }) {
  if (moments.length === 0) return null;
  return (
    <ol class="moments" aria-label={t("moments")}>
      {moments.map((moment) => (
        <li>
          <a href={`/review/${moment.review}#ply=${moment.ply}`}>{notation(moment.text)}</a>{" "}
          <span class="quiet">
            – <bdi>{moment.opponent}</bdi>
            {moment.date && `, ${moment.date}`} · {`−${number(moment.loss, 2)}`}
          </span>
        </li>
      ))}
    </ol>
  );
}
