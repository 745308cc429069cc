// Parts of the page that are loaded when they are first shown.
import { signal } from "@preact/signals";
import type { ComponentType } from "preact";
import { useEffect } from "preact/hooks";
import { w } from "./words";

/** A component that is loaded at its first use. A room is all of the page below its head; `arrived` is called when it is drawn. */
export function later<P extends object>(load: () => Promise<ComponentType<P>>, arrived?: () => void): ComponentType<P> {
  const loaded = signal<ComponentType<P> | null>(null);
  let isAsked = false;
  return function Later(props: P) {
    if (!isAsked) {
      isAsked = true;
      load().then(
        (component) => (loaded.value = component),
        // The server does not answer: the next drawing asks again.
        () => (isAsked = false),
      );
    }
    const Loaded = loaded.value;
    useEffect(() => {
      if (Loaded) arrived?.();
    });
    if (Loaded) return <Loaded {...props} />;
    return arrived ? <main id="main" class="message" aria-busy="true">{w("wait")}</main> : <p class="quiet" aria-busy="true">{w("wait")}</p>;
  };
}
