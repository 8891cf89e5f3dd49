import type {
  AudioSpec,
  DictionaryPin,
  FrameSpec,
  JobRequest,
  Json,
  MediaKind,
  MediaType,
  ModelPin,
  ProcessingRange,
} from '@adit/contracts';

/** An analysis with everything that identifies its result but the media. */
export interface ResolvedAnalysis {
  analysis: string;
  family: string;
  digest: string;
  args: Record<string, Json>;
  frames: FrameSpec[];
  /** Audio parameters of an analysis of sound. */
  audio?: AudioSpec[];
  models: ModelPin[];
}

/** A module of a request after validation: defaults filled in, models pinned, needs resolved. */
export interface ResolvedModule {
  moduleId: string;
  postedAs: string;
  args: Record<string, Json>;
  range: ProcessingRange | null;
  models: ModelPin[];
  /** Kinds of source that it takes. */
  media: MediaKind[];
  /** Dictionaries that its arguments name. */
  dictionaries?: DictionaryPin[];
  analyses: ResolvedAnalysis[];
}

export interface NewJob {
  workspaceId: string;
  request: JobRequest;
  modules: readonly ResolvedModule[];
  /** Guess from the name; the probe corrects it. */
  mediaType: MediaType;
  /** Its only source is live; null: the address as shown is the whole one, else encrypted. */
  live?: {
    address: string | null;
    /** Seconds of it that are recorded; left out: none. */
    recordSeconds?: number;
    /** Seconds after which the next job goes on with it; left out: never. */
    rotateSeconds?: number;
  };
  traceparent: string | null;
  /** Id of the key that posts it. */
  keyId?: string;
  /** Export for which it looks around borders of segments. */
  exportId?: string;
}
