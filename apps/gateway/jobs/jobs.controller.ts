import { AditError, type Job } from '@adit/contracts';
import { JobCommands } from '@adit/jobs';
import { presentJob } from '@adit/presentation';
import { Controller, Inject } from '@nestjs/common';
import { Links } from '../http/links.js';
import { Route, type Exchange, type Input } from '../http/route.js';
import { UsageQuotas } from '../usage/usage-quotas.js';
import { DryRuns } from './dry-runs.js';
import { JobPreparation } from './job-preparation.js';
import { JobReader } from './job-reader.js';
import { JobSignals } from './job-signals.js';
import { dryRunJob, deleteJob, deleteJobs, getJob, listJobs, postJob, retryJob, stopJob } from './job-routes.js';
import { preferredWait, WaitForJob } from './wait-for-job.js';

/** Well below what a balancer waits for. */
const DELETING_MS = 20_000;

@Controller()
export class JobsController {
  constructor(
    @Inject(JobCommands) private readonly commands: JobCommands,
    @Inject(JobReader) private readonly jobs: JobReader,
    @Inject(JobPreparation) private readonly preparation: JobPreparation,
    @Inject(DryRuns) private readonly dryRuns: DryRuns,
    @Inject(UsageQuotas) private readonly quotas: UsageQuotas,
    @Inject(WaitForJob) private readonly wait: WaitForJob,
    @Inject(JobSignals) private readonly signals: JobSignals,
    @Inject(Links) private readonly links: Links,
  ) {}

  @Route(postJob)
  async create({ query, body: request }: Input<typeof postJob>, exchange: Exchange) {
    const { newId: id, isDone, idempotencyKey } = exchange;
    const { workspaceId } = exchange.caller;
    const seconds = preferredWait(exchange.request);
    if (isDone) return this.whenPreferred(id, exchange);
    if (!query.dry_run) await this.quotas.check(workspaceId);
    const newJob = { ...(await this.preparation.prepare(workspaceId, request)), keyId: exchange.caller.keyId };
    if (query.dry_run) return this.dryRuns.run(newJob);
    const { job, modules } = await this.commands.submit(newJob, id, idempotencyKey);
    const baseUrl = this.links.baseUrl(exchange.request);
    // A job that was just written is not read again, unless it may have changed meanwhile.
    return (await this.wait.asPreferred(seconds, exchange.reply, workspaceId, id))
      ? this.jobs.one(workspaceId, id, baseUrl)
      : presentJob(job, modules, baseUrl);
  }

  @Route(dryRunJob)
  async dryRun({ body: request }: Input<typeof dryRunJob>, { caller }: Exchange) {
    return this.dryRuns.run(await this.preparation.prepare(caller.workspaceId, request));
  }

  @Route(listJobs)
  async list({ query }: Input<typeof listJobs>, { caller, request }: Exchange) {
    const { total, jobs, next } = await this.jobs.list(caller.workspaceId, query, this.links.baseUrl(request));
    return this.links.page(request, query, total, jobs, next);
  }

  @Route(getJob)
  async one({ params }: Input<typeof getJob>, exchange: Exchange) {
    return this.whenPreferred(params.jobId, exchange);
  }

  @Route(deleteJob)
  async delete({ params: { jobId } }: Input<typeof deleteJob>, { caller }: Exchange) {
    await this.jobs.row(caller.workspaceId, jobId);
    await this.commands.delete(caller.workspaceId, jobId);
    this.signals.deleted(jobId);
    return { message: `Job ${jobId} was deleted.` };
  }

  @Route(deleteJobs)
  async deleteMany({ query }: Input<typeof deleteJobs>, { caller: { workspaceId } }: Exchange) {
    const { limit: few, time_created_from: from, time_created_to: to, ...filter } = query;
    const named = Object.values({ ...filter, from, to }).filter((value) => value !== undefined);
    if (named.length === 0) throw new AditError('VALIDATION', 'Say which jobs: by ?ids, or by a filter.');
    const limit = filter.ids?.length ?? few;
    const page = { time_created_from: from, time_created_to: to, limit: limit + 1, ended: filter.ids === undefined };
    const found = await this.jobs.ids(workspaceId, filter, page);
    const end = Date.now() + DELETING_MS;
    const ids: string[] = [];
    const held: string[] = [];
    for (const id of found.slice(0, limit)) {
      if (ids.length > 0 && Date.now() > end) return { ids, held, more: true };
      try {
        await this.commands.delete(workspaceId, id);
      } catch (error) {
        const { code } = AditError.from(error);
        if (code === 'CONFLICT') held.push(id);
        // Somebody else was faster.
        else if (code !== 'NOT_FOUND') throw error;
        continue;
      }
      this.signals.deleted(id);
      ids.push(id);
    }
    return { ids, held, more: found.length > limit };
  }

  @Route(stopJob)
  async stop({ params: { jobId } }: Input<typeof stopJob>, { caller, request, isDone, done }: Exchange) {
    await this.jobs.row(caller.workspaceId, jobId);
    if (!isDone) await this.commands.stop(caller.workspaceId, jobId, done);
    return this.jobs.one(caller.workspaceId, jobId, this.links.baseUrl(request));
  }

  @Route(retryJob)
  async retry({ params: { jobId } }: Input<typeof retryJob>, { caller, request, isDone, done }: Exchange) {
    await this.jobs.row(caller.workspaceId, jobId);
    if (!isDone) {
      await this.quotas.check(caller.workspaceId);
      await this.commands.retry(caller.workspaceId, jobId, done);
    }
    return this.jobs.one(caller.workspaceId, jobId, this.links.baseUrl(request));
  }

  private async whenPreferred(jobId: string, { caller, request, reply }: Exchange): Promise<Job> {
    await this.wait.asPreferred(preferredWait(request), reply, caller.workspaceId, jobId);
    return this.jobs.one(caller.workspaceId, jobId, this.links.baseUrl(request));
  }
}
