// Swipes to the left and right on touch screens.

/** Minimum length of a swipe in pixels. It must also be twice as long as it is high. */
const LENGTH = 45;

/** Handlers of an element on which a swipe goes to the next (1) or the previous (-1) of something. */
export function onSwipe(go: (direction: 1 | -1) => void): { onTouchStart(event: TouchEvent): void; onTouchEnd(event: TouchEvent): void } {
  let begin: Touch | null = null;
  return {
    onTouchStart: (event) => {
      // Two fingers zoom the page.
      begin = event.touches.length === 1 ? event.touches[0]! : null;
    },
    onTouchEnd: (event) => {
      const end = event.changedTouches[0];
      if (!begin || !end) return;
      const [x, y] = [end.clientX - begin.clientX, end.clientY - begin.clientY];
      begin = null;
      if (Math.abs(x) >= LENGTH && Math.abs(x) > 2 * Math.abs(y)) go(x < 0 ? 1 : -1);
    },
  };
}
