import { AditError, isTerminal, JobRequest, type JobState, type VideoFacts } from '@adit/contracts';
import {
  JobAnalysisEntity,
  JobEntity,
  JobModuleEntity,
  JobSourceEntity,
  type BorderLook,
  type ExportEntity,
} from '@adit/database';
import type { AnalysisRegistry } from '@adit/inference';
import type { JobCommands } from '@adit/jobs';
import type { ModuleRegistry } from '@adit/module-kit';
import { IsNull, type EntityManager } from 'typeorm';
import { countedFilm, everyFrame, frameModule, type FrameModule } from './border-windows.js';

/** Windows that one export looks at at the same time: each is a job. */
const MAX_OPEN = 10;

/** A job with what looks at parts of it are made of. */
export interface LookedJob {
  job: JobEntity;
  sources: ReadonlyMap<number, JobSourceEntity>;
  modules: readonly JobModuleEntity[];
  analyses: readonly JobAnalysisEntity[];
}

/** What looks at a film for a module. */
export interface Looking {
  source: JobSourceEntity;
  module: FrameModule;
  facts: VideoFacts;
}

/** How a job that looks at a window is. */
export interface LookState {
  state: JobState;
  isDeleted: boolean;
  errors: string[];
  mediaDigest: string | null;
}

/** Reads a job. Throws NOT_FOUND where it was deleted. */
export async function lookedJob(manager: EntityManager, jobId: string): Promise<LookedJob> {
  const job = await manager.findOneBy(JobEntity, { id: jobId, timeDeleted: IsNull() });
  if (job === null) throw new AditError('NOT_FOUND', 'The job was deleted.');
  const sources = await manager.findBy(JobSourceEntity, { jobId });
  const analyses = await manager.findBy(JobAnalysisEntity, { jobId });
  const modules = await manager.findBy(JobModuleEntity, { jobId });
  return { job, sources: new Map(sources.map((source) => [source.index, source])), modules, analyses };
}

/** The jobs that look around borders for an export. */
export class BorderLooks {
  constructor(
    private readonly manager: EntityManager,
    private readonly commands: JobCommands,
    private readonly known: { registry: AnalysisRegistry; modules: ModuleRegistry },
  ) {}

  /** What looks at a source for a module; null where the job has none such. Throws VALIDATION with the reason why nothing can. */
  of({ sources, modules, analyses }: LookedJob, index: number, moduleId: string): Looking | null {
    const source = sources.get(index);
    const row = modules.find((module) => module.moduleId === moduleId);
    if (source === undefined || row === undefined) return null;
    return { source, module: frameModule(row, analyses, this.known), facts: countedFilm(source) };
  }

  /** Those that were begun, by their ids. */
  async states(looks: readonly BorderLook[]): Promise<Map<string, LookState>> {
    const rows: (LookState & { id: string })[] = await this.manager.query(
      `SELECT j.id, j.state, j.time_deleted IS NOT NULL AS "isDeleted", j.errors, s.media_digest AS "mediaDigest"
         FROM jobs j LEFT JOIN job_sources s ON s.job_id = j.id AND s.index = 0 WHERE j.id = ANY($1::uuid[])`,
      [looks.map(({ id }) => id)],
    );
    return new Map(rows.map((row) => [row.id, row]));
  }

  /** Begins as many of those that were not as may look beside the others. */
  async begin(
    { id: exportId }: Pick<ExportEntity, 'id'>,
    jobId: string,
    looks: readonly BorderLook[],
    states: ReadonlyMap<string, LookState>,
  ): Promise<void> {
    const looking = [...states.values()].filter((state) => !isOver(state)).length;
    const next = looks.filter(({ id }) => !states.has(id)).slice(0, Math.max(0, MAX_OPEN - looking));
    if (next.length === 0) return;
    const looked = await lookedJob(this.manager, jobId);
    for (const look of next) await this.submit(exportId, looked, look);
  }

  private async submit(exportId: string, looked: LookedJob, look: BorderLook): Promise<void> {
    const found = this.of(looked, look.source, look.module);
    if (found === null) return;
    const { module, source, facts } = found;
    const { workspaceId, priority, program, traceparent, keyId } = looked.job;
    const request = JobRequest.parse({
      ...{ sources: [source.uri], modules: { [module.row.postedAs]: {} }, tag: `refine ${exportId}`, priority },
      ...(program !== null && { program }),
    });
    const modules = [everyFrame(module, facts, look)];
    const order = { workspaceId, request, modules, mediaType: 'video' as const, traceparent, exportId };
    await this.commands.submit({ ...order, ...(keyId !== null && { keyId }) }, look.id).catch((error: unknown) => {
      // Another attempt of the export was faster.
      if (AditError.from(error).code !== 'CONFLICT') throw error;
    });
  }
}

export function isOver(look: LookState | undefined): boolean {
  return look !== undefined && (look.isDeleted || isTerminal(look.state));
}

/** Why nothing is known from a look at a source; null where it has looked. */
export function failureOf(look: LookState | undefined, source: JobSourceEntity): string | null {
  if (look === undefined || !isOver(look)) return 'nobody looked within an hour';
  if (look.isDeleted) return 'the job that looked was deleted';
  if (look.state !== 'completed')
    return look.errors[0]?.replace(/\.$/, '').slice(0, 300) ?? 'the job that looked was stopped';
  return look.mediaDigest === source.mediaDigest ? null : 'the source is another file since';
}
