/** Whether a server stands behind the page; otherwise documents lie beside it, and nobody judges. Set by each build. */
declare const HAS_SERVER: boolean;
