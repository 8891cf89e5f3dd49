import type { BusContext } from '@adit/bus';
import { AditError, type FrameInterval, type Payload, type ProcessingRange, type VideoFacts } from '@adit/contracts';
import { JobEntity, JobSourceEntity } from '@adit/database';
import {
  ALL_IMAGES,
  failMixed,
  failSource,
  imageRange,
  JOB_SETTINGS,
  LockedJob,
  planChunks,
  planImages,
  refusalByAll,
  refusalOf,
  refuseSource,
  takesMedia,
  writePlan,
  type ChunkPlan,
  type JobSettings,
  type ModuleExtents,
} from '@adit/jobs';
import { claimAttempt, runAttempt, leasedSource } from '@adit/leases';
import { OutboxRelay } from '@adit/outbox';
import { planRange } from '@adit/media';
import { createLogger } from '@adit/runtime';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { MediaCatalogue, type KnownMedia } from './media-catalogue.js';
import { SourceCache, type SourceOfJob } from './source-cache.js';

const log = createLogger('decoder');

/** sources.requested: fetch one source, find out what it is, and plan its chunks. */
@Injectable()
export class SourceHandler {
  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(OutboxRelay) private readonly outbox: OutboxRelay,
    @Inject(SourceCache) private readonly cache: SourceCache,
    @Inject(MediaCatalogue) private readonly catalogue: MediaCatalogue,
    @Inject(JOB_SETTINGS) private readonly settings: JobSettings,
  ) {}

  async open({ sourceIndex }: Payload<'sources.requested'>, context: BusContext): Promise<void> {
    const { jobId } = context.envelope;
    const work = leasedSource(jobId, sourceIndex);
    const claim = await claimAttempt(this.db, work, this.settings.leaseSeconds);
    if (claim === null) return;
    await runAttempt(
      { db: this.db, settings: this.settings, work, ...claim, signal: context.signal },
      async (signal) => {
        const begun = await this.begin(jobId, sourceIndex);
        if (begun === null) return;
        const { workspaceId } = begun;
        const media = await this.cache.use(begun, (file) => this.catalogue.identify(workspaceId, file, signal), signal);
        await writePlan(this.outbox, jobId, (tx, locked) => this.plan(tx, locked, begun, media), signal);
      },
      async (problem, isOurs) => {
        log.warn({ jobId, sourceIndex, err: problem }, 'a source cannot be mined');
        await this.outbox.transaction(async (manager) => {
          const locked = await LockedJob.take(manager, jobId);
          if (!locked?.isActive || !(await isOurs(manager))) return;
          await failSource(manager, locked, sourceIndex, problem.message);
        });
      },
    );
  }

  /** Moves the job to processing with its first source. */
  private begin(jobId: string, index: number) {
    return this.outbox.transaction(async (manager) => {
      const locked = await LockedJob.take(manager, jobId);
      if (locked === null || !locked.isActive) return null;
      await locked.apply({ kind: 'opened' });
      const { uri } = await manager.findOneOrFail(JobSourceEntity, { where: { jobId, index }, select: { uri: true } });
      return { jobId, workspaceId: locked.job.workspaceId, index, uri };
    });
  }

  /** Of a film: what has to be written; null when nothing is left to write. */
  private async plan(
    manager: EntityManager,
    locked: LockedJob,
    opened: SourceOfJob,
    media: KnownMedia,
  ): Promise<ChunkPlan | null> {
    const { index: sourceIndex } = opened;
    const [source]: { count: number; is_open: boolean; is_first: boolean; changed: boolean }[] = await manager.query(
      `SELECT count(*)::int, coalesce(bool_or(index = $2 AND state = 'requested'), false) AS is_open,
              NOT coalesce(bool_or(state = 'planned'), false) AS is_first,
              coalesce(bool_or(index = $2 AND media_digest <> $3), false) AND EXISTS (
                SELECT 1 FROM folds WHERE job_id = $1 AND source_index IN ($2, ${ALL_IMAGES}) AND chunk_ids <> '[]') AS changed
         FROM job_sources WHERE job_id = $1`,
      [locked.job.id, sourceIndex, media.digest],
    );
    const { is_open: isOpen, is_first: isFirst, changed, count } = source!;
    if (!isOpen) return null;
    // Opened again, for a module that missed it: what the others know of it is of another file.
    if (changed) throw new AditError('MEDIA_INVALID', 'the source changed while the job was running');
    const { kind } = media.facts;
    if (kind !== 'audio' && !isFirst && locked.job.mediaType !== kind) {
      await failMixed(locked);
      return null;
    }
    if (kind === 'image') {
      await this.planImageJob(manager, locked, sourceIndex, media, count);
      return null;
    }
    const refusing = locked.activeModules.filter((module) => !takesMedia(module, kind));
    if (refusing.length === locked.activeModules.length) {
      throw new AditError('MEDIA_INVALID', refusalByAll(refusing, kind));
    }
    if (kind === 'audio') throw new AditError('MEDIA_INVALID', 'audio cannot be mined yet');
    await refuseSource(locked, opened, refusing, kind);
    return this.planOfFilm(manager, locked, sourceIndex, media, isFirst);
  }

  private async planImageJob(
    manager: EntityManager,
    locked: LockedJob,
    index: number,
    { digest, facts }: KnownMedia,
    count: number,
  ): Promise<void> {
    const wanted: { moduleId: string; from: number; to: number }[] = [];
    for (const module of locked.activeModules) {
      if (!takesMedia(module, 'image')) {
        await locked.failModule(module.moduleId, `it ${refusalOf(module, 'image')}`);
        continue;
      }
      const range = imageRange(module.range, count);
      if (range === null) {
        await locked.failModule(module.moduleId, 'its range does not lie within the images of the job');
      } else wanted.push({ moduleId: module.moduleId, ...range });
    }
    const opened = { index, digest, facts };
    await planImages(manager, locked, opened, wanted, this.settings.imagesPerChunk, this.settings);
  }

  private async planOfFilm(
    manager: EntityManager,
    locked: LockedJob,
    sourceIndex: number,
    media: KnownMedia,
    isFirst: boolean,
  ): Promise<ChunkPlan> {
    if (media.film === null || media.facts.kind !== 'video') throw new RangeError('not a film');
    if (locked.job.mediaType !== 'video') {
      await manager.update(JobEntity, { id: locked.job.id }, { mediaType: 'video' });
    }
    const wanted: ModuleExtents[] = [];
    for (const { moduleId, range } of locked.activeModules.filter((module) => takesMedia(module, 'video'))) {
      try {
        const intervals = intervalsOf(media.facts, media.film, range);
        wanted.push({ moduleId, extents: intervals.map((interval) => ({ kind: 'video', interval })) });
      } catch (error) {
        await locked.failModule(moduleId, AditError.from(error).message);
      }
    }
    // A film that was fetched ahead waits behind the chunks of those before it.
    return planChunks(manager, locked, sourceIndex, media, wanted, isFirst ? this.settings : null);
  }
}

function intervalsOf(
  facts: VideoFacts,
  film: NonNullable<KnownMedia['film']>,
  range: ProcessingRange | null,
): FrameInterval[] {
  return range === null ? film.grid : planRange(film.grid, facts, film.index, range);
}
