// A button that uses a curve for the whole page, or stops using it.
import { chosenCurve } from "../state";
import { t } from "./curve-words";

export function Use({ name }: { name: string }) {
  const chosen = chosenCurve.value;
  return (
    <p class="buttons">
      {chosen !== name && (
        <button type="button" class="main" onClick={() => (chosenCurve.value = name)}>{t("use")}</button>
      )}
      {chosen && (
        <>
          <span class="quiet">{chosen === name ? t("used") : t("usedOther", chosen)}</span>
          <button type="button" onClick={() => (chosenCurve.value = "")}>{t("drop")}</button>
        </>
      )}
    </p>
  );
}
