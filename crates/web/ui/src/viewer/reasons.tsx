// Why a move is a mistake: the reason in words, lines to step through, and the better move.
import type { Table } from "../rooms/table";
import type { Ply } from "../types";
import { halfMoves, numbered, w } from "../words";

export function Reasons({ table, ply }: { table: Table; ply: Ply }) {
  const fen = table.moves.value?.fen ?? "";
  return (
    <>
      {ply.remark && <p class="remark">{ply.remark}</p>}
      {ply.reason && <p class="reason">{ply.reason.text}</p>}
      {!ply.reason && ply.better && (ply.symbol === "?" || ply.symbol === "??") && ply.lines.length > 0 && (
        <p class="remark quiet">{w("noReason", numbered(halfMoves(fen) + ply.ply - 1, ply.better.san[0]!, true))}</p>
      )}
      {ply.reason?.kind === "allows" && ply.reason.san.length > 1 && (
        <p class="line quiet">
          {w("refutation")}: <Line table={table} ply={ply.reason.ply} san={ply.reason.san} uci={ply.reason.uci} />
        </p>
      )}
      {ply.better && (
        <p class="line quiet">
          {w("better")}: <Line table={table} ply={ply.ply - 1} san={ply.better.san} uci={ply.better.uci} />
        </p>
      )}
      {ply.remark_numbers && <p class="quiet numbers">{ply.remark_numbers}</p>}
      {ply.hardness && <p class="quiet">{ply.hardness}</p>}
    </>
  );
}

/** A line whose moves can be played on the board. */
function Line({ table, ply, san, uci }: { table: Table; ply: number; san: string[]; uci: string[] }) {
  const isMain = table.ownPly.value === 0;
  const half = halfMoves(table.moves.value?.fen ?? "") + ply;
  return (
    <span class="pv">
      {san.map((move, index) => (
        <>
          <button
            type="button"
            class="plain"
            disabled={!isMain}
            onClick={() => {
              table.go(ply);
              table.removeOwn();
              for (const step of uci.slice(0, index + 1)) table.play(step);
            }}
          >
            {numbered(half + index, move, index === 0)}
          </button>{" "}
        </>
      ))}
    </span>
  );
}
