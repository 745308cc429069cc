// The frame of the page: links to the rooms, and a message while the server does not answer.
import { options, render, type ComponentType, type VNode } from "preact";
import { useEffect } from "preact/hooks";
import "@lichess-org/chessground/assets/chessground.base.css";
import "@lichess-org/chessground/assets/chessground.cburnett.css";
import "./style/page.css";
import "./style/games.css";
import "./style/review.css";
import "./style/why.css";
import "./style/report.css";
import "./style/phone.css";
import "./style/print.css";
import { api, hasSession, isLocked } from "./api";
import { withBase } from "./base";
import { listenForDrops } from "./dropped";
import { connected, startEvents } from "./events";
import { later } from "./later";
import { Lock } from "./rooms/lock";
import { arrived, focusMain, fragment, onLink, route } from "./route";
import { setting, status } from "./state";
import { language, setLanguage, w, type Word } from "./words";

// Links and images name addresses of the page, `/review/17`. Below another path than `/`, they get
// that path here, so that no room needs to know it.
const before = options.vnode;
options.vnode = (vnode) => {
  const props = vnode.props as { href?: unknown; src?: unknown };
  if (vnode.type === "a" && typeof props.href === "string" && props.href.startsWith("/")) props.href = withBase(props.href);
  if (vnode.type === "img" && typeof props.src === "string" && props.src.startsWith("/")) props.src = withBase(props.src);
  before?.(vnode as VNode);
};

const chosenLanguage = setting<string>("language", "");

/** Each room's code is loaded when the room is first opened. */
const ReviewRoom = later(() => import("./rooms/review").then((room) => room.ReviewRoom));
const ROOMS: Record<string, ComponentType> = {
  games: later(() => import("./rooms/games").then((room) => room.GamesRoom)),
  me: later(() => import("./rooms/me").then((room) => room.MeRoom)),
  form: later(() => import("./rooms/form").then((room) => room.FormRoom)),
  curves: later(() => import("./rooms/curves").then((room) => room.CurvesRoom)),
  ease: later(() => import("./rooms/ease").then((room) => room.EaseRoom)),
  puzzles: later(() => import("./rooms/puzzles").then((room) => room.PuzzlesRoom)),
  ...(IN_TAB
    ? { browser: later(() => import("./tab/browser").then((room) => room.BrowserRoom)) }
    : { engines: later(() => import("./rooms/engines").then((room) => room.EnginesRoom)) }),
};
/** The rooms in the navigation, without the first one, the reviews. */
const OTHERS = Object.keys(ROOMS).slice(1) as Word[];

function Room() {
  const { room, id, visit } = route.value;
  if (room === "review" && id !== null) return <ReviewRoom key={`${id} ${visit}`} id={id} />;
  const Named = Object.hasOwn(ROOMS, room) ? ROOMS[room]! : NoRoom;
  return <Named key={`${room} ${visit}`} />;
}

/** What a mistyped address shows. */
function NoRoom() {
  useEffect(() => {
    document.title = `${w("noRoom")} · Centipawn`;
    arrived();
  }, []);
  return (
    <main id="main" class="message">
      <h1>{w("noRoom")}</h1>
      <p><a href="/">{w("toGames")}</a></p>
    </main>
  );
}

function Page() {
  const here = route.value.room;
  return (
    <div class="page" onClick={onLink}>
      <a
        class="skip"
        href="#main"
        onClick={(event) => {
          // Moving the focus must not change the address, because its fragment holds the move that
          // is shown.
          event.preventDefault();
          focusMain();
        }}
      >
        {w("skip")}
      </a>
      <header class="top">
        <a class="logo" href="/">
          <img src="/icon.svg" alt="" width="26" height="26" /> <span>Centipawn</span>
        </a>
        <nav aria-label="Centipawn">
          <a href="/" aria-current={here === "games" || here === "review" ? "page" : undefined}>{w("review")}</a>
          {OTHERS.map((room) => (
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
          aria-label={language.value === "en" ? "Deutsch" : "English"}
          onClick={() => {
            const next = language.peek() === "en" ? "de" : "en";
            chosenLanguage.set(next);
            setLanguage(next);
          }}
        >
          <span class="long">{language.value === "en" ? "Deutsch" : "English"}</span>
          <span class="brief">{language.value === "en" ? "DE" : "EN"}</span>
        </button>
      </header>
      {connected.value === false && !isLocked.value && <p class="gone" role="alert">{w(IN_TAB ? "elsewhere" : "gone")}</p>}
      {isLocked.value ? <Lock /> : <Room />}
    </div>
  );
}

async function begin(): Promise<void> {
  try {
    const code = fragment().get("code");
    if (code) {
      // A login code works once, so remove it from the address and the history.
      history.replaceState(null, "", location.pathname + location.search);
      await api.session({ code }).catch(() => (isLocked.value = true));
    }
    status.value = await api.status();
  } catch {
    // The rooms show what is missing, and the events report when the server is back.
  }
  setLanguage(chosenLanguage.get() || ofBrowser() || status.value?.language || "en");
}

/**
 * German if the browser's language is German, otherwise empty, which means the language of the
 * server.
 */
const ofBrowser = () => (navigator.language.startsWith("de") ? "de" : "");

setLanguage(chosenLanguage.get() || ofBrowser() || "en");
async function start(): Promise<void> {
  listenForDrops();
  // A login code must be exchanged before other requests, because they need the session.
  const hasCode = fragment().has("code");
  const beginning = begin();
  if (hasCode) await beginning;
  startEvents();
  render(<Page />, document.getElementById("page")!);
}

void start();
