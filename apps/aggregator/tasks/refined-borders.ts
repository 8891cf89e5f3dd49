import {
  AditError,
  digestOf,
  isTerminal,
  JobRequest,
  SegmentsExport,
  type JobState,
  type VideoFacts,
} from '@adit/contracts';
import {
  JobAnalysisEntity,
  JobEntity,
  JobModuleEntity,
  JobSourceEntity,
  type ExportEntity,
  type SegmentEntity,
} from '@adit/database';
import { AnalysisRegistry } from '@adit/inference';
import { JobCommands } from '@adit/jobs';
import { ModuleRegistry } from '@adit/module-kit';
import { createLogger } from '@adit/runtime';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource, IsNull } from 'typeorm';
import { JobResults } from '../endings/job-results.js';
import {
  countedFilm,
  everyFrame,
  frameModule,
  unlabelled,
  lookTag,
  windowBefore,
  windowBehind,
  type FrameModule,
  type FrameWindow,
} from './border-windows.js';
import { wantedSegments } from './wanted-segments.js';

const log = createLogger('exports');
/** Windows that one export looks at, and at the same time: each is a job. */
const MAX_WINDOWS = 100;
const MAX_OPEN = 10;
/** Segments that one export looks through for them. */
const MAX_SEGMENTS = 10_000;
/** Time after which an export goes on without what was not looked at. */
const MAX_WAIT_MS = 3_600_000;
/** Seconds after which a window's job goes by itself, should the export have gone: no sooner than the export would end. */
const TTL = 7_200;
const MAX_NOTES = 20;

/** Where a segment truly begins and ends, as far as that was found out. */
export type Border = Partial<Pick<SegmentEntity, 'frameStart' | 'timeStart' | 'frameEnd' | 'timeEnd'>>;

export interface Refinement {
  /** By the number of the segment in its job. */
  borders: Map<number, Border>;
  /** What could not be refined, and why. */
  notes: string[];
  /** Jobs that looked, to be deleted. */
  jobs: string[];
}

/** A window with what is needed to look at it. */
interface Look extends FrameWindow {
  module: FrameModule;
  source: JobSourceEntity;
  facts: VideoFacts;
}

/** A border that a look may move. */
interface Sought {
  segment: SegmentEntity;
  side: 'start' | 'end';
  look: string;
}

interface Plan {
  job: JobEntity;
  looks: Map<string, Look>;
  sought: Sought[];
  /** Borders that stay as they are, by the reason. */
  kept: Map<string, number>;
}

/** A job that looks at a window. */
interface LookJob {
  id: string;
  state: JobState;
  isDeleted: boolean;
  errors: string[];
  mediaDigest: string | null;
}

/** What such a job has found. */
type Seen = Pick<SegmentEntity, 'jobId' | 'type' | 'label' | 'timeStart' | 'timeEnd'> & {
  frameStart: number;
  frameEnd: number;
};

/**
 * Finds the first and the last frame of segments, which are found at sampled frames alone: jobs look at every frame between the
 * samples around a border, by the analyses, models and arguments of the exported job.
 */
