// Rooms whose code is loaded when they are first opened.
import { signal } from "@preact/signals";
import type { ComponentType } from "preact";
import { useEffect } from "preact/hooks";
import { arrived } from "./route";
import { w } from "./words";

/** Milliseconds until the code is requested again from a server that did not answer. */
const AGAIN = 1000;

/** A component for a room whose code is loaded when it is first shown. */
export function later<P extends object>(load: () => Promise<ComponentType<P>>): ComponentType<P> {
  const loaded = signal<ComponentType<P> | null>(null);
  let isAsked = false;
  const ask = () => {
    isAsked = true;
    load().then(
      (component) => (loaded.value = component),
      () => setTimeout(ask, AGAIN),
    );
  };
  return function Later(props: P) {
    if (!isAsked) ask();
    const Loaded = loaded.value;
    useEffect(() => {
      if (Loaded) arrived();
    });
    return Loaded ? <Loaded {...props} /> : <main id="main" class="message" aria-busy="true">{w("wait")}</main>;
  };
}
