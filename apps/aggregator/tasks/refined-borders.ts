import { keepLooks, looksOf } from '@adit/artifacts';
import { AditError, digestOf, SegmentsExport } from '@adit/contracts';
import type { BorderLook, ExportEntity, JobSourceEntity } from '@adit/database';
import { AnalysisRegistry } from '@adit/inference';
import { JobCommands } from '@adit/jobs';
import { ModuleRegistry } from '@adit/module-kit';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { JobResults, type PlainSegment } from '../endings/job-results.js';
import { BorderLooks, failureOf, isOver, lookedJob, type Looking, type LookState } from './border-looks.js';
import { unlabelled, windowBefore, windowBehind } from './border-windows.js';
import { wantedSegments } from './wanted-segments.js';

/** Windows that one export looks at. */
const MAX_WINDOWS = 100;
/** Segments that one export looks through for them. */
const MAX_SEGMENTS = 10_000;
/** Time after which an export goes on without what was not looked at. */
const MAX_WAIT_MS = 3_600_000;
const MAX_NOTES = 20;

/** Where a segment truly begins and ends, as far as that was found out. */
export type Border = Partial<Pick<PlainSegment, 'frameStart' | 'timeStart' | 'frameEnd' | 'timeEnd'>>;

export interface Refinement {
  /** By the number of the segment in its job. */
  borders: Map<number, Border>;
  /** What could not be refined, and why. */
  notes: string[];
}

type Exported = Pick<ExportEntity, 'id' | 'config' | 'timeCreated'>;

/** A border that a look may move. */
interface Sought {
  segment: PlainSegment;
  side: 'start' | 'end';
  look: string;
  source: JobSourceEntity;
}

interface Plan {
  /** By the ids of their jobs. */
  looks: Map<string, BorderLook>;
  sought: Sought[];
  /** Borders that stay as they are, by the reason. */
  kept: Map<string, number>;
}

/** What a job that looked has found. */
type Seen = Pick<PlainSegment, 'jobId' | 'type' | 'label' | 'timeStart' | 'timeEnd'> & {
  frameStart: number;
  frameEnd: number;
};

/**
 * Finds the first and the last frame of segments, which are found at sampled frames alone: jobs look at every frame between the
 * samples around a border, by the analyses, models and arguments of the exported job. Retention deletes them when the export
 * has ended.
 */
@Injectable()
export class RefinedBorders {
  private readonly looks: BorderLooks;

  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(JobCommands) commands: JobCommands,
    @Inject(AnalysisRegistry) registry: AnalysisRegistry,
    @Inject(ModuleRegistry) modules: ModuleRegistry,
    @Inject(JobResults) private readonly results: JobResults,
  ) {
    this.looks = new BorderLooks(db.manager, commands, { registry, modules });
  }

  /** Null while jobs look: it is to be asked for again. `progress`, 0..1, is called with the share of them that have ended. */
  async of(row: Exported, progress: (share: number) => Promise<void>): Promise<Refinement | null> {
    const { manager } = this.db;
    const wanted = SegmentsExport.parse(row.config);
    const kept = await looksOf(manager, row.id);
    if (kept !== null && (await this.waits(row, wanted, kept, progress))) return null;
    // The segments may have changed meanwhile, and want other looks.
    const plan = await this.plan(row.id, wanted);
    const looks = [...plan.looks.values()];
    const isKept = kept !== null && looks.every(({ id }) => kept.some((known) => known.id === id));
    if (!isKept) {
      await keepLooks(manager, row.id, looks);
      if (await this.waits(row, wanted, looks, progress)) return null;
    }
    const borders = await this.found(plan, await this.looks.states(looks));
    const notes = [...plan.kept].map(
      ([reason, count]) => `${count} ${count === 1 ? 'border is' : 'borders are'} as sampled: ${reason}.`,
    );
    return { borders, notes: notes.slice(0, MAX_NOTES) };
  }

  /** Begins the next looks; answers whether the export is to wait for some. */
  private async waits(
    row: Exported,
    { job_id: jobId }: SegmentsExport,
    looks: readonly BorderLook[],
    progress: (share: number) => Promise<void>,
  ): Promise<boolean> {
    const states = await this.looks.states(looks);
    const open = looks.filter(({ id }) => !isOver(states.get(id)));
    // Above 0, which says that it was begun.
    await progress(Math.max(0.001, (looks.length - open.length) / (looks.length + 1)));
    if (open.length === 0 || Date.now() - row.timeCreated.getTime() >= MAX_WAIT_MS) return false;
    await this.looks.begin(row, jobId, looks, states);
    return true;
  }

  private async plan(exportId: string, wanted: SegmentsExport): Promise<Plan> {
    const { job_id: jobId, source: index } = wanted;
    const looked = await lookedJob(this.db.manager, jobId);
    const sources = index === undefined ? [...looked.sources.keys()] : [index];
    const order = await wantedSegments(this.db, this.results, wanted, sources);
    const plan: Plan = { looks: new Map(), sought: [], kept: new Map() };
    const total = order.reduce((sum, { length }) => sum + length, 0);
    let read = 0;
    const isFull = (): boolean => plan.looks.size >= MAX_WINDOWS || read >= MAX_SEGMENTS;
    for (const numbers of order) {
      if (isFull()) break;
      for (const segment of await this.results.numbered(jobId, [...numbers])) {
        if (isFull()) break;
        read += 1;
        try {
          const looking = this.looks.of(looked, segment.sourceIndex, segment.moduleId);
          if (looking !== null) this.seek(exportId, plan, segment, looking);
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
    segment: PlainSegment,
    { source, module, facts }: Looking,
  ): void {
    const reason = unlabelled(segment);
    if (reason !== null) throw new AditError('VALIDATION', reason);
    const { frameStart, frameEnd } = segment;
    for (const side of ['start', 'end'] as const) {
      const frame = side === 'start' ? frameStart : frameEnd;
      if (frame === null) continue;
      const window = side === 'start' ? windowBefore(frame, module, facts) : windowBehind(frame, module, facts);
      if (window === null) continue;
      // Segments of the same frames share a look, and another attempt of the export finds it.
      const look = uuidOf([exportId, source.index, module.row.moduleId, window.from, window.to]);
      looks.set(look, { id: look, source: source.index, module: module.row.moduleId, ...window });
      sought.push({ segment, side, look, source });
    }
  }

  private async found(
    { sought, looks, kept }: Plan,
    states: ReadonlyMap<string, LookState>,
  ): Promise<Map<number, Border>> {
    const seen: Seen[] = await this.db.query(
      `SELECT job_id AS "jobId", type, label, frame_start AS "frameStart", frame_end AS "frameEnd", time_start AS "timeStart",
              time_end AS "timeEnd" FROM segments WHERE job_id = ANY($1::uuid[]) AND frame_start IS NOT NULL`,
      [[...looks.keys()]],
    );
    const borders = new Map<number, Border>();
    for (const { segment, side, look, source } of sought) {
      const reason = failureOf(states.get(look), source);
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

function keep({ kept }: Pick<Plan, 'kept'>, reason: string, borders: number): void {
  kept.set(reason, (kept.get(reason) ?? 0) + borders);
}

/** The same id for the same parts. */
function uuidOf(parts: readonly unknown[]): string {
  return digestOf(parts).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, '$1-$2-$3-$4-$5');
}
