// The state that all rooms share.
import { signal } from "@preact/signals";
import type { Status } from "./types";

/** The server's limits and defaults; `null` until it has answered. */
export const status = signal<Status | null>(null);

/** A setting that is kept after a reload. With `sessionStorage`, it is kept for one tab only. */
export function setting<T extends string>(name: string, value: T, storage = () => localStorage): { get(): T; set(value: T): void } {
  return {
    get: () => {
      try {
        return (storage().getItem(name) as T | null) ?? value;
      } catch {
        return value;
      }
    },
    set: (value) => {
      try {
        storage().setItem(name, value);
      } catch {
        // Without storage, the setting is lost when the page is closed.
      }
    },
  };
}

/** The user's name in the games, as given in the room “Me”; empty until then. */
export const me = signal(setting<string>("me", "").get());
me.subscribe((name) => setting<string>("me", "").set(name));

/** Whether a name in a game is the user's. Upper and lower case are the same name. */
export const isMe = (name: string): boolean => me.value !== "" && name.trim().toLowerCase() === me.value.trim().toLowerCase();

/** The user's color in a game between these players; `null` if the user is neither. */
export const mySide = (white: string, black: string): "white" | "black" | null => (isMe(white) ? "white" : isMe(black) ? "black" : null);

/** Copies text. Browsers provide `navigator.clipboard` only over HTTPS and from this machine. */
export async function copyText(text: string): Promise<void> {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  const before = document.activeElement;
  const field = document.createElement("textarea");
  field.value = text;
  document.body.append(field);
  field.select();
  document.execCommand("copy");
  field.remove();
  if (before instanceof HTMLElement) before.focus();
}

/**
 * The curve that reviews and the form use unless the user chooses another one there. Empty if they
 * use their own.
 */
export const chosenCurve = signal(setting<string>("curve", "").get());
chosenCurve.subscribe((name) => setting<string>("curve", "").set(name));

/** The name in requests of the human curve for a rating and a time control. */
export const curveName = (rating: number, time: string): string => `human ${rating} ${time}`;

/** The names of the curves that the user can choose. */
export function curveNames(): string[] {
  const names = status.value?.curves ?? [];
  const own = chosenCurve.value;
  return own && !names.includes(own) ? [own, ...names] : names;
}
