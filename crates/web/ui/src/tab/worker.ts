// The worker behind the page without a server. It runs the program, keeps its records in the
// browser's database, and lets engines run the searches that the program asks for.
/// <reference lib="webworker" />
import { AccountError, gamesOf } from "./accounts";
import { Engines } from "./engines";
import type { Ask, FromWorker, ToWorker } from "./messages";
import { type Head, type Message, Program } from "./program";
import { Records } from "./records";

/** The status of a call that waits for searches. */
const ASK = 102;
/** The files of the policy, which judging needs. */
const NETWORKS = [1100, 1500, 1900, 2200].map((rating) => `networks/maia-${rating}-packed.pb.gz`);
/** Requests that judge nothing: they are answered before the policy is loaded. */
const PLAIN = /^(status|games|curve|people|symbols|jobs|players|puzzles)(\?|$)|^(games\/\d+|games\/select|library\/delete|export|import)$/;

/** The program beside the page. */
const PROGRAM = "centipawn.wasm";

const tell = (message: FromWorker, transfer: Transferable[] = []) => self.postMessage(message, { transfer });
const now = () => Math.floor(Date.now() / 1000);

async function get(address: URL): Promise<Response> {
  const response = await fetch(address);
  if (!response.ok) throw new Error(`${address.pathname} cannot be loaded`);
  return response;
}

class Backend {
  /** Calls that wait for searches, by their number. */
  private readonly waiting = new Map<number, Ask>();
  private readonly engines: Engines;
  private policy: Promise<void> | null = null;
  private hasEngine = false;
  private isStarting = false;
  /** The searches that the program asked for last. */
  private wanted: string[] = [];
  private needsEngine = false;
  /** Changes and events that are not delivered yet. */
  private changes: Head["changes"] = [];
  private events: string[] = [];

  private constructor(
    private readonly program: Program,
    private readonly records: Records,
    private readonly base: string,
    count: number,
  ) {
    this.engines = new Engines(
      base,
      count,
      (commands, output) => void this.guarded(() => this.answered(commands, output)),
      (reason) => void this.guarded(() => this.failed(reason)),
    );
  }

  static async open(base: string): Promise<Backend> {
    const load = async () => Program.load(await (await get(new URL(PROGRAM, base))).arrayBuffer());
    const [records, program] = await Promise.all([Records.open(), load()]);
    const count = Math.max(1, navigator.hardwareConcurrency ?? 1);
    const backend = new Backend(program, records, base, count);
    backend.run({ do: "start", engines: count });
    await records.load((key, value) => backend.run({ do: "load", key }, value));
    backend.run({ do: "resume" });
    return backend;
  }

  private run(message: Message, body?: Uint8Array | string): { head: Head; body: Uint8Array } {
    const answer = this.program.run(message, body);
    const { wanted, needs_engine, changes, events } = answer.head;
    [this.wanted, this.needsEngine] = [wanted, needs_engine];
    this.changes.push(...changes);
    this.events.push(...events);
    return answer;
  }

  /** Continues what a closed tab left. */
  async goOn(): Promise<void> {
    await this.settle();
    if (this.needsEngine) await this.pump();
  }

