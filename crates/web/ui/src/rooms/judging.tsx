// Settings for the curve and symbols of the shown review. A change needs no engine.
import { curveNames, status } from "../state";
import type { Judge } from "../types";
import { w } from "../words";
import type { Table } from "./table";

export function Judging({ table }: { table: Table }) {
  const judge = table.judge.value;
  const known = status.value;
  if (!known || table.plies.value.length === 0) return null;
  const set = (change: Judge) => {
    const all = { ...table.judge.peek(), ...change };
    void table.setJudge(Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined && value !== "")));
  };
  const needsBalance = known.curves_with_balance.includes(judge.curve ?? "");
  const scheme = (table.game.value?.scheme ?? known.scheme).split(",");
  return (
    <form class="judging" onSubmit={(event) => event.preventDefault()}>
      <label>
        {w("curve")}
        <select value={judge.curve ?? ""} onChange={(event) => set({ curve: event.currentTarget.value || undefined, balance: undefined })}>
          <option value="">{judge.curve ? w("ownCurve") : (table.game.value?.curve.replace(/, k [\d.]+$/, "") ?? w("ownCurve"))}</option>
          {curveNames().map((name) => (
            <option value={name}>{name}</option>
          ))}
        </select>
      </label>
      {needsBalance && (
        <label>
          {w("balance")}
          <input
            type="number"
            min="0.05"
            max="5"
            step="0.01"
            value={judge.balance ?? 1}
            onChange={(event) => set({ balance: event.currentTarget.valueAsNumber || 1 })}
          />
        </label>
      )}
      <label>
        {w("scheme")}
        <select value={scheme[0]} onChange={(event) => set({ scheme: [event.currentTarget.value, scheme[1]].filter(Boolean).join(",") })}>
          {known.schemes[0].map((name) => (
            <option value={name}>{name}</option>
          ))}
        </select>
      </label>
    </form>
  );
}
