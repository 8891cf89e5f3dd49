/**
 * Distance from which two faces are two people, even in the same place of the frame: a cut between speakers. It lies
 * below the nearest pair of two people among the photos (1.084). A face that turns farther from itself starts a new
 * track, which its identity joins. See also SAME_FACE_DISTANCE of the contracts.
 */
export const OTHER_FACE_DISTANCE = 1.08;
