import type { Detection, Job, MediaType } from '@adit/contracts';

/** Facts about one source of the job, in the job's order. Null where a fact has no meaning (images have no fps). */
export interface ReportSource {
  /** The posted address: a path, a URL or a storage key. */
  source: string;
  /** Display name. */
  name: string;
  mediaType: MediaType;
  /** Frames per second. */
  fps: number | null;
  /** Width and height of the displayed frame, pixels. */
  resolution: [number, number] | null;
  /** Seconds. */
  duration: number | null;
  /** Timecode of the first frame, `HH:MM:SS:FF` or `HH:MM:SS;FF`; null counts from zero. */
  startTimecode?: string | null;
  /** Numbers a second of its timecodes; null counts frames. */
  timecodeRate?: number | null;
}

/** Reads a JPEG; null when it has gone. */
export type ReadPicture = () => Promise<Uint8Array | null>;

/** A segment. Times are seconds from the source's first frame, frames inclusive. */
export interface ReportSegment {
  module: string;
  /** Its place among all results of the job, from 0: the `segment_id` of the API. */
  seq?: number;
  /** `face`, `object`, … */
  type: string;
  label: string;
  sourceIndex: number;
  timeStart: number;
  timeEnd: number;
  tcStart: string;
  tcEnd: string;
  frameStart: number | null;
  frameEnd: number | null;
  /** 0..1. */
  confidence: number;
  /** The module's own fields: similarity, distance, closest_person … */
  meta: Record<string, unknown>;
  /** Boxes as fractions of the displayed frame. */
  detections: Detection[];
  /** The best view. */
  thumbnail: ReadPicture | null;
  /** A picture of the whole frame that shows it best; `frame` is counted from the start of the source. */
  keyFrame: { frame: number; jpeg: ReadPicture; width: number; height: number } | null;
}

/** A row of summarized results, or what a module says of a source as a whole. */
export interface ReportSummary {
  sourceIndex: number;
  /** `gender_count`, `person_screen_time`, … */
  type: string;
  meta: Record<string, number>;
  /** Label of the whole source, e.g. `Gender Neutral`. */
  label?: string;
}

export interface ReportInput {
  job: Job;
  sources: ReportSource[];
  segments: ReportSegment[];
  summaries?: ReportSummary[];
  /** Number of segments the job has, when `segments` are only the first of them; the report says so. */
  segmentTotal?: number;
}

export interface ReportOptions {
  /**
   * Most bytes of JPEG the report carries. Thumbnails come first, then key frames of the longest segments; what is left
   * out is said in the report. Default 32 MiB.
   */
  pictureBudget?: number;
}
