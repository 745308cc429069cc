// The profile of a player from all reviewed games: where points are lost, a comparison with players
// of the same level, and the next lesson.
import { useSignal, useSignalEffect, type Signal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { api, Refusal } from "../api";
import { onEvent } from "../events";
import { setAddress } from "../route";
import { me } from "../state";
import type { Lesson, Profile } from "../types";
import { isolated, language, number, w } from "../words";
import { addressOfFilter } from "./game-filter";
import { Loading } from "./loading";
import { AnswerCards, Train } from "./me-answers";
import { Groups, Moments } from "./me-tables";
import { points, t } from "./me-words";
import "./me.css";

export function MeRoom() {
  const player = useSignal(new URLSearchParams(location.search).get("player") ?? me.peek());
  useEffect(() => {
    document.title = `${w("me")} · Centipawn`;
  }, []);
  return player.value === "" ? <Who player={player} /> : <Shown player={player} />;
}

/** Asks for the player's name. It is asked once and stays in this browser. */
function Who({ player }: { player: Signal<string> }) {
  const names = useSignal<string[]>([]);
  const text = useSignal(me.peek());
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
    me.value = name;
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

/** Names in the games that are spelled like a name that is in none. */
function Near({ player }: { player: Signal<string> }) {
  const names = useSignal<string[]>([]);
  useEffect(() => {
    api.playersLike(player.peek()).then(
      ({ players }) => (names.value = players.map(({ name }) => name)),
      () => {},
    );
  }, [player.value]);
  if (names.value.length === 0) return null;
  return (
    <p>
      {t("near")}{" "}
      {names.value.map((name, index) => (
        <>
          {index > 0 && ", "}
          <button type="button" class="plain" onClick={() => (player.value = me.value = name)}><bdi>{name}</bdi></button>
        </>
      ))}
      ?
    </p>
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
        <Near player={player} />
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
    known.total.score && t("scored", number(100 * known.total.score.mean, 0)),
  ].filter(Boolean);
  const causes = known.causes.filter(({ counted }) => counted > 0);
  return (
    <main id="main" class="me">
      <h1>{t("title", isolated(known.player))}</h1>
      <p class="quiet facts">
        {facts.join(" · ")} · {other}
      </p>
      <AnswerCards answers={known.answers} player={known.player} />
      <section class="more">
        <h2>{t("more_")}</h2>
        {known.groups.map(({ kind, rows }) => <Groups key={kind} kind={kind} rows={rows} player={known.player} />)}
        <Causes causes={causes} player={known.player} />
      </section>
      <p class="quiet">
        {t("point")} {t("explain")}
        {known.total.loss_search_error !== undefined && ` ${t("searchError", points(known.total.loss_search_error))}`}
      </p>
    </main>
  );
}

/** All causes of losses. Each opens its moves. */
function Causes({ causes, player }: { causes: Lesson[]; player: string }) {
  return (
    <details class="group causes">
      <summary>
        <b>{t("causes")}</b> <span class="quiet">{causes.slice(0, 2).map(({ text }) => text).join(" · ")}{causes.length > 2 && " …"}</span>
      </summary>
      <ul>
        {causes.map((cause) => (
          <li>
            <details>
              <summary>
                {cause.text}
                {cause.estimate !== null && <span class="quiet">{` · ${t("estimate", points(cause.estimate), points(cause.level ?? 0))}`}</span>}
              </summary>
              {cause.interval && (
                <p class="quiet">{t("estimateText", points(cause.interval[0]), points(cause.interval[1]), number(100 * (cause.weight ?? 0), 0))}</p>
              )}
              {cause.moments.some(({ text }) => text.includes("?")) && <Train kind={cause.kind} cause={cause.cause} player={player} label={t("practiseThis")} />}
              <Moments moments={cause.moments} />
            </details>
          </li>
        ))}
      </ul>
    </details>
  );
}
