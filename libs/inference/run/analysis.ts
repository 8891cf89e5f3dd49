import type { AudioSpec, FrameSpec, InputKind, Json, ModelPin, Unit } from '@adit/contracts';
import type { AudioPack, FramePack, RgbImage } from '@adit/media';
import type { z } from 'zod';
import type { Comparison } from './comparison.js';
import type { NetworkSession } from '../session.js';

export type { AudioPack, FramePack, RgbImage };
export { audioGridAround, cropRgb, frameAt, GRID_MARGIN_SECONDS } from '@adit/media';

/** Request type and content of each input kind. */
interface InputKinds {
  frames: { spec: FrameSpec; unit: Unit<'image' | 'video'>; pack: FramePack };
  audio: { spec: AudioSpec; unit: Unit<'audio'>; pack: AudioPack };
}

/** Media input of an analysis: one pack is decoded per spec. */
export interface InputSpec<Args, Kind extends InputKind = InputKind> {
  kind: Kind;
  specs(args: Args): InputKinds[Kind]['spec'][];
}

/** One unit as input of an analysis. */
export type AnalysisInput<Kind extends InputKind = 'frames'> = {
  [K in Kind]: {
    kind: K;
    unit: InputKinds[K]['unit'];
    /** By the index of the spec in the analysis's `input`. */
    packs: InputKinds[K]['pack'][];
  };
}[Kind];

/** Sessions by the names of the models that an analysis runs. */
export type Networks<Model extends string> = Readonly<Record<Model, NetworkSession>>;

export interface AnalysisContext<Args, Model extends string = string> {
  args: Args;
  /** Sessions of the analysis's models; shared and batched across jobs. */
  networks: Networks<Model>;
  /**
   * Stores a picture with the observations (best view of a face) and returns its reference. It is shrunk to `maxSide`
   * pixels off the main thread, never enlarged; do not shrink it yourself.
   */
  keepPicture(
    name: string,
    image: RgbImage,
    options?: { maxSide?: number },
  ): Promise<{ key: string; width: number; height: number }>;
  signal: AbortSignal;
}

/**
 * Definition of an analysis: the expensive part, running models over media. It is independent of jobs, galleries,
 * dictionaries and words.
 */
export interface AnalysisDefinition<
  Args extends z.ZodType = z.ZodType,
  Observations = unknown,
  Kind extends InputKind = InputKind,
  Model extends string = string,
> {
  /** Also the folder's name and part of the topic `analyses.<name>.requested`. */
  name: string;
  /** Inference pool that runs it: `face`, `object`, … */
  family: string;
  /** Raised whenever the same pixels or samples would give other observations. */
  version: number;
  args: Args;
  /** Schema of the stored observations, for the modules that read them. */
  observations: z.ZodType<Observations>;
  /** Names of the networks it runs, fixed or by its arguments. */
  models: readonly Model[] | ((args: z.infer<Args>) => readonly Model[]);
  input: InputSpec<z.infer<Args>, Kind>;
  analyse(input: AnalysisInput<Kind>, context: AnalysisContext<z.infer<Args>, Model>): Promise<Observations>;
  /** Compares the observations of two versions of a network for one unit; without it, versions cannot be canaried. */
  compare?(stable: Observations, candidate: Observations): Comparison;
}

/** Types an analysis definition; analyses are found by scanning folders. */
export function defineAnalysis<Args extends z.ZodType, Observations, Kind extends InputKind, Model extends string>(
  definition: AnalysisDefinition<Args, Observations, Kind, Model>,
): AnalysisDefinition<Args, Observations, Kind, Model> {
  return definition;
}

/** Identity of an analysis's result, except for the media: models, input specs and arguments. */
export interface AnalysisIdentity {
  analysis: string;
  version: number;
  args: Json;
  /** Empty for an analysis without frames. */
  frames: FrameSpec[];
  /** Omitted for an analysis without sound. */
  audio?: AudioSpec[];
  models: ModelPin[];
  /** FLOAT16_VERSION, where a pin asks for float16; omitted otherwise. */
  float16?: number;
}
