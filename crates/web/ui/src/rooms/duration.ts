// Durations, and how long a job still takes.
import { number, wordsOf } from "../words";

const t = wordsOf({
  seconds: ["{0} s", "{0} s"],
  minutes: ["{0} min", "{0} min"],
  hours: ["{0} h {1} min", "{0} h {1} min"],
});

/** A duration in minutes, or in hours if it is long. */
export function duration(seconds: number): string {
  const minutes = Math.round(seconds / 60);
  if (seconds < 90) return t("seconds", number(Math.max(seconds, 1), 0));
  return minutes < 90 ? t("minutes", minutes) : t("hours", Math.floor(minutes / 60), minutes % 60);
}

/** Seconds after which a pace means something. */
const MEASURED = 2;

/** Estimates the time left from the progress that is seen. */
export class Pace {
  private since = 0;
  private from = 0;

  /** The seconds left when `done` of `total` are done; `null` while the pace is unknown. */
  left(done: number, total: number, now = performance.now() / 1000): number | null {
    if (this.since === 0 || done < this.from) [this.since, this.from] = [now, done];
    const [passed, finished] = [now - this.since, done - this.from];
    return passed < MEASURED || finished === 0 ? null : Math.round((passed / finished) * (total - done));
  }
}
