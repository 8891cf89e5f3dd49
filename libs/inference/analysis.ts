import type { FrameSpec, Json, ModelPin, Unit } from '@adit/contracts';
import type { FramePack, RgbImage } from '@adit/media';
import type { z } from 'zod';
import type { NetworkSession } from './session.js';

export type { FramePack, RgbImage };
export { cropRgb } from '@adit/media';

/** One unit as an analysis sees it. */
export interface AnalysisInput {
  unit: Unit;
  /** By the index of the spec in the analysis's `frames`. */
  packs: FramePack[];
}

export interface AnalysisContext<Args> {
  args: Args;
  /** Sessions by model name, for the models the analysis names; shared and batched across jobs. */
  networks: Record<string, NetworkSession>;
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
export interface AnalysisDefinition<Args extends z.ZodType = z.ZodType, Observations = unknown> {
  /** Also the folder's name and part of the topic `analyses.<name>.requested`. */
  name: string;
  /** The inference service that runs it: `face`, `object`, … */
  family: string;
  /** Raised whenever the same pixels would give other observations. */
  version: number;
  args: Args;
  /** Shape of what is written down, for the modules that read it. */
  observations: z.ZodType<Observations>;
  /** Names of the networks it runs. */
  models: string[];
  frames(args: z.infer<Args>): FrameSpec[];
  analyse(input: AnalysisInput, context: AnalysisContext<z.infer<Args>>): Promise<Observations>;
}

/** Types an analysis; analyses are found by scanning their folders, never by a list. */
export function defineAnalysis<Args extends z.ZodType, Observations>(
  definition: AnalysisDefinition<Args, Observations>,
): AnalysisDefinition<Args, Observations> {
  return definition;
}

/** What identifies the result of an analysis over a unit, but for the media: models, frame specs and arguments. */
export interface AnalysisIdentity {
  analysis: string;
  version: number;
  args: Json;
  frames: FrameSpec[];
  models: ModelPin[];
}
