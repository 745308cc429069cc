/**
 * Whether the page has a server. Otherwise it shows documents that it contains, and judges nothing.
 * Each build sets the value.
 */
declare const HAS_SERVER: boolean;
