import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { AditError } from '@adit/contracts';
import { isOnPlatform } from '@adit/media';
import { ProbeEntity, type ProbeResult } from '@adit/database';
import { deleteProbe, insertProbe } from '@adit/online-inference';
import { enqueue, OutboxRelay } from '@adit/outbox';
import { type NewJob, type ResolvedModule } from '@adit/jobs';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { DryRun } from './job-routes.js';
import { forecastQuotas } from './quota-forecast.js';

const LIMIT_SECONDS = 20;
const POLL_MS = 100;

/**
 * `POST /v1/jobs/?dry_run=true`: what a job would be. A decoder probes what is near, and says whether it can have films of
 * platforms; web sources would have to be fetched.
 * Nothing is opened in this process.
 */
@Injectable()
export class DryRuns {
  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(OutboxRelay) private readonly outbox: OutboxRelay,
  ) {}

  /** Throws UNAVAILABLE when no decoder answers within 20 s. */
  async run(newJob: NewJob): Promise<DryRun> {
    const { workspaceId, request, modules, mediaType, live } = newJob;
    const isNear = (source: string): boolean => !/^https?:/i.test(source) || isOnPlatform(source);
    // A live stream is opened by a recorder, once its job is there.
    const near = live === undefined ? request.sources.filter(isNear) : [];
    const found = near.length === 0 ? [] : await this.ask(workspaceId, near);
    const results = new Map(near.map((source, i) => [source, found[i]]));
    const sources = request.sources.map((source) => ({
      source,
      facts: results.get(source)?.facts ?? null,
      error: results.get(source)?.error ?? null,
    }));
    const facts = sources.flatMap((source) => source.facts ?? []);
    return {
      media_type: facts[0]?.kind ?? mediaType,
      modules: Object.fromEntries(modules.map((module) => [module.postedAs, describe(module)])),
      sources,
      estimate: {
        media_seconds: facts.reduce((sum, fact) => sum + ('duration' in fact ? fact.duration : 0), 0),
        pictures: facts.reduce(
          (sum, fact) => sum + (fact.kind === 'pdf' ? fact.pages : Number(fact.kind === 'image')),
          0,
        ),
      },
      quotas: await forecastQuotas(this.db, newJob, sources),
    };
  }

  private async ask(workspaceId: string, sources: string[]): Promise<ProbeResult[]> {
    const id = randomUUID();
    await this.outbox.transaction(async (manager) => {
      await insertProbe(manager, { id, workspaceId, sources });
      await enqueue(manager, [
        { topic: 'probes.requested', key: id, jobId: id, workspaceId, payload: { probeId: id } },
      ]);
    });
    try {
      for (const giveUp = Date.now() + LIMIT_SECONDS * 1000; Date.now() < giveUp; await sleep(POLL_MS)) {
        const probe = await this.db.manager.findOneBy(ProbeEntity, { id });
        if (probe === null || probe.unavailable) break;
        if (probe.results !== null) return probe.results;
      }
    } finally {
      await deleteProbe(this.db.manager, id);
    }
    throw new AditError('UNAVAILABLE', `The sources could not be probed within ${LIMIT_SECONDS} s. Try again.`);
  }
}

function describe({ moduleId, args, models, analyses }: ResolvedModule): DryRun['modules'][string] {
  return {
    module: moduleId,
    arguments: args,
    models,
    analyses: analyses.map((needed) => ({ analysis: needed.analysis, digest: needed.digest, models: needed.models })),
  };
}
