import { AditError, JsonObject, type ProcessingRange, rangeSeconds, type VideoFacts } from '@adit/contracts';
import type { JobAnalysisEntity, JobModuleEntity, JobSourceEntity } from '@adit/database';
import {
  analysisDigest,
  FRAMES_PER_SECOND,
  identityOf,
  takesFrameRate,
  type AnalysisDefinition,
  type AnalysisRegistry,
} from '@adit/inference';
import type { ResolvedAnalysis, ResolvedModule } from '@adit/jobs';
import type { ModuleRegistry } from '@adit/module-kit';
import type { PlainSegment } from '../endings/job-results.js';

/** Analyses take no more frames a second. */
const MAX_RATE = 60;

/** Frames of a film from one sample to the next, both inclusive. */
export interface FrameWindow {
  from: number;
  to: number;
}

/** A module of a job that can look at any frame of a film. */
export interface FrameModule {
  row: JobModuleEntity;
  analyses: { definition: AnalysisDefinition; row: JobAnalysisEntity }[];
  /** Frames a second that it sampled. */
  rate: number;
}

/** Checks whether a module of a job can look at single frames, as it did. Throws VALIDATION with the reason why not. */
export function frameModule(
  row: JobModuleEntity,
  analyses: readonly JobAnalysisEntity[],
  { registry, modules }: { registry: AnalysisRegistry; modules: ModuleRegistry },
): FrameModule {
  const digests = new Set(Object.values(row.analyses));
  const needed = analyses.filter(({ digest }) => digests.has(digest));
  const definitions = needed.map(({ analysis }) => registry.all().find(({ name }) => name === analysis));
  const looked = needed.flatMap((each, at) => {
    const definition = definitions[at];
    const isKnown =
      definition !== undefined && takesFrameRate(definition.args) && definition.args.safeParse(each.args).success;
    return isKnown ? [{ definition, row: each }] : [];
  });
  if (looked.length === 0 || looked.length < digests.size) {
    throw new AditError('VALIDATION', `${row.postedAs} does not look at single frames`);
  }
  const definition = modules.find(row.moduleId);
  const args = JsonObject.parse(row.args);
  if ((definition?.collection?.(args) ?? null) !== null || (definition?.dataset?.(args) ?? null) !== null) {
    throw new AditError('VALIDATION', `${row.postedAs} keeps the people that it sees, and would keep them twice`);
  }
  const rates = looked.map(({ row: { args: own } }) => own['rate']);
  const rate = Math.min(...rates.map((each) => (typeof each === 'number' ? each : FRAMES_PER_SECOND)));
  return { row, analyses: looked, rate };
}

/** How a module sampled a film. */
interface Sampled {
  row: Pick<JobModuleEntity, 'range'>;
  rate: number;
}

/** The film of a source, if its frames can be counted out. Throws VALIDATION with the reason why not. */
export function countedFilm({ facts }: JobSourceEntity): VideoFacts {
  if (facts?.kind !== 'video' || facts.live === true)
    throw new AditError('VALIDATION', 'only films have frames to look at');
  if (facts.variableFrameRate) throw new AditError('VALIDATION', 'the distance of the film’s frames varies');
  if (rateOf(facts) > MAX_RATE) throw new AditError('VALIDATION', `the film has more than ${MAX_RATE} frames a second`);
  return facts;
}

/** The module with its analyses of every frame of a window. */
export function everyFrame(
  { row, analyses }: FrameModule,
  facts: VideoFacts,
  { from, to }: FrameWindow,
): ResolvedModule {
  const { moduleId, postedAs, models, media, dictionaries } = row;
  const range = { frame_start: from, frame_end: to };
  return {
    ...{ moduleId, postedAs, models, range, media: media ?? ['video'], dictionaries: dictionaries ?? [] },
    args: { ...JsonObject.parse(row.args), range },
    analyses: analyses.map(({ definition, row: analysis }) => atRate(definition, analysis, rateOf(facts))),
  };
}

function atRate(definition: AnalysisDefinition, row: JobAnalysisEntity, rate: number): ResolvedAnalysis {
  const identity = identityOf(definition, definition.args.parse({ ...row.args, rate }), row.models);
  const { analysis, frames } = identity;
  const args = JsonObject.parse(identity.args);
  return { analysis, family: definition.family, args, frames, models: row.models, digest: analysisDigest(identity) };
}

/** Frames before the first sample of a segment, with that, as far as the sample before; null where there are none. */
export function windowBefore(frame: number, { row: { range }, rate }: Sampled, facts: VideoFacts): FrameWindow | null {
  const from = Math.max(0, frame - stepOf(facts, rate) + 1, rangeOf(range, facts).from);
  return from < frame ? { from, to: frame } : null;
}

/** The same behind the last one. */
export function windowBehind(frame: number, { row: { range }, rate }: Sampled, facts: VideoFacts): FrameWindow | null {
  const to = Math.min(facts.totalFrames - 1, frame + stepOf(facts, rate) - 1, rangeOf(range, facts).to);
  return to > frame ? { from: frame, to } : null;
}

/** Frames from one sample to the next, at the most. */
function stepOf(facts: VideoFacts, rate: number): number {
  return Math.ceil(rateOf(facts) / rate);
}

function rateOf({ fps }: VideoFacts): number {
  return fps.num / fps.den;
}

/** Frames that a range of a job leaves in. */
function rangeOf(range: ProcessingRange | null, facts: VideoFacts): FrameWindow {
  if (range === null) return { from: 0, to: Infinity };
  if ('frame_start' in range || 'frame_end' in range) {
    const { frame_start: from = 0, frame_end: to = Infinity } = range;
    return { from, to };
  }
  const { from, to } = rangeSeconds(range);
  return { from: Math.ceil(from * rateOf(facts)), to: Math.floor(to * rateOf(facts)) };
}

/** Reason why the frames of a segment cannot be told by its label; null where they can. */
export function unlabelled({ label, type, frameStart, identityNumber, indexId }: PlainSegment): string | null {
  if (frameStart === null) return 'they have no frames';
  const isUnknown = identityNumber !== null || indexId !== null || (type === 'face' && label === 'unknown');
  return isUnknown ? 'unknown people cannot be told apart in single frames' : null;
}
