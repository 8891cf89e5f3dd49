import {
  AditError,
  audioSpecName,
  frameSpecName,
  imageRange,
  pageFacts,
  type AudioInterval,
  type Extent,
  type FrameInterval,
  type FrameSpec,
} from '@adit/contracts';
import type { JobAnalysisEntity, PackKeys } from '@adit/database';
import {
  failMixed,
  failSource,
  knownKey,
  knownObservations,
  LockedJob,
  packKey,
  refusalByAll,
  setSourcePlanned,
} from '@adit/jobs';
import { OutboxRelay } from '@adit/outbox';
import {
  audioPackMemory,
  chunkMemory,
  cutAudio,
  decodeImage,
  decodeInterval,
  decodePage,
  OpenDocuments,
  pageMemory,
  pictureMemory,
} from '@adit/media';
import { OBJECT_STORE, type ObjectStore } from '@adit/objects';
import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import pLimit from 'p-limit';
import { DataSource } from 'typeorm';
import { AudioFiles } from './audio-files.js';
import type { ChunkTask } from './chunk-task.js';
import { WORK_DIRECTORY } from './config.js';
import { MediaCatalogue } from './media-catalogue.js';
import { MemoryAdmission } from './memory-admission.js';
import { decodeSeconds } from './metrics.js';
import { SourceCache } from './source-cache.js';

/** Label values of the metric. */
const KINDS: Record<Extent['kind'], string> = { image: 'images', video: 'film', audio: 'audio' };
/** Pictures of a chunk that are fetched and decoded concurrently, as far as memory allows. */
const IMAGE_CONCURRENCY = 4;

