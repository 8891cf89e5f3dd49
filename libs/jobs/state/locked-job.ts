import {
  AditError,
  isTerminal,
  type JobState,
  type Json,
  type ResourceEventName,
  WORKSPACE_EVENT_MESSAGE_VERSION,
  workspaceJobEvent,
} from '@adit/contracts';
import {
  assignments,
  columnNames,
  columnsOf,
  databaseNow,
  fromRow,
  JobEntity,
  JobModuleEntity,
  recordColumns,
  valuesOf,
  AHEAD,
  liveProgress,
} from '@adit/database';
import { createLogger } from '@adit/runtime';
import type { EntityManager } from 'typeorm';
import { endedAt } from './terminal-states.js';
import { reasonOf, withErrors, withLastErrors } from './job-errors.js';
import type { EndedSegment, StartedSegment } from './live-segments.js';
import { packsPrefix } from '../keys.js';
import { noteRemovals } from '@adit/object-removals';
import { noteSearchable } from '@adit/search';
import { outboxColumns, writtenMessages } from '@adit/outbox';
import { jobsEnded } from '../metrics.js';
import { transition, type JobSignal, type JobStates } from './state.js';
import { keepEvents, keptEvents } from '@adit/webhooks';
import { endStreamsOfJob } from '@adit/streams';
import { noticeOf, webhookNotice, type WebhookNotice } from './webhook-notice.js';

const log = createLogger('jobs');

/** SQL: the messages whose columns are `$6` to `$8`; those that `$9` names an event of, where a webhook of the workspace `$10` asks for it. */
const MESSAGES = writtenMessages(
  `SELECT v.topic, v.key, v.envelope, $10::uuid::text FROM unnest($6::text[], $7::text[], $8::jsonb[], $9::text[]) AS v(topic, key, envelope, asked)
    WHERE v.asked IS NULL
       OR EXISTS (SELECT 1 FROM webhooks w WHERE w.workspace_id = $10 AND w.event = v.asked AND w.enabled)`,
);

const EVENT_OF = {
  waiting: null,
  processing: 'on_started',
  completed: 'on_completed',
  failed: 'on_failed',
  stopped: 'on_stopped',
} as const satisfies Record<JobState, string | null>;

/** Columns of a job that change while it lives; `errors` are written when one is added, since they may be long. */
const MOVED_OF_JOB = columnsOf(JobEntity, [
  ...(['state', 'timeStarted', 'timeCompleted', 'timeExpires', 'timeStopAsked', 'admitted'] as const),
  ...(['progress', 'segmentCount'] as const),
]);
const MOVED_OF_MODULE = columnsOf(JobModuleEntity, ['state', 'error', 'progress', 'segmentCount']);

/** Segments that one message tells of: a paragraph of speech has some tens of kilobytes. */
const SEGMENTS_PER_EVENT = 10;

/** Time after which readers of packs of an ended job have given up. */
const PACKS_READ_SECONDS = 60;

/** A live job whose row this transaction has locked: nobody else moves its states or folds its chunks meanwhile. */
export class LockedJob {
  /** Changes not written yet. */
  private readonly changed = new Set<JobModuleEntity>();
  private readonly events: JobEvent[] = [];
  /** A retry begins without the errors of before. */
  private errorsForgotten = false;

  private constructor(
    readonly manager: EntityManager,
    readonly job: JobEntity,
    readonly modules: JobModuleEntity[],
  ) {}

  /** Locks the job; null when it is unknown or deleted: work in flight for it is dropped. */
  static async take(manager: EntityManager, jobId: string): Promise<LockedJob | null> {
    // The modules' rows are locked too: only so does a statement that waited for the job read their current state.
    const rows: (Record<string, unknown> & { module: Record<string, unknown> })[] = await manager.query(
      `SELECT ${columnNames(columnsOf(JobEntity), 'j')}, to_jsonb(m) AS module FROM jobs j JOIN job_modules m ON m.job_id = j.id
        WHERE j.id = $1 AND j.time_deleted IS NULL ORDER BY m.position FOR UPDATE`,
      [jobId],
    );
    const [first] = rows;
    if (first === undefined) return null;
    const modules = rows.map(({ module }) => fromRow(JobModuleEntity, module));
    return new LockedJob(manager, fromRow(JobEntity, first), modules);
  }

