// The page: rooms, and what is said when the server is gone.
import { signal } from "@preact/signals";
import { render, type ComponentType } from "preact";
import { useEffect } from "preact/hooks";
import "@lichess-org/chessground/assets/chessground.base.css";
import "@lichess-org/chessground/assets/chessground.cburnett.css";
import "./style/page.css";
import "./style/games.css";
import "./style/review.css";
import "./style/why.css";
import "./style/report.css";
import "./style/practise.css";
import "./style/phone.css";
import { api, hasSession, isLocked } from "./api";
import { connected, startEvents } from "./events";
import { GamesRoom } from "./rooms/games";
import { ReviewRoom } from "./rooms/review";
import { fragment, onLink, route } from "./route";
import { setting, status } from "./state";
import { language, setLanguage, w, type Word } from "./words";

const chosenLanguage = setting<string>("language", "");

/** Rooms that are loaded when they are first opened. */
const LATER: Record<string, () => Promise<ComponentType>> = {
  form: () => import("./rooms/form").then((room) => room.FormRoom),
  curves: () => import("./rooms/curves").then((room) => room.CurvesRoom),
  ease: () => import("./rooms/ease").then((room) => room.EaseRoom),
  puzzles: () => import("./rooms/puzzles").then((room) => room.PuzzlesRoom),
  engines: () => import("./rooms/engines").then((room) => room.EnginesRoom),
};
/** What asks for the server's token, which most servers do not have. */
const LOCK = "lock";

const loaded = signal<Record<string, ComponentType>>({});

function Later({ room }: { room: string }) {
  useEffect(() => {
    if (loaded.peek()[room]) return;
    const load = LATER[room] ?? (() => import("./rooms/lock").then((room) => room.Lock));
    void load().then((component) => (loaded.value = { ...loaded.peek(), [room]: component }));
  }, [room]);
  const Loaded = loaded.value[room];
  return Loaded ? <Loaded /> : <main id="main" class="message" aria-busy="true">{w("wait")}</main>;
}

function Room() {
  const { room, id } = route.value;
  if (room === "review" && id !== null) return <ReviewRoom key={id} id={id} />;
  if (room in LATER) return <Later key={room} room={room} />;
  return <GamesRoom />;
}

function Page() {
  const here = route.value.room;
  return (
    <div class="page" onClick={onLink}>
      <a class="skip" href="#main" onClick={() => document.getElementById("main")?.querySelector<HTMLElement>("button, [tabindex='0'], a")?.focus()}>
        {w("skip")}
      </a>
      <header class="top">
        <a class="logo" href="/">
          <img src="/icon.svg" alt="" width="26" height="26" /> <span>Centipawn</span>
        </a>
        <nav aria-label="Centipawn">
          <a href="/" aria-current={here in LATER ? undefined : "page"}>{w("review")}</a>
          {(Object.keys(LATER) as Word[]).map((room) => (
            <a href={`/${room}`} aria-current={here === room ? "page" : undefined}>{w(room)}</a>
          ))}
        </nav>
        {hasSession() && !isLocked.value && (
          <button type="button" class="plain" onClick={() => void api.endSession().then(() => location.reload())}>{w("endSession")}</button>
        )}
        <button
          type="button"
          class="plain language"
          lang={language.value === "en" ? "de" : "en"}
          onClick={() => {
            const next = language.peek() === "en" ? "de" : "en";
            chosenLanguage.set(next);
            setLanguage(next);
          }}
        >
          {language.value === "en" ? "Deutsch" : "English"}
        </button>
      </header>
      {connected.value === false && !isLocked.value && <p class="gone" role="alert">{w("gone")}</p>}
      {isLocked.value ? <Later key={LOCK} room={LOCK} /> : <Room />}
    </div>
  );
}

async function begin(): Promise<void> {
  try {
    const code = fragment().get("code");
    if (code) {
      // It serves once, and does not stay in the address.
      history.replaceState(null, "", location.pathname + location.search);
      await api.session({ code }).catch(() => (isLocked.value = true));
    }
    status.value = await api.status();
  } catch {
    // Rooms say what is missing; the events say when the server is back.
  }
  setLanguage(chosenLanguage.get() || status.value?.language || "en");
}

setLanguage(chosenLanguage.get() || "en");
async function start(): Promise<void> {
  // A login code is exchanged before anything is asked.
  const hasCode = fragment().has("code");
  const beginning = begin();
  if (hasCode) await beginning;
  startEvents();
  render(<Page />, document.getElementById("page")!);
}

void start();