/** Decodes chunks into packs of frames or sound in the object store. */
@Injectable()
export class ChunkDecoder implements OnApplicationShutdown {
  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(OutboxRelay) private readonly outbox: OutboxRelay,
    @Inject(SourceCache) private readonly cache: SourceCache,
    @Inject(MediaCatalogue) private readonly catalogue: MediaCatalogue,
    @Inject(AudioFiles) private readonly audio: AudioFiles,
    @Inject(OBJECT_STORE) private readonly objects: ObjectStore,
    @Inject(WORK_DIRECTORY) private readonly workDirectory: string,
    @Inject(MemoryAdmission) private readonly memory: MemoryAdmission,
    @Inject(OpenDocuments) private readonly documents: OpenDocuments,
  ) {}

  onApplicationShutdown(): Promise<void> {
    return this.documents.close();
  }

  /**
   * Returns pack keys by source index and frame spec; a cached or refused unit has none. It writes no packs after it
   * returned or threw.
   */
  async decode(task: ChunkTask, signal: AbortSignal): Promise<Record<string, PackKeys>> {
    if (task.analyses.length === 0) return {};
    const { extent } = task.chunk;
    const done = decodeSeconds.startTimer({ kind: KINDS[extent.kind] });
    try {
      return await this.decodeExtent(task, extent, signal);
    } finally {
      done();
    }
  }

  private decodeExtent(task: ChunkTask, extent: Extent, signal: AbortSignal): Promise<Record<string, PackKeys>> {
    switch (extent.kind) {
      case 'image':
        if (extent.page !== undefined) return this.decodePage(task, extent.page, signal);
        return this.decodeImages(task, signal);
      case 'video':
        return this.decodeFrames(task, extent.interval, signal);
      case 'audio':
        return this.decodeAudio(task, extent.interval, signal);
    }
  }

  private async decodeFrames(
    { job, chunk, sources, analyses }: ChunkTask,
    interval: FrameInterval,
    signal: AbortSignal,
  ): Promise<Record<string, PackKeys>> {
    // Includes a source that was refused since, when it was opened again for another module: its digest tells whether
    // it has changed.
    const [source] = sources;
    if (!source?.mediaDigest || source.facts?.kind !== 'video') return {};
    const { facts, mediaDigest, index: sourceIndex } = source;
    const packs = await this.cache.use(
      { jobId: job.id, workspaceId: job.workspaceId, index: sourceIndex, uri: source.uri },
      async (file) => {
        checkSame(file, mediaDigest);
        const index = await this.catalogue.frameIndex(job.workspaceId, file, signal);
        // In the work directory the next process finds and removes remains of a killed one.
        const limits = { directory: this.workDirectory };
        const request = { path: file.path, facts, index, interval, specs: specsOf(analyses), signal, limits };
        return this.memory.admit(chunkMemory(facts), () => decodeInterval(request), signal);
      },
      signal,
    );
    return { [sourceIndex]: await this.store(chunk, sourceIndex, packs) };
  }

  private async decodePage(
    { job, chunk, sources, analyses }: ChunkTask,
    page: number,
    signal: AbortSignal,
  ): Promise<Record<string, PackKeys>> {
    const [source] = sources;
    if (!source?.mediaDigest || source.facts?.kind !== 'pdf') return {};
    const { facts, mediaDigest, index: sourceIndex, uri } = source;
    const packs = await this.cache.use(
      { jobId: job.id, workspaceId: job.workspaceId, index: sourceIndex, uri },
      async (file) => {
        checkSame(file, mediaDigest);
        const { path } = file;
        const bytes = await pageMemory(path, pageFacts(facts, page));
        const request = { path, facts, page, specs: specsOf(analyses), documents: this.documents };
        return this.memory.admit(bytes, () => decodePage(request, signal), signal);
      },
      signal,
    );
    return { [sourceIndex]: await this.store(chunk, sourceIndex, packs) };
  }

  private async decodeAudio(
    { job, chunk, sources, analyses }: ChunkTask,
    interval: AudioInterval,
    signal: AbortSignal,
  ): Promise<Record<string, PackKeys>> {
    const [source] = sources;
    if (!source?.mediaDigest || source.facts === null) return {};
    const { facts, mediaDigest, index: sourceIndex, uri } = source;
    const specs = distinctBy(
      analyses.flatMap(({ audio }) => audio ?? []),
      audioSpecName,
    );
    const packs = await this.cache.use(
      { jobId: job.id, workspaceId: job.workspaceId, index: sourceIndex, uri },
      async (file) => {
        checkSame(file, mediaDigest);
        const cut = new Map<string, Buffer>();
        for (const spec of specs) {
          const audio = await this.audio.of({ path: file.path, facts }, spec, signal);
          const pack = await this.memory.admit(
            audioPackMemory(interval, spec),
            () => cutAudio(audio, interval, spec),
            signal,
          );
          cut.set(audioSpecName(spec), pack);
        }
        return cut;
      },
      signal,
    );
    return { [sourceIndex]: await this.store(chunk, sourceIndex, packs) };
  }

  private async decodeImages(task: ChunkTask, signal: AbortSignal): Promise<Record<string, PackKeys>> {
    const { chunk, modules } = task;
    const ranges = modules.map((module) => imageRange(module.range, Infinity));
    const wanted = (index: number) =>
      ranges.some((range) => range !== null && range.from <= index && index <= range.to);
    const keys: Record<string, PackKeys> = {};
    const limit = pLimit(IMAGE_CONCURRENCY);
    const indexes = Array.from(
      { length: chunk.sourceEnd - chunk.sourceStart },
      (_, offset) => chunk.sourceStart + offset,
    );
    // A failure stops the other pictures: nothing is written after it was reported.
    const broken = new AbortController();
    const either = AbortSignal.any([signal, broken.signal]);
    await allEnded(
      indexes.filter(wanted).map((index) =>
        limit(async () => {
          try {
            either.throwIfAborted();
            const packs = await this.decodeOneImage(task, index, either);
            if (packs !== null) keys[index] = await this.store(chunk, index, packs);
          } catch (error) {
            broken.abort(error);
            throw error;
          }
        }),
      ),
    );
    return keys;
  }

  /** Null when its observations are cached, or when it was refused: one bad picture never fails a chunk. */
  private async decodeOneImage(
    { job, sources, modules, analyses, isLastTry }: ChunkTask,
    index: number,
    signal: AbortSignal,
  ) {
    const source = sources.find((candidate) => candidate.index === index);
    if (source === undefined || source.state === 'failed') return null;
    try {
      const place = { jobId: job.id, workspaceId: job.workspaceId, index, uri: source.uri };
      return await this.cache.use(
        place,
        async (file) => {
          const { digest } = file;
          const known = source.mediaDigest === digest ? source.facts : null;
          const facts = known ?? (await this.catalogue.identify(job.workspaceId, file, signal)).facts;
          if (facts.kind === 'audio') {
            throw new AditError('MEDIA_INVALID', refusalByAll(modules, 'audio') || 'it is audio, in a job of images');
          }
          if (facts.kind !== 'image') return this.endMixed(job.id);
          if (known === null) await setSourcePlanned(this.db.manager, job.id, index, { digest, facts });
          if (await this.isKnown(job.workspaceId, { mediaDigest: digest, kind: 'image' }, analyses)) return null;
          const request = { path: file.path, facts, specs: specsOf(analyses) };
          const bytes = await pictureMemory(file.path, facts, request.specs);
          return this.memory.admit(bytes, () => decodeImage(request), signal);
        },
        signal,
      );
    } catch (error) {
      const problem = AditError.from(error);
      const again = problem.code === 'UNAVAILABLE' || (problem.retryable && !isLastTry);
      if (again || signal.aborted) throw error;
      await this.outbox.transaction(async (manager) => {
        const locked = await LockedJob.take(manager, job.id);
        if (locked?.isActive) await failSource(manager, locked, index, problem.message);
      });
      return null;
    }
  }

  private async endMixed(jobId: string): Promise<null> {
    await this.outbox.transaction(async (manager) => {
      const locked = await LockedJob.take(manager, jobId);
      if (locked?.isActive) await failMixed(locked);
    });
    return null;
  }

  private async isKnown(
    workspaceId: string,
    unit: { mediaDigest: string } & Extent,
    analyses: JobAnalysisEntity[],
  ): Promise<boolean> {
    const digests = analyses.map((analysis) => analysis.digest);
    const known = await knownObservations(this.db.manager, workspaceId, [unit.mediaDigest], digests);
    return digests.every((digest) => known.has(knownKey(unit, digest)));
  }

  /** Specs with an identical picture share one pack. */
  private async store(chunk: ChunkTask['chunk'], sourceIndex: number, packs: Map<string, Buffer>): Promise<PackKeys> {
    const keyOf = new Map<Buffer, string>();
    const keys: PackKeys = {};
    for (const [spec, bytes] of packs) {
      const key = keyOf.get(bytes) ?? packKey(chunk.jobId, chunk.id, sourceIndex, spec);
      keyOf.set(bytes, key);
      keys[spec] = key;
    }
    // A lost pack is decoded again.
    await allEnded([...keyOf].map(([bytes, key]) => this.objects.put(key, bytes, { durable: false })));
    return keys;
  }
}

/** Throws the first error, after all work has ended. */
async function allEnded(work: Promise<unknown>[]): Promise<void> {
  await Promise.allSettled(work);
  await Promise.all(work);
}

function specsOf(analyses: JobAnalysisEntity[]): FrameSpec[] {
  return distinctBy(
    analyses.flatMap((analysis) => analysis.frames),
    frameSpecName,
  );
}

function distinctBy<Spec>(specs: Spec[], nameOf: (spec: Spec) => string): Spec[] {
  return [...new Map(specs.map((spec) => [nameOf(spec), spec])).values()];
}

/** Throws MEDIA_INVALID when the refetched file differs. */
function checkSame({ digest }: { digest: string }, mediaDigest: string): void {
  if (digest !== mediaDigest) throw new AditError('MEDIA_INVALID', 'the source changed while the job was running');
}