  /** True while there is work to do. */
  get isActive(): boolean {
    return !isTerminal(this.job.state);
  }

  get states(): JobStates {
    return {
      job: this.job.state,
      modules: Object.fromEntries(this.modules.map((module) => [module.moduleId, module.state])),
    };
  }

  /** Returns the module. Throws INTERNAL when the job does not have it. */
  module(moduleId: string): JobModuleEntity {
    const module = this.modules.find((candidate) => candidate.moduleId === moduleId);
    if (module) return module;
    throw new AditError('INTERNAL', `The job ${this.job.id} has no module ${moduleId}.`);
  }

  get activeModules(): JobModuleEntity[] {
    return this.modules.filter((module) => !isTerminal(module.state));
  }

  /**
   * Applies a signal to the state machine, at that time or now, writes the changes and raises events. Throws its
   * CONFLICT.
   */
  async apply(signal: JobSignal, time?: Date): Promise<void> {
    const before = this.states;
    const after = transition(before, signal);
    if (after.job !== before.job) time ??= await databaseNow(this.manager);
    let moved = false;
    // A job starts before its modules and ends after them.
    if (time !== undefined && after.job !== before.job && !isTerminal(after.job)) this.moveJob(after.job, time);
    for (const module of this.modules) {
      const state = after.modules[module.moduleId] ?? module.state;
      if (state === module.state) continue;
      module.state = state;
      if (state === 'completed' || signal.kind === 'module-stopped') module.progress = 1;
      if (state === 'waiting') {
        module.error = null;
        module.progress = Math.min(module.progress, 0.99);
      }
      moved = true;
      this.changed.add(module);
      const event = EVENT_OF[state];
      if (event !== null) {
        this.note(`job.${module.postedAs}.${event}`, { module: module.postedAs, state });
      }
    }
    if (time !== undefined && after.job !== before.job && isTerminal(after.job)) this.moveJob(after.job, time);
    if (after.job !== before.job || moved) await this.save();
    // The index tells by the job's end what an older build did to its results.
    const ends = after.job !== before.job && (isTerminal(after.job) || isTerminal(before.job));
    if (ends && this.job.segmentCount > 0) await noteSearchable(this.manager, [this.job.id]);
    // Packs are removed with their chunks; those of a crashed process, or of a job that ends before them, are removed
    // now.
    if (after.job !== before.job && isTerminal(after.job)) {
      await noteRemovals(this.manager, [packsPrefix(this.job.id)], { inSeconds: PACKS_READ_SECONDS });
      if (this.job.mediaType === 'videostream') {
        await endStreamsOfJob(this.manager, this.job.id, after.job === 'failed' ? 'failed' : 'completed');
      }
    }
  }

  /** Fails a module and keeps the reason with it and with the job. */
  async failModule(moduleId: string, reason: string): Promise<void> {
    const module = this.modules.find((candidate) => candidate.moduleId === moduleId);
    if (module === undefined || isTerminal(module.state)) return;
    await this.addErrors([`${module.postedAs}: ${reasonOf(reason)}`]);
    await this.failLostModule(moduleId, reason);
  }

  /** Fails a module whose every chunk was lost: the job's errors name each of them. */
  async failLostModule(moduleId: string, reason: string): Promise<void> {
    const module = this.modules.find((candidate) => candidate.moduleId === moduleId);
    if (module === undefined || isTerminal(module.state)) return;
    module.error = reasonOf(reason);
    await this.apply({ kind: 'module-failed', module: moduleId });
  }

  /** Adds errors, see `withErrors`. */
  async addErrors(reasons: string[], replaces?: (known: string) => boolean): Promise<void> {
    const add = this.job.mediaType === 'videostream' ? withLastErrors : withErrors;
    const errors = add(this.job.errors, reasons, replaces);
    if (errors === null) return;
    this.job.errors = errors;
    this.errorsForgotten = false;
    await this.manager.update(JobEntity, { id: this.job.id }, { errors: this.job.errors });
  }

  /** Notes the stop of a live stream whose last chunks are still to be folded; the first one counts. */
  async askToStop(): Promise<void> {
    this.job.timeStopAsked ??= await databaseNow(this.manager);
    await this.manager.update(JobEntity, { id: this.job.id }, { timeStopAsked: this.job.timeStopAsked });
  }

