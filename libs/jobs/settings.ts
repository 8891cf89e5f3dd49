/** How much runs at the same time, and how long a try may take before it counts as lost. */
export interface JobSettings {
  /** Chunks in flight over all jobs. */
  maxChunksInFlight: number;
  /** Chunks in flight of one job (its credits, W). */
  chunksPerJob: number;
  /** Jobs of one workspace that are worked on at the same time. */
  activeJobsPerWorkspace: number;
  /** Films of one job that are fetched ahead of those being decoded. */
  sourcesAhead: number;
  /** Tries of a source, a chunk's decoding or a chunk's analysis before it fails with a reason. */
  maxAttempts: number;
  /** Seconds after which a try is taken for lost and dispatched again. */
  leaseSeconds: number;
  /** Images in one chunk. */
  imagesPerChunk: number;
}

export const DEFAULT_JOB_SETTINGS: JobSettings = {
  maxChunksInFlight: 8,
  chunksPerJob: 4,
  activeJobsPerWorkspace: 8,
  sourcesAhead: 2,
  maxAttempts: 3,
  leaseSeconds: 300,
  imagesPerChunk: 64,
};

/** Injection token of the process's JobSettings. */
export const JOB_SETTINGS = Symbol('JobSettings');
