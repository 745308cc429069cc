// Loads data again whenever it may have changed. Only one request runs at a time, and only the
// answer of the last one is used. So an old answer never replaces a newer one.
import { Refusal } from "../api";

export class Loading {
  private isBusy = false;
  /** Whether the data changed while the request was running. It is then sent again. */
  private isOld = false;
  /**
   * The last refusal that this object reported. A successful answer clears it, but not refusals
   * that others reported.
   */
  refusal: Refusal | null = null;

  /** `ask` sends the request. It resolves to a function that applies the answer. */
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

  /** Reports a change of the data, so that a running request is sent again. */
  changed(): void {
    this.isOld = true;
  }
}