  /** Sets the kind of media that the job mines, once its first source is opened. */
  async setMediaType(mediaType: JobEntity['mediaType']): Promise<void> {
    await this.manager.update(JobEntity, { id: this.job.id }, { mediaType });
  }

  /** Notes the module's new segments, those from `from` on, for the job's webhook if it asks for them. */
  noteSegments(module: JobModuleEntity, from: number): void {
    const { moduleId, postedAs, segmentCount: to } = module;
    if (from === to) return;
    this.changed.add(module);
    for (const event of [`job.${postedAs}.on_detailed_result`, 'job.on_detailed_result']) {
      if (!this.job.webhook?.events.includes(event)) continue;
      this.note(event, { module: postedAs, segments: { moduleId, from, to } }, false);
    }
  }

  /** Notes segments of a live stream that start and then such that end, for the job's webhook if it asks for them. */
  noteLiveSegments({ moduleId, postedAs }: JobModuleEntity, started: StartedSegment[], ended: EndedSegment[]): void {
    const parts = [
      ['on_segment_start', 'started', started],
      ['on_segment_end', 'ended', ended],
    ] as const;
    for (const [name, field, segments] of parts) {
      for (const event of [`job.${postedAs}.${name}`, `job.${name}`]) {
        if (!this.job.webhook?.events.includes(event)) continue;
        for (let at = 0; at < segments.length; at += SEGMENTS_PER_EVENT) {
          const some = segments.slice(at, at + SEGMENTS_PER_EVENT);
          this.note(event, { module: postedAs, [field]: { moduleId, segments: some } }, false);
        }
      }
    }
  }

  /**
   * Changes a module's progress (0..1), and with it the job's. It is written with the next change of states or
   * `flush`.
   */
  setProgress(module: JobModuleEntity, progress: number): void {
    module.progress = progress;
    const sum = this.modules.reduce((total, each) => total + each.progress, 0);
    this.job.progress = Math.min(0.99, sum / this.modules.length);
    this.changed.add(module);
  }

  /** Sets the number of segments that each module has left, by its id, after some were taken back. */
  async recount(left: Map<string, number>): Promise<void> {
    for (const module of this.modules) {
      module.segmentCount = left.get(module.moduleId) ?? 0;
      this.changed.add(module);
    }
    this.job.segmentCount = [...left.values()].reduce((sum, count) => sum + count, 0);
    await this.save();
  }

  /**
   * Publishes the current progress, with the next change of states or `flush`. Progress within chunks is published by
   * whichever process comes first; `unlessPublished` skips it when another did. Returns false when progress was
   * published less than so many milliseconds ago, so that it has to be published later.
   */
  async noteProgress(unlessPublished: { within: number } | null = null): Promise<boolean> {
    const rows: { module_id: string; ahead: number; published: number | null; recent: boolean | null }[] =
      await this.manager.query(
        `SELECT m.module_id, ${AHEAD} AS ahead, e.published, e.recent FROM job_modules m LEFT JOIN LATERAL (
           SELECT (data->>'progress')::float8 AS published,
                  time_created > clock_timestamp() - make_interval(secs => $2::float8 / 1000) AS recent
             FROM job_events WHERE job_id = $1 AND event = 'job.on_progress' AND $2::float8 IS NOT NULL
            ORDER BY id DESC LIMIT 1) e ON true
          WHERE m.job_id = $1`,
        [this.job.id, unlessPublished?.within ?? null],
      );
    const ahead = new Map(rows.map((row) => [row.module_id, row.ahead]));
    const shown = liveProgress(
      this.job.progress,
      this.modules.map((module) => ({ ...module, ahead: ahead.get(module.moduleId) ?? 0 })),
    );
    if (rows.some(({ published }) => published === shown.progress)) return true;
    if (rows.some(({ recent }) => recent === true)) return false;
    const modules = Object.fromEntries(shown.modules.map((each) => [each.postedAs, each.progress]));
    const event = 'job.on_progress';
    const webhook = webhookNotice({ ...this.job, progress: shown.progress }, shown.modules, event);
    this.events.push({ event, data: { progress: shown.progress, modules }, kept: true, webhook, asked: null });
    return true;
  }

  /** Writes pending changes. */
  async flush(): Promise<void> {
    if (this.changed.size > 0 || this.events.length > 0) await this.save();
  }

