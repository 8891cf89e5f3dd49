import type { Json, JobState } from '@adit/contracts';
import { fromRow, JobEntity, JobModuleEntity } from '@adit/database';
import { createLogger } from '@adit/runtime';
import type { EntityManager } from 'typeorm';
import { enqueue } from './outbox.js';
import { jobsEnded } from './queue-metrics.js';
import { isTerminal, transition, type JobSignal, type JobStates } from './state.js';
import { webhookNotice, type WebhookNotice } from './webhook-notice.js';

const log = createLogger('jobs');

const EVENT_OF: Record<JobState, string | null> = {
  waiting: null,
  processing: 'on_started',
  completed: 'on_completed',
  failed: 'on_failed',
  stopped: 'on_stopped',
};

/** A job of ten thousand unreadable pictures says what is wrong with the first ones. */
const MAX_ERRORS = 100;
const MORE_ERRORS = 'Further errors are left out.';

/** A live job whose row this transaction holds: nobody else moves its states or folds its chunks meanwhile. */
export class LockedJob {
  /** Not written yet. */
  private readonly changed = new Set<JobModuleEntity>();
  private readonly events: JobEvent[] = [];

  private constructor(
    private readonly manager: EntityManager,
    readonly job: JobEntity,
    readonly modules: JobModuleEntity[],
  ) {}

  /** Null when the job is unknown or deleted: work in flight for it is dropped. */
  static async take(manager: EntityManager, jobId: string): Promise<LockedJob | null> {
    // The modules' rows are locked too: only so does one statement that waited for the job see what they are by then.
    const rows: (Record<string, unknown> & { module: Record<string, unknown> })[] = await manager.query(
      `SELECT j.*, to_jsonb(m) AS module FROM jobs j JOIN job_modules m ON m.job_id = j.id
        WHERE j.id = $1 AND j.time_deleted IS NULL ORDER BY m.position FOR UPDATE`,
      [jobId],
    );
    const [first] = rows;
    if (first === undefined) return null;
    const modules = rows.map(({ module }) => fromRow(manager, JobModuleEntity, module));
    return new LockedJob(manager, fromRow(manager, JobEntity, first), modules);
  }

  /** Still to be worked on. */
  get isActive(): boolean {
    return !isTerminal(this.job.state);
  }

  get states(): JobStates {
    return {
      job: this.job.state,
      modules: Object.fromEntries(this.modules.map((module) => [module.moduleId, module.state])),
    };
  }

  get activeModules(): JobModuleEntity[] {
    return this.modules.filter((module) => !isTerminal(module.state));
  }

  /** Moves the states as the state machine says, writes what changed and raises its events. Throws its CONFLICT. */
  async apply(signal: JobSignal): Promise<void> {
    const before = this.states;
    const after = transition(before, signal);
    let moved = false;
    // A job starts before its modules and ends after them.
    if (after.job !== before.job && !isTerminal(after.job)) this.moveJob(after.job);
    for (const module of this.modules) {
      const state = after.modules[module.moduleId]!;
      if (state === module.state) continue;
      module.state = state;
      if (state === 'completed') module.progress = 1;
      if (state === 'waiting') module.error = null;
      moved = true;
      this.changed.add(module);
      const event = EVENT_OF[state];
      if (event !== null) {
        this.note(`job.${module.postedAs}.${event}`, { module: module.postedAs, state });
      }
    }
    if (after.job !== before.job && isTerminal(after.job)) this.moveJob(after.job);
    if (after.job !== before.job || moved) await this.save();
  }

  /** Fails a module and keeps the reason with it and with the job. */
  async failModule(moduleId: string, reason: string): Promise<void> {
    const module = this.modules.find((candidate) => candidate.moduleId === moduleId);
    if (module === undefined || isTerminal(module.state)) return;
    module.error = reason;
    await this.addErrors([`${module.postedAs}: ${reason}`]);
    await this.apply({ kind: 'module-failed', module: moduleId });
  }

  async addErrors(reasons: string[]): Promise<void> {
    const fresh = reasons.filter((reason) => !this.job.errors.includes(reason));
    const room = MAX_ERRORS - this.job.errors.length;
    if (fresh.length === 0 || room <= 0) return;
    this.job.errors = [
      ...this.job.errors,
      ...(fresh.length < room ? fresh : [...fresh.slice(0, room - 1), MORE_ERRORS]),
    ];
    await this.manager.update(JobEntity, { id: this.job.id }, { errors: this.job.errors });
  }

