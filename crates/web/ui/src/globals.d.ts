/**
 * Whether the page has a server. Otherwise it shows documents that it contains, and judges nothing.
 * Each build sets the value.
 */
declare const HAS_SERVER: boolean;
/**
 * Whether the page answers its requests itself, by a worker in the browser. Then `HAS_SERVER` is
 * true too: the rooms judge and search as with a server.
 */
declare const IN_TAB: boolean;
