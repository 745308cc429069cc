/**
 * Waits until a position has stayed on the board for a moment. Otherwise each position that the
 * user steps through would start a request.
 */
export const settled = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 120));
