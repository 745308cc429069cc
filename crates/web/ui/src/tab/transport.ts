// Replaces ../transport in the build without a server: a worker answers the requests.
import { ask } from "./link";

const API = /^\/api\//;

export async function transport(address: string, { method = "get", body, signal }: RequestInit): Promise<Response> {
  signal?.throwIfAborted();
  const bytes = await new Response(body).arrayBuffer();
  const { status, kind, body: answer } = await ask(method, address.replace(API, ""), bytes, signal);
  return new Response(answer, { status, headers: { "Content-Type": kind } });
}

/** Saves the file at an address of the interface, as a server's download. */
export async function save(address: string): Promise<void> {
  const { status, kind, file, body } = await ask("GET", address.replace(API, ""), new ArrayBuffer(0));
  if (status !== 200) return;
  const blob = new Blob([body as ArrayBuffer], { type: kind });
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = file;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
