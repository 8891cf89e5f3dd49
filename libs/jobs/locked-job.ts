import type { Json, JobState } from '@adit/contracts';
import { columns, JobEntity, JobEventEntity, JobModuleEntity } from '@adit/database';
import { IsNull, type EntityManager } from 'typeorm';
import { enqueue } from './outbox.js';
import { jobsEnded } from './queue-metrics.js';
import { isTerminal, transition, type JobSignal, type JobStates } from './state.js';
import { webhookNotice } from './webhook-notice.js';

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
  private constructor(
    private readonly manager: EntityManager,
    readonly job: JobEntity,
    readonly modules: JobModuleEntity[],
  ) {}

  /** Null when the job is unknown or deleted: work in flight for it is dropped. */
  static async take(manager: EntityManager, jobId: string): Promise<LockedJob | null> {
    const job = await manager.findOne(JobEntity, {
      where: { id: jobId, timeDeleted: IsNull() },
      lock: { mode: 'pessimistic_write' },
    });
    if (job === null) return null;
    const modules = await manager.find(JobModuleEntity, { where: { jobId }, order: { position: 'ASC' } });
    return new LockedJob(manager, job, modules);
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
    // A job starts before its modules and ends after them.
    if (after.job !== before.job && !isTerminal(after.job)) await this.moveJob(after.job);
    for (const module of this.modules) {
      const state = after.modules[module.moduleId]!;
      if (state === module.state) continue;
      module.state = state;
      if (state === 'completed') module.progress = 1;
      if (state === 'waiting') module.error = null;
      const { error, progress } = module;
      await this.manager.update(JobModuleEntity, this.moduleKey(module), { state, error, progress });
      const event = EVENT_OF[state];
      if (event !== null) await this.raise(`job.${module.postedAs}.${event}`, { module: module.postedAs, state });
    }
    if (after.job !== before.job && isTerminal(after.job)) await this.moveJob(after.job);
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

  /** Keeps a client-visible event for resumable streams and sends it to whoever listens. */
  async raise(event: string, data: Record<string, Json>): Promise<void> {
    await this.manager.insert(JobEventEntity, columns<JobEventEntity>({ jobId: this.job.id, event, data }));
    await this.send(event, data);
  }

  /** Tells the job's webhook, when it asks for them, of the module's new segments: those from `from` on. */
  async raiseSegments(module: JobModuleEntity, from: number): Promise<void> {
    const { moduleId, postedAs, segmentCount: to } = module;
    if (from === to || this.job.webhook === null) return;
    for (const event of [`job.${postedAs}.on_detailed_result`, 'job.on_detailed_result']) {
      if (!this.job.webhook.events.includes(event)) continue;
      await this.send(event, { module: postedAs, segments: { moduleId, from, to } });
    }
  }

  private async send(event: string, data: Record<string, Json>): Promise<void> {
    const { id: jobId, traceparent } = this.job;
    const webhook = webhookNotice(this.job, this.modules, event);
    const payload = { event, data: webhook === null ? data : { ...data, webhook } };
    await enqueue(this.manager, [{ topic: 'events.raised', key: jobId, jobId, traceparent, payload }]);
  }

  async raiseProgress(): Promise<void> {
    const modules = Object.fromEntries(this.modules.map((module) => [module.postedAs, module.progress]));
    await this.raise('job.on_progress', { progress: this.job.progress, modules });
  }

  private moduleKey(module: JobModuleEntity): { jobId: string; moduleId: string } {
    return { jobId: module.jobId, moduleId: module.moduleId };
  }

  private async moveJob(state: JobState): Promise<void> {
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
      if (state === 'completed') job.progress = 1;
      job.timeExpires = job.ttl === null ? null : new Date(job.timeCompleted.getTime() + job.ttl * 1000);
    }
    const { timeStarted, timeCompleted, timeExpires, admitted, errors, progress } = job;
    await this.manager.update(
      JobEntity,
      { id: job.id },
      { state, timeStarted, timeCompleted, timeExpires, admitted, errors, progress },
    );
    const event = EVENT_OF[state];
    if (event !== null) await this.raise(`job.${event}`, { state });
  }
}
