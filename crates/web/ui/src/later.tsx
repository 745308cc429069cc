// Parts of the page that are loaded when they are first shown.
import { signal } from "@preact/signals";
import type { ComponentType } from "preact";
import { useEffect } from "preact/hooks";
import { w } from "./words";

/** Milliseconds until a server that did not answer is asked again. */
const AGAIN = 1000;

/** A component that is loaded at its first use. A room is all of the page below its head; `arrived` is called when it is drawn. */
export function later<P extends object>(load: () => Promise<ComponentType<P>>, arrived?: () => void): ComponentType<P> {
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
      if (Loaded) arrived?.();
    });
    if (Loaded) return <Loaded {...props} />;
    return arrived ? <main id="main" class="message" aria-busy="true">{w("wait")}</main> : <p class="quiet" aria-busy="true">{w("wait")}</p>;
  };
}
