// What all rooms share.
import { signal } from "@preact/signals";
import type { Status } from "./types";

/** What the server has and allows; null until it has answered. */
export const status = signal<Status | null>(null);

/** A setting that survives a reload; in `sessionStorage`, for one tab of the browser. */
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
        // Without storage the setting lasts as long as the page.
      }
    },
  };
}

/** Copies text. Over plain HTTP from another machine, browsers have no `navigator.clipboard`. */
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

/** The curve that reviews and the form take unless another is chosen there; empty for their own. */
export const chosenCurve = signal(setting<string>("curve", "").get());
chosenCurve.subscribe((name) => setting<string>("curve", "").set(name));

/** The curve of people of this rating with this time, as requests name it. */
export const curveName = (rating: number, time: string): string => `human ${rating} ${time}`;

/** The curves to choose from. */
export function curveNames(): string[] {
  const names = status.value?.curves ?? [];
  const own = chosenCurve.value;
  return own && !names.includes(own) ? [own, ...names] : names;
}
