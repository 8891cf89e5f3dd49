import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AditError, type MediaFacts } from '@adit/contracts';
import { openStorageKey, type NewJob, type ResolvedModule } from '@adit/jobs';
import { fetchSource, probeMedia } from '@adit/media';
import { OBJECT_STORE, type ObjectStore } from '@adit/objects';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { GATEWAY_CONFIG, type GatewayConfig } from '../config.js';
import type { DryRun } from './job-routes.js';

const LIMIT_SECONDS = 20;
/** A dry run copies what it probes to local disk. */
const MOST_BYTES = 2 * 1024 ** 3;

/** `POST /v1/jobs/?dry_run=true`: what a job would be. Probes what is near; web sources are the decoders' to open. */
@Injectable()
export class DryRuns {
  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(OBJECT_STORE) private readonly objects: ObjectStore,
    @Inject(GATEWAY_CONFIG) private readonly config: GatewayConfig,
  ) {}

  /** Throws UNAVAILABLE when probing takes longer than 20 s. */
  async run({ workspaceId, request, modules, mediaType }: NewJob): Promise<DryRun> {
    const abort = AbortSignal.timeout(LIMIT_SECONDS * 1000);
    const directory = join(tmpdir(), `adit-dry-run-${randomUUID()}`);
    const sources: DryRun['sources'] = [];
    try {
      for (const source of request.sources) {
        sources.push(await this.probe(workspaceId, source, directory, abort));
      }
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
    const facts = sources.flatMap((source) => source.facts ?? []);
    return {
      media_type: facts[0]?.kind ?? mediaType,
      modules: Object.fromEntries(modules.map((module) => [module.postedAs, describe(module)])),
      sources,
      estimate: {
        media_seconds: facts.reduce((sum, fact) => sum + (fact.kind === 'image' ? 0 : fact.duration), 0),
        pictures: facts.filter(({ kind }) => kind === 'image').length,
      },
    };
  }

  private async probe(
    workspaceId: string,
    source: string,
    directory: string,
    signal: AbortSignal,
  ): Promise<DryRun['sources'][number]> {
    if (/^https?:/i.test(source)) return { source, facts: null, error: null };
    try {
      const facts = await this.factsOf(workspaceId, source, directory, signal);
      return { source, facts, error: null };
    } catch (error) {
      if (signal.aborted || (error instanceof AditError && error.retryable)) {
        throw new AditError('UNAVAILABLE', `The sources could not be probed within ${LIMIT_SECONDS} s. Try again.`, {
          cause: error,
        });
      }
      if (error instanceof AditError && error.status < 500) return { source, facts: null, error: error.message };
      throw error;
    }
  }

  private async factsOf(
    workspaceId: string,
    source: string,
    directory: string,
    signal: AbortSignal,
  ): Promise<MediaFacts> {
    const file = await fetchSource(source, {
      ...this.config,
      directory,
      maxBytes: MOST_BYTES,
      timeoutSeconds: LIMIT_SECONDS,
      idleTimeoutSeconds: LIMIT_SECONDS,
      signal,
      openStorage: (key) => openStorageKey(this.db.manager, this.objects, workspaceId, key),
    });
    try {
      return (await probeMedia(file.path, { signal })).facts;
    } finally {
      await rm(file.path, { force: true });
    }
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
