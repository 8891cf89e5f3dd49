import { inputOf, type InputKind, type MediaKind } from '@adit/contracts';
import { JobAnalysisEntity, type JobModuleEntity } from '@adit/database';
import type { EntityManager } from 'typeorm';
import { sourceError } from '../state/job-errors.js';
import type { LockedJob } from '../state/locked-job.js';
import { insertClosedFolds } from './fold-states.js';

const WORDS: Record<MediaKind, string> = { image: 'images', video: 'video', audio: 'audio', pdf: 'PDF documents' };
/** Kinds that every module took in builds that did not store them. */
const BEFORE: readonly MediaKind[] = ['image', 'video'];

/** Part of a job's module that says which media it takes. */
export type MediaTaker = { postedAs: string; media: readonly MediaKind[] | null };

/** True when the module takes that kind of media; modules that take images also take the pages of documents. */
export function takesMedia({ media }: MediaTaker, kind: MediaKind): boolean {
  return (media ?? BEFORE).includes(kind === 'pdf' ? 'image' : kind);
}

/** Reason why a module cannot analyse media of that kind: `takes images and video, not audio`. */
export function refusalOf({ media }: MediaTaker, kind: MediaKind): string {
  const taken = (media ?? BEFORE).map((each) => WORDS[each]);
  return `takes ${new Intl.ListFormat('en').format(taken)}, not ${WORDS[kind]}`;
}

/** Reason why a source of that kind is refused to the modules that do not take it, each by name; '' when all do. */
export function refusalByAll(modules: readonly MediaTaker[], kind: MediaKind): string {
  const refusing = modules.filter((module) => !takesMedia(module, kind));
  return refusing.map((module) => `${module.postedAs} ${refusalOf(module, kind)}`).join('; ');
}

/** Module that cannot analyse a source, and the reason: `takes images and video, not audio`. */
export interface Refusal {
  module: JobModuleEntity;
  reason: string;
}

/** Kinds of input of a job's analyses, by digest. */
export async function inputKinds(manager: EntityManager, jobId: string): Promise<Map<string, InputKind>> {
  const select = { digest: true, frames: true, audio: true } as const;
  const rows = await manager.find(JobAnalysisEntity, { where: { jobId }, select });
  return new Map(rows.map((analysis) => [analysis.digest, inputOf(analysis).kind]));
}

/** Kinds of input of a module, from those of its analyses. */
export function inputsOf(
  { analyses }: { analyses: Record<string, string> },
  kinds: ReadonlyMap<string, InputKind>,
): Set<InputKind> {
  return new Set(Object.values(analyses).flatMap((digest) => kinds.get(digest) ?? []));
}

/** Reason why a module is refused a source that has none of its input. */
export function lackOf(inputs: ReadonlySet<InputKind>): string {
  const lacks = [...(inputs.has('frames') ? ['pictures'] : []), ...(inputs.has('audio') ? ['sound'] : [])];
  return `needs ${lacks.join(' or ')}, and the source has none`;
}

/** One text of several refusals, each module by name. */
export function refusedBy(refusals: readonly Refusal[]): string {
  return refusals.map(({ module, reason }) => `${module.postedAs} ${reason}`).join('; ');
}

/**
 * Notes in the job's errors that modules cannot analyse a source, and closes their folds of it. They go on with the
 * other sources, and fail when there are none.
 */
export async function refuseSource(
  locked: LockedJob,
  source: { index: number; uri: string },
  refusals: readonly Refusal[],
): Promise<void> {
  if (refusals.length === 0) return;
  const { manager, job } = locked;
  await locked.addErrors(refusals.map((refusal) => sourceError(source.uri, refusedBy([refusal]))));
  const moduleIds = refusals.map(({ module: { moduleId } }) => moduleId);
  await insertClosedFolds(manager, { jobId: job.id, sourceIndex: source.index }, moduleIds);
}
