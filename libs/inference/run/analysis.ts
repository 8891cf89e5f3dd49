import type { AudioSpec, FrameSpec, InputKind, Json, ModelPin, Unit } from '@adit/contracts';
import type { AudioPack, FramePack, RgbImage } from '@adit/media';
import type { z } from 'zod';
import type { Comparison } from './comparison.js';
import type { NetworkSession } from '../session.js';

export type { AudioPack, FramePack, RgbImage };
export { audioGridAround, cropRgb, frameAt, GRID_MARGIN_SECONDS } from '@adit/media';

/** What each kind of input is asked for with, and what an analysis is given of it. */
interface InputKinds {
  frames: { spec: FrameSpec; unit: Unit<'image' | 'video'>; pack: FramePack };
  audio: { spec: AudioSpec; unit: Unit<'audio'>; pack: AudioPack };
}

/** What an analysis wants of media: one pack is decoded for each spec. */
export interface InputSpec<Args, Kind extends InputKind = InputKind> {
  kind: Kind;
  specs(args: Args): InputKinds[Kind]['spec'][];
}

/** One unit as an analysis sees or hears it. */
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
  /** Sessions for the models the analysis names; shared and batched across jobs. */
  networks: Networks<Model>;
  /**
   * Keeps a picture with the observations (best view of a face) and returns its reference. It is shrunk to `maxSide`
   * pixels off the main thread, never enlarged; don't shrink it yourself.
   */
  keepPicture(
    name: string,
    image: RgbImage,
    options?: { maxSide?: number },
  ): Promise<{ key: string; width: number; height: number }>;
  signal: AbortSignal;
}

/** A way of looking at media: what costs. It knows nothing of jobs, galleries, dictionaries or words. */
export interface AnalysisDefinition<
  Args extends z.ZodType = z.ZodType,
  Observations = unknown,
  Kind extends InputKind = InputKind,
  Model extends string = string,
> {
  /** Also the folder's name and part of the topic `analyses.<name>.requested`. */
  name: string;
  /** The inference service that runs it: `face`, `object`, … */
  family: string;
  /** Raised whenever the same pixels or samples would give other observations. */
  version: number;
  args: Args;
  /** Shape of what is written down, for the modules that read it. */
  observations: z.ZodType<Observations>;
  /** Names of the networks it runs, whatever its arguments are or by them. */
  models: readonly Model[] | ((args: z.infer<Args>) => readonly Model[]);
  input: InputSpec<z.infer<Args>, Kind>;
  analyse(input: AnalysisInput<Kind>, context: AnalysisContext<z.infer<Args>, Model>): Promise<Observations>;
  /** Holds what two versions of a network saw of one unit against each other; left out, versions cannot be tried beside each other. */
  compare?(stable: Observations, candidate: Observations): Comparison;
}

/** Types an analysis; analyses are found by scanning their folders, never by a list. */
export function defineAnalysis<Args extends z.ZodType, Observations, Kind extends InputKind, Model extends string>(
  definition: AnalysisDefinition<Args, Observations, Kind, Model>,
): AnalysisDefinition<Args, Observations, Kind, Model> {
  return definition;
}

/** What identifies the result of an analysis over a unit, but for the media: models, input specs and arguments. */
export interface AnalysisIdentity {
  analysis: string;
  version: number;
  args: Json;
  /** Empty for one that sees none. */
  frames: FrameSpec[];
  /** Left out for one that hears nothing. */
  audio?: AudioSpec[];
  models: ModelPin[];
  /** How networks become float16, where a pin asks for it; left out otherwise. */
  float16?: number;
}
