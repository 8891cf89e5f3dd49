/*
 * How long something may be out of sight. Both are part of what observations are: another value is another version of the analyses
 * that use it. How long a gap a segment bridges is for modules to say (GAP_SECONDS in libs/contracts/gaps.ts).
 */

/**
 * Seconds after which what a detector misses is not followed by place any more: two missed samples at two frames per second.
 * After three, a face that walks has left the place where it would be looked for.
 */
export const FOLLOWED_SECONDS = 1.6;

/**
 * Seconds between two tracks that are joined because their embeddings show one person: a cut to somebody else and back, a quick
 * turn. Longer than things are followed, since it does not rest on place; no longer than a segment bridges, which would split
 * them again.
 */
export const JOINED_SECONDS = 2;
