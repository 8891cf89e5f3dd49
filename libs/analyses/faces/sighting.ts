import type { Followed, Sighted } from '../tracking/track.js';
import type { DetectedFace } from './detect.js';
import type { FaceLook } from './look-changes.js';

/** A face in one sampled frame. */
export type Sighting = DetectedFace & Sighted & { look: FaceLook };

/** A face followed by place alone. */
export type Tracklet = Followed<Sighting>;
