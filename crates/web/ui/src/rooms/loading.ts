// What is asked again whenever something happens: a list, a game on the board. One question is under way at a time, and only the answer to
// the newest counts.
import { Refusal } from "../api";

export class Loading {
  private isBusy = false;
  /** Whether the answer under way is out of date, so that the question is asked again after it. */
  private isOld = false;
  /** The last refusal. A later answer takes it back, and no refusal that came from elsewhere. */
  refusal: Refusal | null = null;

  /** `ask` resolves to a function that applies the answer. */
  constructor(
    private readonly ask: () => Promise<() => void>,
    private readonly refused: (refusal: Refusal) => void,
  ) {}

  async load(): Promise<void> {
    this.isOld = true;
    if (this.isBusy) return;
    this.isBusy = true;
    try {
      let take = () => {};
      while (this.isOld) {
        this.isOld = false;
        take = await this.answer();
      }
      take();
    } finally {
      this.isBusy = false;
    }
  }

  private async answer(): Promise<() => void> {
    try {
      return await this.ask();
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return () => this.refused((this.refusal = error));
    }
  }

  /** Something has changed: an answer under way may not know it yet, and is asked for again. */
  changed(): void {
    this.isOld = true;
  }
}