  /** Runs work of the program. Its failure is reported, because the program cannot go on. */
  async guarded(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      tell({ broken: error instanceof Error ? error.message : String(error) });
    }
  }

  async ask(call: Ask): Promise<void> {
    try {
      if (!PLAIN.test(call.path)) await this.loadPolicy();
      if (call.method === "POST" && /^games(\?|$)/.test(call.path) && call.body.byteLength < 500) {
        const games = await gamesOf(new TextDecoder().decode(call.body));
        if (games !== null) call = { ...call, body: new TextEncoder().encode(games).buffer as ArrayBuffer };
      }
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      const hint = error instanceof AccountError ? "Check the name, or try again later." : "Load the page again while you are online.";
      this.reply(call.id, 503, "application/json", "", new TextEncoder().encode(JSON.stringify({ error: reason, hint })));
      return;
    }
    await this.handle(call);
    await this.pump();
  }

  async abort(id: number): Promise<void> {
    if (!this.waiting.delete(id)) return;
    this.run({ do: "forget" });
    await this.again();
    await this.pump();
  }

  private async handle(call: Ask): Promise<void> {
    const { method, path } = call;
    const { head, body } = this.run({ do: "handle", method, path, now: now() }, new Uint8Array(call.body));
    const { status, kind, file } = head;
    if (status === ASK) {
      this.waiting.set(call.id, call);
      return;
    }
    this.waiting.delete(call.id);
    await this.settle();
    this.reply(call.id, status, kind, file, body);
  }

  private reply(id: number, status: number, kind: string, file: string, body: Uint8Array): void {
    const bytes = body.slice().buffer as ArrayBuffer;
    tell({ reply: id, status, kind, file, body: bytes }, [bytes]);
  }

  /** Repeats the calls that wait. They are copied, because a call may wait again. */
  private async again(): Promise<void> {
    for (const call of Array.from(this.waiting.values())) if (this.waiting.has(call.id)) await this.handle(call);
  }

  /** Stores the changes, then notifies the page. */
  private async settle(): Promise<void> {
    const [events, changes] = [this.events, this.changes];
    [this.events, this.changes] = [[], []];
    if (changes.length > 0) await this.records.write(changes);
    for (const event of events) tell({ event: JSON.parse(event) as unknown });
  }

  /** Starts the engine if it is needed, and runs the searches that are missing. */
  private async pump(): Promise<void> {
    if (this.hasEngine) {
      this.engines.run(this.wanted);
      return;
    }
    if (!this.needsEngine || this.isStarting) return;
    this.isStarting = true;
    try {
      const [introduction] = await Promise.all([this.engines.introduce(), this.loadPolicy()]);
      const { head } = this.run({ do: "introduce" }, introduction);
      if (head.error !== null) throw new Error(head.error);
      this.engines.begin(head.set_up ?? "");
      this.hasEngine = true;
    } catch (error) {
      await this.failed(error instanceof Error ? error.message : String(error));
      return;
    } finally {
      this.isStarting = false;
    }
    this.run({ do: "forget" });
    await this.settle();
    await this.again();
    await this.pump();
  }

  private async answered(commands: string, output: string): Promise<void> {
    if (commands) this.run({ do: "answer", commands }, output);
    await this.settle();
    await this.again();
    await this.pump();
  }

  private async failed(reason: string): Promise<void> {
    this.hasEngine = false;
    this.run({ do: "fail", reason });
    await this.settle();
    const hint = "Load the page again while you are online.";
    for (const id of this.waiting.keys()) {
      this.reply(id, 503, "application/json", "", new TextEncoder().encode(JSON.stringify({ error: reason, hint })));
    }
    this.waiting.clear();
  }

  private loadPolicy(): Promise<void> {
    const load = async () => {
      const files = await Promise.all(NETWORKS.map(async (name) => (await get(new URL(name, this.base))).blob()));
      const body = new Uint8Array(await new Blob(files).arrayBuffer());
      this.run({ do: "networks", sizes: files.map(({ size }) => size) }, body);
    };
    this.policy ??= load().catch((error: unknown) => {
      this.policy = null;
      throw error;
    });
    return this.policy;
  }
}

/** Only one tab has the data: two would overwrite each other's records. */
function alone(): Promise<void> {
  if (!("locks" in navigator)) return Promise.resolve();
  return new Promise((resolve) => {
    void navigator.locks.request("centipawn", { ifAvailable: true }, (lock) => {
      if (lock) {
        resolve();
        return new Promise(() => undefined);
      }
      tell({ isReady: false });
      void navigator.locks.request("centipawn", () => {
        resolve();
        return new Promise(() => undefined);
      });
      return undefined;
    });
  });
}

let opening: Promise<Backend> | null = null;

async function open(base: string): Promise<Backend> {
  await alone();
  const backend = await Backend.open(base);
  tell({ isReady: true });
  void backend.guarded(() => backend.goOn());
  return backend;
}

self.onmessage = ({ data }: MessageEvent<ToWorker>) => {
  if ("start" in data) {
    opening = open(data.start);
    opening.catch((error: unknown) => tell({ broken: String(error) }));
  }
  void opening?.then((backend) =>
    backend.guarded(async () => {
      if ("ask" in data) await backend.ask(data.ask);
      if ("abort" in data) await backend.abort(data.abort);
    }),
  );
};
