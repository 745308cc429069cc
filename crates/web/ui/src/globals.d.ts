/** Whether a server stands behind the page; otherwise documents lie beside it, and nothing is judged. Set by each build. */
declare const HAS_SERVER: boolean;
