// What is asked again whenever something happens: a list, a game on the board. Only the answer to the newest question counts.
import { Refusal } from "../api";

export class Loading {
  private asked = 0;
  private answered = 0;
  /** The last refusal. A later answer takes it back, and no refusal that came from elsewhere. */
  refusal: Refusal | null = null;

  /** `ask` resolves to a function that applies the answer. */
  constructor(
    private readonly ask: () => Promise<() => void>,
    private readonly refused: (refusal: Refusal) => void,
  ) {}

  async load(): Promise<void> {
    const turn = ++this.asked;
    let take: () => void;
    try {
      take = await this.ask();
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      take = () => this.refused((this.refusal = error));
    }
    if (turn !== this.asked) return;
    this.answered = turn;
    take();
  }

  /** Something has changed: an answer under way may not know it yet, and is asked for again. */
  changed(): void {
    if (this.asked !== this.answered) void this.load();
  }
}
