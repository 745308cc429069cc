// Sends a request to the server. tab/transport.ts replaces this in the build without a server.

/** Sends a request and returns the response, whatever its status is. */
export const transport = (address: string, options: RequestInit): Promise<Response> =>
  fetch(address, { ...options, headers: { "X-Centipawn": "1" } });