@Injectable()
export class RefinedBorders {
  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(JobCommands) private readonly commands: JobCommands,
    @Inject(AnalysisRegistry) private readonly registry: AnalysisRegistry,
    @Inject(ModuleRegistry) private readonly modules: ModuleRegistry,
    @Inject(JobResults) private readonly results: JobResults,
  ) {}

  /** Null while jobs look: it is to be asked for again. `progress`, 0..1, is called with the share of them that have ended. */
  async of(
    { id, config, timeCreated }: Pick<ExportEntity, 'id' | 'config' | 'timeCreated'>,
    progress: (share: number) => Promise<void>,
  ): Promise<Refinement | null> {
    const plan = await this.plan(id, SegmentsExport.parse(config));
    const ids = [...plan.looks.keys()];
    const known = await this.known(ids);
    const open = ids.filter((look) => !isOver(known.get(look)));
    // Above 0, which says that it was begun.
    await progress(Math.max(0.001, (ids.length - open.length) / (ids.length + 1)));
    if (open.length > 0 && Date.now() - timeCreated.getTime() < MAX_WAIT_MS) {
      const missing = open.filter((look) => !known.has(look));
      const most = MAX_OPEN - (open.length - missing.length);
      for (const look of missing.slice(0, Math.max(0, most))) await this.begin(id, look, plan);
      return null;
    }
    const borders = await this.found(plan, known);
    const notes = [...plan.kept].map(
      ([reason, count]) => `${count} ${count === 1 ? 'border is' : 'borders are'} as sampled: ${reason}.`,
    );
    return { borders, notes: notes.slice(0, MAX_NOTES), jobs: ids };
  }

  /** Deletes the jobs of an export that has its borders. */
  async end(workspaceId: string, jobs: readonly string[]): Promise<void> {
    for (const id of jobs) {
      await this.commands.delete(workspaceId, id).catch((error: unknown) => {
        if (AditError.from(error).code === 'NOT_FOUND') return;
        log.warn({ jobId: id, err: error }, 'a job that refined borders was not deleted; it goes by its ttl');
      });
    }
  }

  private async plan(exportId: string, wanted: SegmentsExport): Promise<Plan> {
    const { job_id: jobId, source: index } = wanted;
    const { manager } = this.db;
    const job = await manager.findOneBy(JobEntity, { id: jobId, timeDeleted: IsNull() });
    if (job === null) throw new AditError('NOT_FOUND', 'The job was deleted.');
    const where = { jobId, ...(index === undefined ? {} : { index }) };
    const sources = new Map((await manager.find(JobSourceEntity, { where })).map((source) => [source.index, source]));
    const analyses = await manager.findBy(JobAnalysisEntity, { jobId });
    const modules = await manager.findBy(JobModuleEntity, { jobId });
    const order = await wantedSegments(this.db, this.results, wanted, [...sources.keys()]);
    const plan: Plan = { job, looks: new Map(), sought: [], kept: new Map() };
    const total = order.reduce((sum, { length }) => sum + length, 0);
    let read = 0;
    const isFull = (): boolean => plan.looks.size >= MAX_WINDOWS || read >= MAX_SEGMENTS;
    for (const numbers of order) {
      if (isFull()) break;
      for (const segment of await this.results.numbered(jobId, [...numbers])) {
        if (isFull()) break;
        read += 1;
        const source = sources.get(segment.sourceIndex);
        const module = modules.find(({ moduleId }) => moduleId === segment.moduleId);
        if (source === undefined || module === undefined) continue;
        try {
          const looked = frameModule(module, analyses, { registry: this.registry, modules: this.modules });
          this.seek(exportId, plan, { segment, source, module: looked, facts: countedFilm(source) });
        } catch (error) {
          const { code, message } = AditError.from(error);
          if (code !== 'VALIDATION') throw error;
          keep(plan, message, 2);
        }
      }
    }
    if (read < total)
      keep(
        plan,
        `an export looks at ${MAX_WINDOWS} windows in ${MAX_SEGMENTS} segments: narrow it down`,
        2 * (total - read),
      );
    return plan;
  }

  private seek(
    exportId: string,
    { looks, sought }: Plan,
    { segment, ...place }: Omit<Look, keyof FrameWindow> & { segment: SegmentEntity },
  ): void {
    const reason = unlabelled(segment);
    if (reason !== null) throw new AditError('VALIDATION', reason);
    const { frameStart, frameEnd } = segment;
    const { module, source, facts } = place;
    for (const side of ['start', 'end'] as const) {
      const frame = side === 'start' ? frameStart : frameEnd;
      if (frame === null) continue;
      const window = side === 'start' ? windowBefore(frame, module, facts) : windowBehind(frame, module, facts);
      if (window === null) continue;
      // Segments of the same frames share a look, and another attempt of the export finds it.
      const look = uuidOf([exportId, source.index, module.row.moduleId, window.from, window.to]);
      looks.set(look, { ...place, ...window });
      sought.push({ segment, side, look });
    }
  }

  private async known(ids: string[]): Promise<Map<string, LookJob>> {
    const rows: LookJob[] = await this.db.query(
      `SELECT j.id, j.state, j.time_deleted IS NOT NULL AS "isDeleted", j.errors, s.media_digest AS "mediaDigest"
         FROM jobs j LEFT JOIN job_sources s ON s.job_id = j.id AND s.index = 0 WHERE j.id = ANY($1::uuid[])`,
      [ids],
    );
    return new Map(rows.map((row) => [row.id, row]));
  }

  private async begin(exportId: string, id: string, { job, looks }: Plan): Promise<void> {
    const look = looks.get(id);
    if (look === undefined) return;
    const { module, source, facts } = look;
    const { workspaceId, priority, program, traceparent, keyId } = job;
    const request = JobRequest.parse({
      ...{
        sources: [source.uri],
        modules: { [module.row.postedAs]: {} },
        tag: lookTag(exportId),
        ttl: TTL,
        priority,
      },
      ...(program !== null && { program }),
    });
    const modules = [everyFrame(module, facts, look)];
    const order = { workspaceId, request, modules, mediaType: 'video' as const, traceparent };
    await this.commands.submit({ ...order, ...(keyId !== null && { keyId }) }, id).catch((error: unknown) => {
      // Another attempt of the export was faster.
      if (AditError.from(error).code !== 'CONFLICT') throw error;
    });
  }

  private async found(
    { sought, looks, kept }: Plan,
    known: ReadonlyMap<string, LookJob>,
  ): Promise<Map<number, Border>> {
    const seen: Seen[] = await this.db.query(
      `SELECT job_id AS "jobId", type, label, frame_start AS "frameStart", frame_end AS "frameEnd", time_start AS "timeStart",
              time_end AS "timeEnd" FROM segments WHERE job_id = ANY($1::uuid[]) AND frame_start IS NOT NULL`,
      [[...looks.keys()]],
    );
    const borders = new Map<number, Border>();
    for (const { segment, side, look } of sought) {
      const reason = failureOf(known.get(look), looks.get(look));
      const frame = side === 'start' ? segment.frameStart : segment.frameEnd;
      const same = seen.find(
        ({ jobId, type, label, frameStart, frameEnd }) =>
          jobId === look &&
          type === segment.type &&
          label === segment.label &&
          frame !== null &&
          frameStart <= frame &&
          frame <= frameEnd,
      );
      if (same === undefined || reason !== null) {
        keep({ kept }, reason ?? 'it was not seen there again', 1);
        continue;
      }
      const { frameStart, timeStart, frameEnd, timeEnd } = same;
      const border: Border = side === 'start' ? { frameStart, timeStart } : { frameEnd, timeEnd };
      borders.set(segment.seq, { ...borders.get(segment.seq), ...border });
    }
    return borders;
  }
}

function isOver(job: LookJob | undefined): boolean {
  return job !== undefined && (job.isDeleted || isTerminal(job.state));
}

/** Why nothing is known from a job; null where it has looked. */
function failureOf(job: LookJob | undefined, look: Look | undefined): string | null {
  if (job === undefined || !isOver(job)) return 'nobody looked within an hour';
  if (job.isDeleted) return 'the job that looked was deleted';
  if (job.state !== 'completed')
    return job.errors[0]?.replace(/\.$/, '').slice(0, 300) ?? 'the job that looked was stopped';
  return job.mediaDigest === look?.source.mediaDigest ? null : 'the source is another file since';
}

function keep({ kept }: Pick<Plan, 'kept'>, reason: string, borders: number): void {
  kept.set(reason, (kept.get(reason) ?? 0) + borders);
}

/** The same id for the same parts. */
function uuidOf(parts: readonly unknown[]): string {
  return digestOf(parts).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, '$1-$2-$3-$4-$5');
}
