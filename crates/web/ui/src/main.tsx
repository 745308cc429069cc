// The page: rooms, and what is said when the server is gone.
import { signal } from "@preact/signals";
import { render, type ComponentType } from "preact";
import { useEffect } from "preact/hooks";
import "@lichess-org/chessground/assets/chessground.base.css";
import "@lichess-org/chessground/assets/chessground.cburnett.css";
import "./style.css";
import { api } from "./api";
import { connected, startEvents } from "./events";
import { GamesRoom } from "./rooms/games";
import { ReviewRoom } from "./rooms/review";
import { onLink, route } from "./route";
import { setting, status } from "./state";
import { language, setLanguage, w } from "./words";

const chosenLanguage = setting<string>("language", "");

/** The form is loaded when it is first opened. */
const formRoom = signal<ComponentType | null>(null);

function Form() {
  useEffect(() => {
    if (!formRoom.peek()) void import("./rooms/form").then(({ FormRoom }) => (formRoom.value = FormRoom));
  }, []);
  const Loaded = formRoom.value;
  return Loaded ? <Loaded /> : <main id="main" class="message" aria-busy="true">{w("wait")}</main>;
}

function Room() {
  const { room, id } = route.value;
  if (room === "review" && id !== null) return <ReviewRoom key={id} id={id} />;
  if (room === "form") return <Form />;
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
          <img src="/icon.svg" alt="" width="26" height="26" /> Centipawn
        </a>
        <nav aria-label="Centipawn">
          <a href="/" aria-current={here !== "form" ? "page" : undefined}>{w("review")}</a>
          <a href="/form" aria-current={here === "form" ? "page" : undefined}>{w("form")}</a>
        </nav>
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
      {connected.value === false && <p class="gone" role="alert">{w("gone")}</p>}
      <Room />
    </div>
  );
}

async function begin(): Promise<void> {
  try {
    status.value = await api.status();
  } catch {
    // Rooms say what is missing; the events say when the server is back.
  }
  setLanguage(chosenLanguage.get() || status.value?.language || "en");
}

setLanguage(chosenLanguage.get() || "en");
startEvents();
render(<Page />, document.getElementById("page")!);
void begin();
