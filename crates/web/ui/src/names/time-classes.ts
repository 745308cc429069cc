// Generated from the words of centipawn-review; UPDATE_LABELS=1 in the tests writes it.
export const timeClasses = ["ultraBullet", "bullet", "blitz", "rapid", "classical", "correspondence"] as const;
