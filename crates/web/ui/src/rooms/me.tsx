// The profile of a player from all reviewed games: where points are lost, a comparison with players
// of the same level, and the next lesson.
import { useSignal, useSignalEffect, type Signal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { api, Refusal } from "../api";
import { onEvent } from "../events";
import { phases } from "../names/phases";
import { go, setAddress } from "../route";
import { setting } from "../state";
import type { Lesson, Moment, Profile, ProfileGroup } from "../types";
import { isolated, language, notation, number, w, wordsOf, type Words } from "../words";
import { addressOfFilter } from "./game-filter";
import { Loading } from "./loading";
import { lessonAddress } from "./puzzle-address";
import "./me.css";

/** A heading as part of a sentence: German nouns keep their capital letter. */
const inSentence = ([english, german]: Words): Words => [english.toLowerCase(), german];

const t = wordsOf({
  title: ["Where {0} loses points", "Wo {0} Punkte verliert"],
  who: ["Whose games are these?", "Wessen Partien sind das?"],
  whoText: ["Write the name exactly as in the games. It stays in this browser.", "Schreibe den Namen genau wie in den Partien. Er bleibt in diesem Browser."],
  show: ["Show", "Zeigen"],
  other: ["Another player", "Anderer Spieler"],
  none: ["No reviewed game of {0} is in the store.", "Von {0} ist keine analysierte Partie gespeichert."],
  reviewSome: ["Review some of the games", "Einige der Partien analysieren"],
  facts: ["{0} reviewed game|{0} reviewed games", "{0} analysierte Partie|{0} analysierte Partien"],
  rating: ["mean rating {0}", "mittlere Wertung {0}"],
  lesson: ["Your next lesson", "Deine nächste Lektion"],
  lessonText: [
    "This cause costs you about {0} points in each game (80 % interval {1} to {2}). Players of your level lose {3}.",
    "Dieser Grund kostet dich etwa {0} Punkte in jeder Partie (80-%-Intervall {1} bis {2}). Spieler deiner Stärke verlieren {3}.",
  ],
  shrunk: [
    "The estimate gives your own games a weight of {0} %; the rest comes from players of your level. It promises no rating.",
    "Die Schätzung gibt deinen eigenen Partien ein Gewicht von {0} %, der Rest stammt von Spielern deiner Stärke. Sie verspricht keine Wertung.",
  ],
  start: ["Start the lesson", "Lektion beginnen"],
  noLesson: ["No reason of a loss is known yet. Reasons need a review by an engine.", "Von keinem Verlust ist der Grund bekannt. Gründe findet nur eine Analyse mit einer Engine."],
  estimate: ["about {0} a game ({1}–{2}), your level {3}", "etwa {0} je Partie ({1}–{2}), deine Stärke {3}"],
  total: ["All games", "Alle Partien"],
  causes: ["Causes", "Gründe"],
  color: ["Color", "Farbe"],
  phase: ["Phase", "Phase"],
  clock: ["Clock", "Uhr"],
  "time class": ["Time control", "Bedenkzeit"],
  opponent: ["Opponent", "Gegner"],
  opening: ["Opening", "Eröffnung"],
  month: ["Month", "Monat"],
  middlegame: inSentence(phases.middlegame),
  endgame: inSentence(phases.endgame),
  openingPhase: inSentence(phases.opening),
  enough: ["a tenth of the time or more", "ein Zehntel der Zeit oder mehr"],
  short: ["less than a tenth of the time", "weniger als ein Zehntel der Zeit"],
  weaker: ["weaker by more than 100", "um über 100 schwächer"],
  equal: ["within 100", "bis 100 Unterschied"],
  stronger: ["stronger by more than 100", "um über 100 stärker"],
  otherOpenings: ["other openings", "andere Eröffnungen"],
  games: ["Games", "Partien"],
  score: ["Score", "Ergebnis"],
  lost: ["Lost per game", "Verlust je Partie"],
  level: ["Against your level", "Gegen deine Stärke"],
  more: ["{0} more", "{0} mehr"],
  less: ["{0} less", "{0} weniger"],
  same: ["as much", "gleich viel"],
  unsure: ["not clear yet", "noch nicht klar"],
  explain: [
    "Points are expected score: a win is worth 1. In brackets: 95 % intervals, from five games on. “Against your level” compares with what players of your rating lose in the same positions, by the policy network; it is in bold where the interval excludes zero.",
    "Punkte sind erwartete Punkte: Ein Sieg zählt 1. In Klammern: 95-%-Intervalle, ab fünf Partien. „Gegen deine Stärke“ vergleicht mit dem, was Spieler deiner Wertung in denselben Stellungen verlieren, nach dem Netz; fett, wo das Intervall die Null ausschließt.",
  ],
  moments: ["The costliest moves", "Die teuersten Züge"],
  listed: ["These games", "Diese Partien"],
  trained: ["Train it", "Üben"],
});

const me = setting<string>("me", "");

export function MeRoom() {
  const player = useSignal(new URLSearchParams(location.search).get("player") ?? me.get());
  useEffect(() => {
    document.title = `${w("me")} · Centipawn`;
  }, []);
  return player.value === "" ? <Who player={player} /> : <Shown player={player} />;
}

/** Asks for the player's name. It is asked once and stays in this browser. */
function Who({ player }: { player: Signal<string> }) {
  const names = useSignal<string[]>([]);
  const text = useSignal(me.get());
  useEffect(() => {
    api.players().then(
      ({ players }) => {
        names.value = players.map(({ name }) => name);
        if (text.peek() === "" && players[0] && players[0].games > 1) text.value = players[0].name;
      },
      () => {},
    );
  }, []);
  const take = () => {
    const name = text.peek().trim();
    if (name === "") return;
    me.set(name);
    player.value = name;
  };
  return (
    <main id="main" class="me">
      <h1>{t("who")}</h1>
      <form
        class="line"
        onSubmit={(event) => {
          event.preventDefault();
          take();
        }}
      >
        <label>
          {w("player")}
          <input type="text" list="players" autocomplete="off" value={text.value} onInput={(event) => (text.value = event.currentTarget.value)} />
        </label>
        <datalist id="players">
          {names.value.map((name) => (
            <option value={name} />
          ))}
        </datalist>
        <button type="submit" class="main">{t("show")}</button>
      </form>
      <p class="quiet">{t("whoText")}</p>
    </main>
  );
}

function Shown({ player }: { player: Signal<string> }) {
  const profile = useSignal<Profile | null>(null);
  const problem = useSignal<Refusal | null>(null);
  const loading = useMemo(
    () =>
      new Loading(
        async () => {
          const answer = await api.profile(player.peek());
          return () => {
            profile.value = answer;
            problem.value = null;
          };
        },
        (refusal) => (problem.value = refusal),
      ),
    [],
  );
  useSignalEffect(() => {
    setAddress(`/me?player=${encodeURIComponent(player.value)}`);
    // The answer contains texts in the page's language, so load it again when the language changes.
    void language.value;
    void loading.load();
  });
  useEffect(() => {
    let timer = 0;
    const stop = onEvent((event) => {
      const isNew = (event.event === "reload" && !event.isFirst) || (event.event === "job" && event.job.state === "done");
      if (!isNew) return;
      clearTimeout(timer);
      timer = window.setTimeout(() => void loading.load(), 2000);
    });
    return () => {
      clearTimeout(timer);
      stop();
    };
  }, []);
  const known = profile.value;
  const other = <button type="button" class="plain" onClick={() => (player.value = "")}>{t("other")}</button>;
  if (problem.value) {
    return (
      <main id="main" class="me">
        <p class="problem" role="alert">{problem.value.text}</p>
        <p>{other}</p>
      </main>
    );
  }
  if (!known) return <main id="main" class="me" aria-busy="true">{w("wait")}</main>;
  if (known.games === 0) {
    return (
      <main id="main" class="me">
        <h1>{t("title", isolated(known.player))}</h1>
        <p>{t("none", isolated(known.player))}</p>
        <p>
          <a class="button" href={addressOfFilter({ player: known.player })}>{t("reviewSome")}</a> {other}
        </p>
      </main>
    );
  }
  const facts = [
    t("facts", known.games),
    known.dates && (known.dates[0] === known.dates[1] ? known.dates[0] : `${known.dates[0]} – ${known.dates[1]}`),
    known.rating !== null && t("rating", number(known.rating, 0)),
  ].filter(Boolean);
  const causes = known.causes.filter(({ counted }) => counted > 0);
  return (
    <main id="main" class="me">
      <h1>{t("title", isolated(known.player))}</h1>
      <p class="quiet">
        {facts.join(" · ")} · {other}
      </p>
      <Next lesson={known.next} player={known.player} />
      <Table name={t("total")} rows={[known.total]} label={() => t("total")} player={known.player} kind="all" />
      <section>
        <h2>{t("causes")}</h2>
        <ul class="causes">
          {causes.map((cause) => (
            <li>
              <details>
                <summary>
                  {cause.text}
                  {cause.estimate !== null && cause.interval && (
                    <span class="quiet">{` · ${t("estimate", number(cause.estimate, 2), number(cause.interval[0], 2), number(cause.interval[1], 2), number(cause.level ?? 0, 2))}`}</span>
                  )}
                </summary>
                {cause.estimate !== null && cause.moments.length > 0 && <Train lesson={cause} player={known.player} />}
                <Moments moments={cause.moments} />
              </details>
            </li>
          ))}
        </ul>
      </section>
      {known.groups.map(({ kind, rows }) => (
        <Table name={t(kind as "color")} rows={rows} label={(row) => label(kind, row)} player={known.player} kind={kind} />
      ))}
      <p class="quiet">{t("explain")}</p>
    </main>
  );
}

/**
 * The name of a group in the page's language. Openings, time controls and months have the same name
 * in all languages.
 */
function label(kind: string, { name, color }: ProfileGroup): string {
  if (kind === "color") return w(name as "white");
  if (kind === "phase") return t(name === "opening" ? "openingPhase" : (name as "endgame"));
  if (kind === "clock" || kind === "opponent") return t(name as "short");
  if (kind === "opening") return name === "other" ? t("otherOpenings") : `${name} (${w(color as "white")})`;
  return name;
}

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

function Next({ lesson, player }: { lesson: Lesson | null; player: string }) {
  return (
    <section class="next">
      <h2>{t("lesson")}</h2>
      {lesson && lesson.interval ? (
        <>
          <p class="cause">{lesson.text}</p>
          <p>{t("lessonText", number(lesson.estimate ?? 0, 2), number(lesson.interval[0], 2), number(lesson.interval[1], 2), number(lesson.level ?? 0, 2))}</p>
          <Train lesson={lesson} player={player} isMain />
          <p class="quiet">{t("shrunk", number(100 * (lesson.weight ?? 0), 0))}</p>
        </>
      ) : (
        <p>{t("noLesson")}</p>
      )}
    </section>
  );
}

/** Opens a lesson. */
function Train({ lesson, player, isMain }: { lesson: Lesson; player: string; isMain?: boolean }) {
  const start = () => go(lessonAddress({ player, kind: lesson.kind, cause: lesson.cause }));
  return (
    <p>
      <button type="button" class={isMain ? "main" : ""} onClick={start}>{isMain ? t("start") : t("trained")}</button>
    </p>
  );
}

function Table({ name, rows, label, player, kind }: { name: string; rows: ProfileGroup[]; label(row: ProfileGroup): string; player: string; kind: string }) {
  const hasScore = rows.some(({ score }) => score);
  const hasLevel = rows.some(({ difference }) => difference);
  const open = useSignal<string | null>(null);
  const columns = 3 + Number(hasScore) + Number(hasLevel);
  return (
    <section class="group">
      <table>
        <thead>
          <tr>
            <th scope="col">{name}</th>
            <th scope="col">{t("games")}</th>
            {hasScore && <th scope="col">{t("score")}</th>}
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
                  {hasScore && <td>{mean(row.score)}</td>}
                  <td>{mean(row.loss)}</td>
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
    </section>
  );
}

type Mean = ProfileGroup["loss"];

function mean(value: Mean | null | undefined) {
  if (!value) return "–";
  return (
    <>
      {number(value.mean, 2)} {value.interval && <span class="quiet">{`(${number(value.interval[0], 2)}–${number(value.interval[1], 2)})`}</span>}
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

function Moments({ moments }: { moments: Moment[] }) {
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