  /** Notes for the job's webhook, when it asks for them, the module's new segments: those from `from` on. */
  noteSegments(module: JobModuleEntity, from: number): void {
    const { moduleId, postedAs, segmentCount: to } = module;
    if (from === to) return;
    this.changed.add(module);
    for (const event of [`job.${postedAs}.on_detailed_result`, 'job.on_detailed_result']) {
      if (!this.job.webhook?.events.includes(event)) continue;
      this.note(event, { module: postedAs, segments: { moduleId, from, to } }, false);
    }
  }

  /** Notes changed progress. What is noted is written, and told, with the next change of states or `flush`. */
  noteProgress(module: JobModuleEntity): void {
    this.changed.add(module);
    const modules = Object.fromEntries(this.modules.map((each) => [each.postedAs, each.progress]));
    this.note('job.on_progress', { progress: this.job.progress, modules });
  }

  /** Writes what was noted and not written yet. */
  async flush(): Promise<void> {
    if (this.changed.size > 0 || this.events.length > 0) await this.save();
  }

  /** The job's row, those of changed modules, and events, which are kept for resumable streams, in one statement. */
  private async save(): Promise<void> {
    const { job } = this;
    const modules = [...this.changed];
    const events = this.events.splice(0);
    const kept = events.filter((event) => event.kept).map(({ event, data }) => ({ event, data }));
    this.changed.clear();
    await this.manager.query(
      `WITH m AS (
         UPDATE job_modules SET state = v.state, error = v.error, progress = v.progress, segment_count = v.segment_count
           FROM jsonb_to_recordset($2::jsonb)
             AS v(module_id text, state text, error text, progress float8, segment_count int)
          WHERE job_id = $1 AND job_modules.module_id = v.module_id),
       e AS (
         INSERT INTO job_events (job_id, event, data)
         SELECT $1, v.event, v.data FROM jsonb_to_recordset($3::jsonb) AS v(event text, data jsonb))
       UPDATE jobs SET state = $4, time_started = $5, time_completed = $6, time_expires = $7, admitted = $8,
              errors = $9, progress = $10, segment_count = $11, summary = coalesce($12::jsonb, summary)
        WHERE id = $1`,
      [
        job.id,
        JSON.stringify(
          modules.map(({ moduleId: module_id, state, error, progress, segmentCount: segment_count }) => ({
            module_id,
            state,
            error,
            progress,
            segment_count,
          })),
        ),
        JSON.stringify(kept),
        job.state,
        job.timeStarted,
        job.timeCompleted,
        job.timeExpires,
        job.admitted,
        JSON.stringify(job.errors),
        job.progress,
        job.segmentCount,
        isTerminal(job.state) ? JSON.stringify(job.summary) : null,
      ],
    );
    const { id: jobId, traceparent } = job;
    await enqueue(
      this.manager,
      events.map(({ event, data, webhook }) => ({
        topic: 'events.raised' as const,
        key: jobId,
        jobId,
        traceparent,
        payload: { event, data: webhook === null ? data : { ...data, webhook } },
      })),
    );
  }

  /** An event of the job as it is now. */
  private note(event: string, data: Record<string, Json>, kept = true): void {
    this.events.push({ event, data, kept, webhook: webhookNotice(this.job, this.modules, event) });
  }

  private moveJob(state: JobState): void {
    const { job } = this;
    job.state = state;
    if (state === 'processing') job.timeStarted ??= new Date();
    if (state === 'waiting') {
      job.timeCompleted = null;
      job.admitted = false;
      job.errors = [];
    }
    if (isTerminal(state)) {
      job.timeCompleted = new Date();
      jobsEnded.inc({ state });
      log.info({ jobId: job.id, state }, 'the job ended');
      if (state === 'completed') job.progress = 1;
      job.timeExpires = job.ttl === null ? null : new Date(job.timeCompleted.getTime() + job.ttl * 1000);
    }
    const event = EVENT_OF[state];
    if (event !== null) this.note(`job.${event}`, { state });
  }
}

interface JobEvent {
  event: string;
  data: Record<string, Json>;
  /** For resumable streams. */
  kept: boolean;
  webhook: WebhookNotice | null;
}