  /**
   * Writes the job's row, those of changed modules, and events, which are sent and stored for streams, in one
   * statement.
   */
  private async save(): Promise<void> {
    const { job } = this;
    const { id: jobId, traceparent } = job;
    const modules = [...this.changed];
    const events = this.events.splice(0);
    const kept = events.filter((event) => event.kept).map(({ event, data }) => ({ event, data }));
    this.changed.clear();
    await this.manager.query(
      `WITH m AS (
         UPDATE job_modules SET ${assignments(MOVED_OF_MODULE, 'v')}
           FROM jsonb_to_recordset($2::jsonb) AS v("moduleId" text, ${recordColumns(MOVED_OF_MODULE)})
          WHERE job_id = $1 AND module_id = v."moduleId"),
       e AS (
         INSERT INTO job_events (job_id, event, data)
         SELECT $1, v.event, v.data FROM jsonb_to_recordset($3::jsonb) AS v(event text, data jsonb)),
       o AS (${MESSAGES}),
       s AS (${keepEvents('$11')})
       UPDATE jobs SET ${assignments(MOVED_OF_JOB, 'v')}, summary = coalesce($5::jsonb, summary),
              errors = CASE WHEN v."errorsForgotten" THEN '[]'::jsonb ELSE errors END
         FROM jsonb_to_record($4::jsonb) AS v(${recordColumns(MOVED_OF_JOB)}, "errorsForgotten" boolean)
        WHERE id = $1`,
      [
        job.id,
        JSON.stringify(modules.map((module) => ({ moduleId: module.moduleId, ...valuesOf(module, MOVED_OF_MODULE) }))),
        JSON.stringify(kept),
        JSON.stringify({ ...valuesOf(job, MOVED_OF_JOB), errorsForgotten: this.errorsForgotten }),
        // The value is not read with the row; it exists once the job's end has set it.
        job.summary === undefined ? null : JSON.stringify(job.summary),
        ...outboxColumns(
          events.map(({ event, data, webhook, asked }) => ({
            topic: 'events.raised' as const,
            key: jobId,
            jobId,
            traceparent,
            ...(asked !== null && { version: WORKSPACE_EVENT_MESSAGE_VERSION }),
            payload: { event, data: webhook === null ? data : { ...data, webhook } },
          })),
        ),
        events.map(({ asked }) => asked),
        job.workspaceId,
        keptEvents(
          events.flatMap(({ event, webhook: notice, asked }) =>
            asked === null || notice === null
              ? []
              : [{ workspaceId: job.workspaceId, jobId, subjectId: jobId, event, data: { ...notice } }],
          ),
        ),
      ],
    );
  }

  /** Raises an event with the current state of the job. */
  private note(event: string, data: Record<string, Json>, kept = true): void {
    this.events.push({ event, data, kept, webhook: webhookNotice(this.job, this.modules, event), asked: null });
  }

  /** Raises the event for the workspace: for its streams, and for a webhook that subscribes to it. */
  private noteForWorkspace(event: ResourceEventName, data: Record<string, Json>): void {
    this.events.push({ event, data, kept: false, webhook: noticeOf(this.job, this.modules), asked: event });
  }

  private moveJob(state: JobState, at: Date): void {
    const { job } = this;
    job.state = state;
    if (state === 'processing') job.timeStarted ??= at;
    if (state === 'waiting') {
      job.timeCompleted = null;
      job.timeStopAsked = null;
      // The job lives again; its ttl counts from its next end.
      job.timeExpires = null;
      job.progress = Math.min(job.progress, 0.99);
      job.admitted = false;
      job.errors = [];
      this.errorsForgotten = true;
    }
    if (isTerminal(state)) {
      Object.assign(job, endedAt(job, state, at));
      jobsEnded.inc({ state });
      log.info({ jobId: job.id, state }, 'the job ended');
    }
    const event = EVENT_OF[state];
    if (event === null) return;
    this.note(`job.${event}`, { state });
    // A job of an export is nobody's who would hear of it.
    if (job.exportId === null) this.noteForWorkspace(workspaceJobEvent(event), { state });
  }
}

interface JobEvent {
  event: string;
  data: Record<string, Json>;
  /** Stored for resumable streams. */
  kept: boolean;
  webhook: WebhookNotice | null;
  /** Event name that a webhook of the workspace must subscribe to; null: it is always sent. */
  asked: ResourceEventName | null;
}
