/*
 * Distances of two embeddings of `face-embedding`, ‖a − b‖, 0..2. `npm run eval` measures how far apart photos of one person are
 * at most, and those of two people at least: libs/analyses/faces/README.md has the numbers.
 */

/** Two faces at most this far apart are one person: below every pair of two people, by a tenth. */
export const SAME_FACE_DISTANCE = 1.0;
/**
 * From here on they are two people, even in the same place of the frame: a cut from one speaker to the other. It lies above the
 * nearest pair of two people among the photos. That is a judgement, not a measurement: a face that turns goes far from itself, and
 * two people so alike seldom take each other's place within a gap.
 */
export const OTHER_FACE_DISTANCE = 1.2;
