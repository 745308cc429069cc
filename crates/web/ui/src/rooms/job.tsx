// The progress of a job, with buttons to cancel or continue it.
import { useSignal, type ReadonlySignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { api, Refusal } from "../api";
import type { Job } from "../types";
import { w, wholeMoves } from "../words";
import { duration, Pace } from "./duration";

// The lists of jobs and games share this chunk of the page.
export { DeleteBatch, DeleteGame, DeletePlayer } from "./keeping";

/** Whether the job is neither running nor waiting. */
export const hasEnded = (job: Job): boolean => job.state !== "running" && job.state !== "waiting";

/** `what` is the text while the job runs; by default it says that the game is reviewed. */
export function JobLine({ job: of, what }: { job: ReadonlySignal<Job | null>; what?: string }) {
  const problem = useSignal<string | null>(null);
  const job = of.value;
  const pace = useMemo(() => new Pace(), [job?.id]);
  const left = job?.state === "running" ? pace.left(job.done, job.total) : null;
  if (!job || job.state === "done") return null;
  const isOpen = !hasEnded(job);
  const wrong = problem.value ?? job.problem;
  const act = async (action: (id: number) => Promise<Job>) => {
    problem.value = null;
    try {
      await action(job.id);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      problem.value = error.text;
    }
  };
  return (
    <div class={`job ${job.state}`}>
      <span>
        {job.state === "running" ? (what ?? w("running")) : w(job.state)}
        {job.state === "running" && !what && ` · ${w("movesReviewed", wholeMoves(job.done), wholeMoves(job.total))}`}
        {left !== null && left > 0 && ` · ${w("secondsLeft", duration(left))}`}
      </span>
      {isOpen && <progress aria-label={what ?? w("running")} max={Math.max(job.total, 1)} value={job.state === "running" ? job.done : 0} />}
      {isOpen ? (
        <button type="button" onClick={() => void act(api.cancel)}>{w("cancel")}</button>
      ) : (
        <button type="button" onClick={() => void act(api.goOn)}>{job.state === "failed" ? w("again") : w("goOn")}</button>
      )}
      {wrong && <span class="problem" role="alert" title={wrong}>{wrong}</span>}
    </div>
  );
}
