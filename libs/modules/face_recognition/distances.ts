/*
 * Distances of two embeddings of `face-embedding`, ‖a − b‖, 0..2. `npm run eval` measures how far apart photos of one person are
 * at most, and those of two people at least: libs/analyses/faces/README.md has the numbers.
 */

/** Two faces at most this far apart are one person: below every pair of two people. */
export const SAME_FACE_DISTANCE = 1.0;
/**
 * From here on they are two people, even in the same place of the frame: a cut from one speaker to the other. It lies below the
 * nearest pair of two people among the photos (1.084). A face that turns farther from itself than that begins anew, and is told to
 * be the same person by who it is.
 */
export const OTHER_FACE_DISTANCE = 1.08;
