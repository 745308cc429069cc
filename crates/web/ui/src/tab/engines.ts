// Engines: Stockfish as WebAssembly, one worker for each core. An engine receives the commands that
// the program wrote, and returns the lines that it prints, unread.

/** The engine's script beside the page. Its module has the same name. */
const SCRIPT = "engine/stockfish.js";

/** Milliseconds that an engine may take to introduce itself. */
const PATIENCE = 60_000;

interface Search {
  commands: string;
  lines: string[];
  isStopped: boolean;
}

class Engine {
  search: Search | null = null;
  private readonly worker: Worker;
  private hear: (line: string) => void = () => undefined;

  constructor(base: string, private readonly onEnd: (search: Search) => void, onError: (reason: string) => void) {
    this.worker = new Worker(new URL(SCRIPT, base), { name: "engine" });
    this.worker.onmessage = ({ data }: MessageEvent<unknown>) => this.hear(String(data));
    this.worker.onerror = (event) => onError(event.message || "the engine cannot be loaded");
  }

  /** Returns what the engine prints after `uci`. */
  introduce(): Promise<string> {
    const lines: string[] = [];
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error("the engine does not start")), PATIENCE);
      this.hear = (line) => {
        lines.push(line);
        if (line !== "uciok") return;
        clearTimeout(timer);
        resolve(lines.join("\n"));
      };
      this.worker.postMessage("uci");
    });
  }

  send(commands: string): void {
    for (const command of commands.split("\n")) if (command) this.worker.postMessage(command);
  }

  begin(commands: string): void {
    const search: Search = { commands, lines: [], isStopped: false };
    this.search = search;
    this.hear = (line) => {
      search.lines.push(line);
      if (!line.startsWith("bestmove")) return;
      this.search = null;
      this.onEnd(search);
    };
    this.send(commands);
  }

  /** Ends the search early. Its output is not used, because it is not that of the whole search. */
  stop(): void {
    if (!this.search || this.search.isStopped) return;
    this.search.isStopped = true;
    this.worker.postMessage("stop");
  }

  close(): void {
    this.worker.terminate();
  }
}

export class Engines {
  private engines: Engine[] = [];
  private starting: Promise<string> | null = null;
  private setUp = "";

  constructor(
    private readonly base: string,
    private readonly count: number,
    private readonly onAnswer: (commands: string, output: string) => void,
    private readonly onFailure: (reason: string) => void,
  ) {}

  /** Starts an engine, and returns how it introduces itself. */
  introduce(): Promise<string> {
    this.starting ??= this.add().introduce();
    return this.starting;
  }

  /** The commands for each engine before its first search. */
  begin(setUp: string): void {
    this.setUp = setUp;
    this.engines.forEach((engine) => engine.send(setUp));
  }

  private add(): Engine {
    const engine = new Engine(
      this.base,
      ({ commands, lines, isStopped }) => this.onAnswer(isStopped ? "" : commands, lines.join("\n")),
      (reason) => this.fail(reason),
    );
    this.engines.push(engine);
    return engine;
  }

  private fail(reason: string): void {
    this.engines.forEach((engine) => engine.close());
    this.engines = [];
    this.starting = null;
    this.onFailure(reason);
  }

  /** Runs these searches, the first ones first. A running search that is not among them stops. */
  run(wanted: string[]): void {
    const running = new Set(this.engines.map(({ search }) => search?.commands));
    for (const engine of this.engines) {
      if (engine.search && !wanted.includes(engine.search.commands)) engine.stop();
    }
    for (const commands of wanted) {
      if (running.has(commands)) continue;
      let idle = this.engines.find(({ search }) => !search);
      if (!idle && this.engines.length < this.count) {
        idle = this.add();
        idle.send(this.setUp);
      }
      if (!idle) return;
      idle.begin(commands);
      running.add(commands);
    }
  }
}
