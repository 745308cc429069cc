// Deletion of games, after a count of what is deleted.
import { useSignal } from "@preact/signals";
import { api, Refusal } from "../api";
import type { Deleted, DeleteWanted } from "../types";
import { isolated, w, wordsOf } from "../words";

const t = wordsOf({
  delete: ["Delete", "Löschen"],
  deleteGame: ["Delete this game", "Diese Partie löschen"],
  gone: ["The game is deleted.", "Die Partie ist gelöscht."],
  deleteOf: ["Delete all games of a player", "Alle Partien eines Spielers löschen"],
  deleted: ["The games of {0} are deleted.", "Die Partien von {0} sind gelöscht."],
  deleteBatch: ["Delete these games", "Diese Partien löschen"],
  games: ["{0} game|{0} games", "{0} Partie|{0} Partien"],
  reviews: ["{0} review|{0} reviews", "{0} Analyse|{0} Analysen"],
  puzzles: ["{0} puzzle|{0} puzzles", "{0} Aufgabe|{0} Aufgaben"],
  attempts: ["{0} attempt|{0} attempts", "{0} Versuch|{0} Versuche"],
  count: ["This deletes {0}. It cannot be undone.", "Das löscht {0}. Es lässt sich nicht rückgängig machen."],
});

/** A button that deletes after it has shown what will be deleted. */
function Delete({ wanted, label, onDone }: { wanted: DeleteWanted; label?: string; onDone(): void }) {
  const counts = useSignal<Deleted | null>(null);
  const problem = useSignal<string | null>(null);
  const ask = async (confirmed: boolean) => {
    problem.value = null;
    try {
      const answer = await api.remove({ ...wanted, confirmed });
      counts.value = confirmed ? null : answer;
      if (confirmed) onDone();
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      counts.value = null;
      problem.value = error.text;
    }
  };
  const asked = counts.value;
  return (
    <span class="delete">
      {asked ? (
        <span class="problem" role="alertdialog" aria-label={t("delete")}>
          {t("count", (["games", "reviews", "puzzles", "attempts"] as const).filter((kind) => asked[kind] > 0).map((kind) => t(kind, asked[kind])).join(", "))}{" "}
          <button type="button" class="danger" onClick={() => void ask(true)}>{t("delete")}</button>{" "}
          <button type="button" onClick={() => (counts.value = null)}>{w("cancel")}</button>
        </span>
      ) : (
        <button type="button" class="plain" onClick={() => void ask(false)}>{label ?? t("delete")}</button>
      )}
      {problem.value && <span class="problem" role="alert">{problem.value}</span>}
    </span>
  );
}

/** Deletes a game, then leads back to the list. */
export function DeleteGame({ id }: { id: number }) {
  const isGone = useSignal(false);
  return (
    <p class="take">
      {isGone.value ? (
        <span role="status">
          {t("gone")} <a href="/">{w("games")}</a>
        </span>
      ) : (
        <Delete wanted={{ games: [id] }} label={t("deleteGame")} onDone={() => (isGone.value = true)} />
      )}
    </p>
  );
}

export const DeleteBatch = ({ id, onDone }: { id: number; onDone(): void }) => <Delete wanted={{ batch: id }} label={t("deleteBatch")} onDone={onDone} />;

/** Deletes all games of a player, whose name is typed. */
export function DeletePlayer() {
  const player = useSignal("");
  const message = useSignal("");
  return (
    <form class="line" onSubmit={(event) => event.preventDefault()}>
      <label>
        {t("deleteOf")}
        <input type="text" autocomplete="off" value={player.value} onInput={(event) => (player.value = event.currentTarget.value)} />
      </label>
      {player.value.trim() && (
        <Delete
          key={player.value}
          wanted={{ player: player.value }}
          onDone={() => {
            message.value = t("deleted", isolated(player.peek().trim()));
            player.value = "";
          }}
        />
      )}
      <span role="status">{message.value}</span>
    </form>
  );
}
