/*
 * Distances of two embeddings of `face-embedding`, ‖a − b‖, 0..2. `npm run eval` measures the largest distance of one
 * person's photos and the smallest of two people's: see libs/analyses/faces/README.md.
 */

/** Largest distance of two faces of one person: below every pair of two people. */
export const SAME_FACE_DISTANCE = 1.0;
/**
 * Distance from which two faces are two people, even in the same place of the frame: a cut between speakers. It lies
 * below the nearest pair of two people among the photos (1.084). A face that turns farther from itself starts a new
 * track, which its identity joins.
 */
export const OTHER_FACE_DISTANCE = 1.08;
