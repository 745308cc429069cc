// The filter of the list of games. It is part of the address, so that going back shows the same
// list.
import { useSignal, type Signal } from "@preact/signals";
import type { ComponentChildren, JSX } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { timeClasses } from "../names/time-classes";
import type { GameFilter } from "../types";
import { w, wordsOf } from "../words";

const t = wordsOf({
  filter: ["Filter", "Filter"],
  search: ["Search", "Suchen"],
  player: ["Player", "Spieler"],
  color: ["With", "Mit"],
  either: ["either colour", "beiden Farben"],
  result: ["Result", "Ergebnis"],
  any: ["any", "beliebig"],
  won: ["won", "gewonnen"],
  lost: ["lost", "verloren"],
  drawn: ["drawn", "remis"],
  since: ["From", "Von"],
  until: ["To", "Bis"],
  time: ["Time control", "Bedenkzeit"],
  opening: ["Opening", "Eröffnung"],
  family: ["Family of openings", "Familie von Eröffnungen"],
  ratingFrom: ["Rating from", "Wertung von"],
  ratingTo: ["Rating to", "Wertung bis"],
  reviewed: ["Reviewed", "Analysiert"],
  yes: ["yes", "ja"],
  no: ["no", "nein"],
  sort: ["Order", "Reihenfolge"],
  added: ["added last", "zuletzt hinzugefügt"],
  played: ["played last", "zuletzt gespielt"],
  reviewedLast: ["reviewed last", "zuletzt analysiert"],
  clear: ["Clear the filter", "Filter löschen"],
});

const TEXTS = ["search", "player", "color", "result", "since", "until", "time_class", "opening", "family"] as const;
/** Values that need a player's name. */
const OF_PLAYER = ["white", "black", "won", "lost"];
const NUMBERS = ["rating_from", "rating_to"] as const;

/** Reads the filter from the address. */
export function filterOfAddress(): GameFilter {
  const given = new URLSearchParams(location.search);
  const filter: GameFilter = {};
  for (const name of TEXTS) if (given.get(name)) filter[name] = given.get(name)!;
  for (const name of NUMBERS) if (Number(given.get(name))) filter[name] = Number(given.get(name));
  if (given.has("reviewed")) filter.reviewed = given.get("reviewed") === "yes";
  const sort = given.get("sort");
  if (sort === "played" || sort === "reviewed") filter.sort = sort;
  return filter;
}

/** The address of the list with a filter. */
export function addressOfFilter(filter: GameFilter): string {
  const parts = new URLSearchParams();
  for (const [name, value] of Object.entries(filter)) {
    if (value === undefined || value === null || value === "" || value === "added") continue;
    parts.set(name, value === true ? "yes" : value === false ? "no" : String(value));
  }
  const query = parts.toString();
  return query ? `/?${query}` : "/";
}

/** Whether a filter leaves out games. */
export const isNarrowed = (filter: GameFilter): boolean =>
  Object.entries(filter).some(([name, value]) => name !== "sort" && value !== undefined && value !== "");

/**
 * A field that the user types into. While it has the focus, nothing else writes it: the list is
 * drawn again after each answer, and that must not replace what was typed in the meantime.
 */
function Typed({ value, onType, ...rest }: { value: string; onType(value: string): void } & Omit<JSX.IntrinsicElements["input"], "value" | "onInput" | "ref">) {
  const field = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => {
    const shown = field.current!;
    if (document.activeElement !== shown && shown.value !== value) shown.value = value;
  });
  return <input {...(rest as object)} ref={field} onInput={(event) => onType(event.currentTarget.value)} />;
}

/** The search, the order, what else the list offers, and the other conditions. */
export function FilterForm({ filter, children }: { filter: Signal<GameFilter>; children: ComponentChildren }) {
  const set = (change: Partial<GameFilter>) => (filter.value = { ...filter.peek(), ...change });
  const now = filter.value;
  const text = (name: (typeof TEXTS)[number], label: string) => (
    <label>
      {label}
      <Typed type="text" value={now[name] ?? ""} onType={(value) => set({ [name]: value })} />
    </label>
  );
  const rating = (name: (typeof NUMBERS)[number], label: string) => (
    <label>
      {label}
      <Typed type="number" min="0" max="4000" step="50" value={String(now[name] ?? "")} onType={(value) => set({ [name]: Number(value) || undefined })} />
    </label>
  );
  const choice = (name: (typeof TEXTS)[number], label: string, options: [string, string][]) => (
    <label>
      {label}
      <select value={now[name] ?? ""} onChange={(event) => set({ [name]: event.currentTarget.value })}>
        {options.map(([value, label]) => (
          <option value={value} disabled={OF_PLAYER.includes(value) && !now.player}>{label}</option>
        ))}
      </select>
    </label>
  );
  const { search: _, ...conditions } = now;
  const has = isNarrowed(conditions);
  const isOpen = useSignal(has);
  return (
    <>
      <Typed type="search" placeholder={t("search")} aria-label={t("search")} value={now.search ?? ""} onType={(search) => set({ search })} />
      <label class="sort">
        <span class="hidden">{t("sort")}</span>
        <select value={now.sort ?? "added"} onChange={(event) => set({ sort: event.currentTarget.value as NonNullable<GameFilter["sort"]> })}>
          <option value="added">{t("added")}</option>
          <option value="played">{t("played")}</option>
          <option value="reviewed">{t("reviewedLast")}</option>
        </select>
      </label>
      {children}
      <details class="filter" open={isOpen.value} onToggle={(event) => (isOpen.value = event.currentTarget.open)}>
        <summary>{t("filter")}</summary>
        <div class="conditions">
          {text("player", t("player"))}
          {choice("color", t("color"), [["", t("either")], ["white", w("white")], ["black", w("black")]])}
          {choice("result", t("result"), [["", t("any")], ["won", t("won")], ["lost", t("lost")], ["drawn", t("drawn")], ["1-0", "1-0"], ["0-1", "0-1"]])}
          {text("since", t("since"))}
          {text("until", t("until"))}
          {choice("time_class", t("time"), [["", t("any")], ...timeClasses.map((name): [string, string] => [name, name])])}
          {text("opening", t("opening"))}
          {now.family && text("family", t("family"))}
          {rating("rating_from", t("ratingFrom"))}
          {rating("rating_to", t("ratingTo"))}
          <label>
            {t("reviewed")}
            <select
              value={now.reviewed === undefined || now.reviewed === null ? "" : now.reviewed ? "yes" : "no"}
              onChange={({ currentTarget: { value } }) => set({ reviewed: value === "" ? undefined : value === "yes" })}
            >
              <option value="">{t("any")}</option>
              <option value="yes">{t("yes")}</option>
              <option value="no">{t("no")}</option>
            </select>
          </label>
          {has && <button type="button" onClick={() => (filter.value = {})}>{t("clear")}</button>}
        </div>
      </details>
    </>
  );
}
