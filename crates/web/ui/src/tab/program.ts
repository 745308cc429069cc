// The crate centipawn-tab as WebAssembly. Messages and answers are a line of JSON and a body; see
// crates/tab/src/exports.rs.

interface Exports extends WebAssembly.Exports {
  memory: WebAssembly.Memory;
  reserve(length: number): number;
  run(): number;
  answer(): number;
}

/** What to do. */
export type Message =
  | { do: "start"; engines: number }
  | { do: "networks"; sizes: number[] }
  | { do: "load"; key: string }
  | { do: "resume" }
  | { do: "handle"; method: string; path: string; now: number }
  | { do: "introduce" }
  | { do: "answer"; commands: string }
  | { do: "forget" }
  | { do: "fail"; reason: string };

/** The first line of an answer. */
export interface Head {
  status: number;
  kind: string;
  file: string;
  set_up: string | null;
  error: string | null;
  /** The searches to run. */
  wanted: string[];
  needs_engine: boolean;
  changes: [key: string, value: string | null][];
  /** Each as JSON. */
  events: string[];
}

const LINE_END = 10;

export class Program {
  private constructor(private readonly exports: Exports) {}

  static async load(module: BufferSource | WebAssembly.Module): Promise<Program> {
    const compiled = module instanceof WebAssembly.Module ? module : await WebAssembly.compile(module);
    const instance = await WebAssembly.instantiate(compiled, {});
    return new Program(instance.exports as Exports);
  }

  run(message: Message, body: Uint8Array | string = ""): { head: Head; body: Uint8Array } {
    const line = new TextEncoder().encode(`${JSON.stringify(message)}\n`);
    const rest = typeof body === "string" ? new TextEncoder().encode(body) : body;
    const at = this.exports.reserve(line.length + rest.length);
    const room = new Uint8Array(this.exports.memory.buffer, at, line.length + rest.length);
    room.set(line);
    room.set(rest, line.length);
    const length = this.exports.run();
    // The memory may have grown, so its bytes are looked up again.
    const answer = new Uint8Array(this.exports.memory.buffer, this.exports.answer(), length).slice();
    const end = answer.indexOf(LINE_END);
    return { head: JSON.parse(new TextDecoder().decode(answer.subarray(0, end))) as Head, body: answer.subarray(end + 1) };
  }
}
