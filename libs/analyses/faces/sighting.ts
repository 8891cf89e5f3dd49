import type { Followed, Sighted } from '../tracking/track.js';
import type { DetectedFace } from './detect.js';

/** A face in one sampled frame. */
export type Sighting = DetectedFace & Sighted;

/** A face followed by place alone. */
export type Tracklet = Followed<Sighting>;
