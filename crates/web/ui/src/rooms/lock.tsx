// The form for the server's token.
import { useSignal } from "@preact/signals";
import { api, Refusal } from "../api";
import { w, wordsOf } from "../words";

const t = wordsOf({
  token: ["Token", "Schlüssel"],
  text: ["This server asks for the token that it printed when it was started.", "Dieser Server verlangt den Schlüssel, den er beim Start ausgegeben hat."],
  wrong: ["This is not the token of this server.", "Das ist nicht der Schlüssel dieses Servers."],
});

export function Lock() {
  const problem = useSignal<string | null>(null);
  return (
    <main id="main" class="message">
      <h1>{t("token")}</h1>
      <p>{t("text")}</p>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          const token = String(new FormData(event.currentTarget).get("token")).trim();
          api.session({ token }).then(
            () => location.reload(),
            (error: unknown) => {
              if (!(error instanceof Refusal)) throw error;
              problem.value = error.status === 401 ? t("wrong") : error.text;
            },
          );
        }}
      >
        <label>
          {t("token")}
          <input name="token" autocomplete="off" spellcheck={false} />
        </label>
        <p>
          <button type="submit" class="main">{w("open")}</button>
        </p>
        {problem.value && <p class="problem" role="alert">{problem.value}</p>}
      </form>
    </main>
  );
}
