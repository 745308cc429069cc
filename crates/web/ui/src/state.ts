// What all rooms share.
import { signal } from "@preact/signals";
import type { Job, Status } from "./types";

/** What the server has and allows; null until it has answered. */
export const status = signal<Status | null>(null);

/** Work that runs or waits, wherever one is. */
export const jobs = signal<ReadonlyMap<number, Job>>(new Map());

/** A setting that survives a reload. */
export function setting<T extends string>(name: string, value: T): { get(): T; set(value: T): void } {
  return {
    get: () => {
      try {
        return (localStorage.getItem(name) as T | null) ?? value;
      } catch {
        return value;
      }
    },
    set: (value) => {
      try {
        localStorage.setItem(name, value);
      } catch {
        // Without storage the setting lasts as long as the page.
      }
    },
  };
}
