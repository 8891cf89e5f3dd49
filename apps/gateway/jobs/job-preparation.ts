import type { JobRequest } from '@adit/contracts';
import { checkBatch, type NewJob, type ResolvedModule } from '@adit/jobs';
import { ModuleRegistry } from '@adit/module-kit';
import { currentTraceparent } from '@adit/runtime';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { GATEWAY_CONFIG, type GatewayConfig } from '../config.js';
import { DictionaryPins } from '../dictionaries/dictionary-pins.js';
import { DictionaryWords } from '../dictionaries/dictionary-words.js';
import { checkCallback } from '../webhooks/check-callback.js';
import { CollectionChecks } from '../indexes/collection-checks.js';
import { DatasetChecks } from './dataset-checks.js';
import { checkEvents } from './job-events.js';
import { postedModules } from '../modules/posted-modules.js';
import { RequestResolver } from '../modules/resolve-request.js';
import { SourceChecks } from './source-checks.js';

/** Turns a client's order, however it came, into a job that can be submitted. */
@Injectable()
export class JobPreparation {
  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(ModuleRegistry) private readonly registry: ModuleRegistry,
    @Inject(RequestResolver) private readonly resolver: RequestResolver,
    @Inject(DictionaryPins) private readonly dictionaries: DictionaryPins,
    @Inject(DictionaryWords) private readonly words: DictionaryWords,
    @Inject(CollectionChecks) private readonly collections: CollectionChecks,
    @Inject(DatasetChecks) private readonly datasets: DatasetChecks,
    @Inject(SourceChecks) private readonly sources: SourceChecks,
    @Inject(GATEWAY_CONFIG) private readonly config: GatewayConfig,
  ) {}

  /**
   * Throws VALIDATION, MODEL_NOT_INSTALLED or SOURCE_REFUSED with a pointer to each place that cannot be taken.
   *
   * @param known the modules of orders before it, by the JSON of what they asked: for many that ask the same.
   */
  async prepare(
    workspaceId: string,
    posted: JobRequest,
    known?: Map<string, readonly ResolvedModule[]>,
  ): Promise<NewJob> {
    const ttl = posted.ttl ?? this.config.jobTtlSeconds;
    const request = {
      ...posted,
      ...(ttl !== undefined && { ttl }),
      modules: postedModules(posted.modules, this.registry),
    };
    const modules = await this.modulesOf(workspaceId, request, known);
    await this.collections.check(workspaceId, modules);
    await this.datasets.check(workspaceId, modules);
    await checkBatch(this.db.manager, workspaceId, request.batch, '/batch');
    checkEvents(request);
    checkCallback(request.webhook?.callback, '/webhook/callback', this.config);
    const mediaType = await this.sources.check(workspaceId, request.sources);
    return { workspaceId, request, modules, mediaType, traceparent: currentTraceparent() };
  }

  private async modulesOf(
    workspaceId: string,
    request: JobRequest,
    known?: Map<string, readonly ResolvedModule[]>,
  ): Promise<readonly ResolvedModule[]> {
    if (known === undefined) {
      const resolved = await this.resolver.resolve(workspaceId, request);
      return this.words.tell(await this.dictionaries.pin(workspaceId, resolved));
    }
    const asked = JSON.stringify(request.modules);
    const before = known.get(asked);
    if (before !== undefined) return before;
    const modules = await this.modulesOf(workspaceId, request);
    known.set(asked, modules);
    return modules;
  }
}
