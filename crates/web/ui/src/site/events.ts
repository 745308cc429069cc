// Replaces ../events in the build of sites. Without a server there are no events.
export const onEvent = (): (() => void) => () => undefined;
