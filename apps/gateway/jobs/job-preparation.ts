import { AditError, type JobRequest } from '@adit/contracts';
import { checkBatch, type NewJob, type ResolvedModule } from '@adit/jobs';
import { liveProtocol } from '@adit/media';
import { ModuleRegistry } from '@adit/module-kit';
import { currentTraceparent } from '@adit/runtime';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { GATEWAY_CONFIG, type GatewayConfig } from '../config.js';
import { DictionaryPins } from '../dictionaries/dictionary-pins.js';
import { DictionaryWords } from '../dictionaries/dictionary-words.js';
import { checkCallback } from '../webhooks/check-callback.js';
import { CollectionChecks } from '../indexes/collection-checks.js';
import { checkConform } from './conform-checks.js';
import { DatasetChecks } from './dataset-checks.js';
import { checkEvents } from './job-events.js';
import { postedModules } from '../modules/posted-modules.js';
import { RequestResolver } from '../modules/resolve-request.js';
import { checkLiveModules } from './live-modules.js';
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
    checkCallback(request.webhook?.callback, '/webhook/callback', this.config);
    const { sources, ...media } = await this.sources.check(workspaceId, request.sources, request.media_type);
    checkConform(request);
    checkEvents(request, media.mediaType);
    // A playlist may turn out to be that of a film.
    const mayBeFilm = sources.every((uri) => ['hls', 'dash'].includes(liveProtocol(uri) ?? ''));
    if (media.live !== undefined) checkLiveModules(modules, { mayBeFilm });
    const live = this.rotated(request, modules, this.recorded(request, media.live));
    if (live !== undefined && request.program !== undefined) throw programmeOfStream();
    return {
      ...{ workspaceId, request: { ...request, sources }, modules, ...media, traceparent: currentTraceparent() },
      ...(live !== undefined && { live }),
    };
  }

  /** The live source with what is recorded of it. Throws VALIDATION for a recording of anything else. */
  private recorded({ record }: JobRequest, live: NewJob['live']): NewJob['live'] {
    if (!record) return live;
    if (live !== undefined) return { ...live, recordSeconds: Math.round(this.config.recordingMinutes * 60) };
    const message = 'Only a live stream can be recorded: leave out `record`, or post an address such as rtsp://…';
    throw new AditError('VALIDATION', message, { errors: [{ pointer: '/record', code: 'invalid', message }] });
  }

  /**
   * The live source with the length of its parts. Throws VALIDATION for parts of anything else, and of a stream of
   * which a module wants a range: that counts from the first picture of all.
   */
  private rotated(
    { rotate_seconds: asked }: JobRequest,
    modules: readonly ResolvedModule[],
    live: NewJob['live'],
  ): NewJob['live'] {
    const hasRange = modules.some(({ range }) => range !== null);
    const refused = (message: string): AditError =>
      new AditError('VALIDATION', message, { errors: [{ pointer: '/rotate_seconds', code: 'invalid', message }] });
    if (asked != null && live === undefined) {
      throw refused(
        'Only a live stream is split into parts: leave out `rotate_seconds`, or post an address such as rtsp://…',
      );
    }
    if (asked != null && asked > 0 && hasRange) {
      throw refused(
        'A stream of which a module wants a `range` is not split: leave out `rotate_seconds`, or the range.',
      );
    }
    const rotateSeconds = asked ?? (hasRange ? 0 : this.config.streamRotateSeconds);
    return live === undefined || rotateSeconds === 0 ? live : { ...live, rotateSeconds };
  }

  private async modulesOf(
    workspaceId: string,
    request: JobRequest,
    known?: Map<string, readonly ResolvedModule[]>,
  ): Promise<readonly ResolvedModule[]> {
    if (known === undefined) {
      const resolved = await this.resolver.resolve(workspaceId, request);
      return this.words.resolve(await this.dictionaries.pin(workspaceId, resolved));
    }
    const asked = JSON.stringify(request.modules);
    const before = known.get(asked);
    if (before !== undefined) return before;
    const modules = await this.modulesOf(workspaceId, request);
    known.set(asked, modules);
    return modules;
  }
}

function programmeOfStream(): AditError {
  const message = 'A programme can be chosen of files only: leave out `program` for a live stream or a playlist.';
  return new AditError('VALIDATION', message, { errors: [{ pointer: '/program', code: 'invalid', message }] });
}
