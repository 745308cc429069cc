// The program of the page without a server, under Node.js; see crates/tab/src/exports.rs.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./browser.js";

const folder = join(root, "target", "tab");

/** Starts the program with its networks. */
export async function startProgram() {
  const { instance } = await WebAssembly.instantiate(readFileSync(join(folder, "centipawn.wasm")), {});
  const { memory, reserve, run, answer } = instance.exports;
  const encode = (text) => new TextEncoder().encode(text);
  const decode = (bytes) => new TextDecoder().decode(bytes);
  const send = (message, body = "") => {
    const bytes = Buffer.concat([encode(`${JSON.stringify(message)}\n`), typeof body === "string" ? encode(body) : body]);
    const at = reserve(bytes.length);
    new Uint8Array(memory.buffer, at, bytes.length).set(bytes);
    const length = run();
    const all = new Uint8Array(memory.buffer, answer(), length).slice();
    const end = all.indexOf(10);
    return { head: JSON.parse(decode(all.subarray(0, end))), body: all.subarray(end + 1) };
  };
  const networks = [1100, 1500, 1900, 2200].map((rating) => readFileSync(join(folder, "networks", `maia-${rating}-packed.pb.gz`)));
  send({ do: "start", engines: 1 });
  send({ do: "networks", sizes: networks.map(({ length }) => length) }, Buffer.concat(networks));
  return {
    send,
    ask: (method, path, body = "") => send({ do: "handle", method, path, now: 1_790_000_000 }, body),
    text: (bytes) => decode(bytes),
    memory: () => memory.buffer.byteLength,
  };
}
