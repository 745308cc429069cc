// Files that are dropped on the page. They are games in every room, so the room of games opens.
import { signal } from "@preact/signals";
import { go, route } from "./route";

interface Dropped {
  files: File[];
  /** Text that was dragged from another window; empty if there are files. */
  text: string;
}

/** What was dropped and is not added yet. The room of games takes it. */
export const dropped = signal<Dropped | null>(null);

/** Whether something that can be dropped is above the page. */
export const isOver = signal(false);

/** Text is taken in the room of games only, and other rooms leave file fields their own drops. */
function isWanted({ dataTransfer, target }: DragEvent): boolean {
  if (route.peek().room === "games") return true;
  const isField = target instanceof HTMLInputElement && target.type === "file";
  return dataTransfer !== null && dataTransfer.types.includes("Files") && !isField;
}

/** Listens from the beginning: a browser shows a dropped file instead of the page otherwise. */
export function listenForDrops(): void {
  addEventListener("dragover", (event: DragEvent) => {
    if (!isWanted(event)) return;
    event.preventDefault();
    isOver.value = true;
  });
  addEventListener("dragleave", ({ relatedTarget }: DragEvent) => {
    if (!relatedTarget) isOver.value = false;
  });
  addEventListener("drop", (event: DragEvent) => {
    isOver.value = false;
    if (!isWanted(event)) return;
    event.preventDefault();
    const files = [...(event.dataTransfer?.files ?? [])];
    const text = files.length > 0 ? "" : (event.dataTransfer?.getData("text/plain") ?? "");
    if (files.length === 0 && text === "") return;
    dropped.value = { files, text };
    if (route.peek().room !== "games") go("/");
  });
}
