// The form that adds games: files, pasted PGN or FENs, and games of accounts.
import { untracked, useSignal, useSignalEffect } from "@preact/signals";
import { useRef } from "preact/hooks";
import { api, Refusal } from "../api";
import { dropped, isOver } from "../dropped";
import type { Games } from "../types";
import { w, wordsOf } from "../words";
import { AccountForm, accountOf, inputOf, siteOf, useWanted } from "./account";
import { addressHelp } from "./address-help";

const t = wordsOf({
  addTitle: ["Add games", "Partien hinzufügen"],
  addBrief: [
    "Files may be dropped anywhere. The name of an account on Lichess or Chess.com adds its games.",
    "Dateien lassen sich überall ablegen. Der Name eines Kontos bei Lichess oder Chess.com fügt dessen Partien hinzu.",
  ],
  addText: [
    "Drop files here, paste PGN or a FEN, or choose files. For your games on Lichess or Chess.com, write your name there; on your click the server asks that site.",
    "Dateien hierher ziehen, PGN oder FEN einfügen oder Dateien wählen. Für deine Partien bei Lichess oder Chess.com deinen Namen dort schreiben; auf deinen Klick fragt der Server diese Seite.",
  ],
  addTextTab: [
    "Drop files here, paste PGN or a FEN, or choose files. For your games on Lichess or Chess.com, write your name there; on your click your browser asks that site. Everything stays in this browser.",
    "Dateien hierher ziehen, PGN oder FEN einfügen oder Dateien wählen. Für deine Partien bei Lichess oder Chess.com deinen Namen dort schreiben; auf deinen Klick fragt dein Browser diese Seite. Alles bleibt in diesem Browser.",
  ],
  paste: ["PGN or FEN", "PGN oder FEN"],
  placeholder: ["1. e4 e5 2. Nf3 …, or your name", "1. e4 e5 2. Sf3 … oder dein Name"],
  add: ["Add", "Hinzufügen"],
});

/** A name for messages, and the games. */
export type Input = [name: string, body: BodyInit];

export async function addOne(name: string, body: BodyInit): Promise<Games> {
  // An address contains no white space; games and positions do.
  if (typeof body === "string" && !/\s/.test(body.trim())) {
    const help = addressHelp(body);
    if (help) throw new Refusal(help.reason, help.hint, 0);
  }
  return api.addGames(name, body);
}

const inputsOf = (files: Iterable<File> | null): Input[] => [...(files ?? [])].map((file) => [file.name, file]);

export function AddGames({ add, isBrief }: { add(...inputs: Input[]): Promise<Games | null>; isBrief: boolean }) {
  const text = useSignal("");
  const isBusy = useSignal(false);
  const wanted = useWanted();
  const file = useRef<HTMLInputElement>(null);
  const take = async (...inputs: Input[]): Promise<Games | null> => {
    if (inputs.length === 0) return null;
    isBusy.value = true;
    try {
      return await add(...inputs);
    } finally {
      isBusy.value = false;
    }
  };
  const account = accountOf(text.value);
  const takeText = async (account?: string) => {
    const typed = text.peek();
    if (!typed.trim()) return;
    const body = account ?? typed;
    const answer = await take([siteOf(body) ?? t("paste"), body]);
    // Empty the field only if all of it was read and nothing else was typed in the meantime.
    // Otherwise the user can correct the text.
    if (answer?.problems.length === 0 && text.peek() === typed) text.value = "";
  };
  useSignalEffect(() => {
    const games = dropped.value;
    if (!games) return;
    dropped.value = null;
    const inputs = games.files.length > 0 ? inputsOf(games.files) : [[t("paste"), games.text] satisfies Input];
    untracked(() => void take(...inputs));
  });
  return (
    <form
      class={`add${isBrief ? " brief" : ""}${isOver.value ? " over" : ""}`}
      onSubmit={(event) => {
        event.preventDefault();
        if (account?.site) void takeText(inputOf(account, account.site, wanted));
        else if (!account) void takeText();
      }}
    >
      <label for="paste">{t("addTitle")}</label>
      <p class="quiet" id="paste-text">{t(isBrief ? "addBrief" : IN_TAB ? "addTextTab" : "addText")}</p>
      <textarea
        id="paste"
        rows={isBrief ? 1 : 3}
        spellcheck={false}
        aria-describedby="paste-text"
        placeholder={t("placeholder")}
        value={text.value}
        onInput={(event) => (text.value = event.currentTarget.value)}
        onKeyDown={(event) => {
          // A name is one line, so Enter ends it.
          if (event.key !== "Enter" || event.shiftKey || !account) return;
          event.preventDefault();
          event.currentTarget.form?.requestSubmit();
        }}
      />
      {account && <AccountForm account={account} wanted={wanted} isBusy={isBusy.value} add={(input) => void takeText(input)} />}
      <div class="buttons">
        {(!account || account.site) && (
          <button type="submit" class="main" disabled={isBusy.value || text.value.trim() === ""}>{t("add")}</button>
        )}
        <button type="button" disabled={isBusy.value} onClick={() => file.current?.click()}>{w("choose")}</button>
        <input
          ref={file}
          type="file"
          multiple
          class="hidden"
          tabIndex={-1}
          aria-label={w("choose")}
          accept=".pgn,.txt,.gz,.zst,.bz2"
          onChange={(event) => {
            void take(...inputsOf(event.currentTarget.files));
            event.currentTarget.value = "";
          }}
        />
      </div>
    </form>
  );
}

