// Nothing happens beside documents. The site's build takes this file in place of ../events.
export const onEvent = (): (() => void) => () => undefined;
