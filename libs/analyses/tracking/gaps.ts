/*
 * Longest absences of a followed object. Both affect observations: another value requires a new version of the analyses
 * that use it. The gap that a segment bridges is up to modules (GAP_SECONDS in libs/contracts/gaps.ts).
 */

/**
 * Seconds after which a lost object is not followed by position any more: two missed samples at two frames per second.
 * After three, a walking face has left its predicted place.
 */
export const FOLLOWED_SECONDS = 1.6;

/**
 * Longest gap in seconds between two tracks that are joined because their embeddings show one person: a cut to somebody
 * else and back, a quick turn. Longer than following, since it does not depend on position; no longer than a segment
 * bridges, which would split them again.
 */
export const JOINED_SECONDS = 2;
