import type { BusContext } from '@adit/bus';
import { AditError, type AudioInterval, type MediaKind, type MediaType, type Payload } from '@adit/contracts';
import { JobModuleEntity, JobSourceEntity } from '@adit/database';
import {
  ALL_IMAGES,
  failMixed,
  failSource,
  imagesPerChunk,
  JOB_SETTINGS,
  LockedJob,
  planChunks,
  inputKinds,
  inputsOf,
  lackOf,
  refusalOf,
  refusedBy,
  refuseSource,
  sourceError,
  takesMedia,
  writePlan,
  type ChunkPlan,
  type JobSettings,
  type ModuleSpans,
  type Refusal,
} from '@adit/jobs';
import { claimAttempt, runAttempt, leasedSource } from '@adit/leases';
import { OutboxRelay } from '@adit/outbox';
import { planMedia, PLANNING_RATE, type PlannableMedia } from '@adit/media';
import { createLogger } from '@adit/runtime';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { AudioFiles } from './audio-files.js';
import { MediaCatalogue, type KnownMedia } from './media-catalogue.js';
import { SourceCache, type SourceOfJob } from './source-cache.js';

const log = createLogger('decoder');

/** Tests whether a source belongs with those before it: images are planned together, documents and films one by one. */
function goTogether(kind: MediaKind, job: MediaType): boolean {
  // A job of films and recordings is one of video.
  const [own, others] = [kind, job].map((each) => (each === 'audio' ? 'video' : each));
  return own === others;
}

/** A source with the inputs of planning. */
interface OpenedMedia extends KnownMedia {
  audioGrid: AudioInterval[] | null;
  /** Reason why the sound of a film cannot be used, although it has some. */
  silence: string | null;
}

/** Subscriber of sources.requested: fetches one source, identifies it, and plans its chunks. */
@Injectable()
export class SourceHandler {
  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(OutboxRelay) private readonly outbox: OutboxRelay,
    @Inject(SourceCache) private readonly cache: SourceCache,
    @Inject(MediaCatalogue) private readonly catalogue: MediaCatalogue,
    @Inject(AudioFiles) private readonly audio: AudioFiles,
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
        const media = await this.cache.use(
          begun,
          async (file) => {
            const known = await this.catalogue.identify(workspaceId, file, signal);
            const isLastTry = claim.attempt >= this.settings.maxAttempts;
            return this.withSound({ jobId, workspaceId, isLastTry }, file, known, signal);
          },
          signal,
        );
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

  /**
   * Plans the sound for modules of the job that use it. Throws MEDIA_INVALID for a recording without usable sound; a
   * film only loses its sound, also when that exceeded its limits in the last attempt.
   */
  private async withSound(
    { jobId, workspaceId, isLastTry }: { jobId: string; workspaceId: string; isLastTry: boolean },
    file: { path: string },
    known: KnownMedia,
    signal: AbortSignal,
  ): Promise<OpenedMedia> {
    const { facts } = known;
    const silent = { ...known, audioGrid: null, silence: null };
    const kinds = await inputKinds(this.db.manager, jobId);
    const modules = await this.db.manager.findBy(JobModuleEntity, { jobId });
    const listening = modules.filter((module) => takesMedia(module, facts.kind));
    if (!listening.some((module) => inputsOf(module, kinds).has('audio'))) return silent;
    const format = { sampleRate: PLANNING_RATE, channels: 1 as const };
    const decoded = () => this.audio.of({ path: file.path, facts }, format, signal);
    try {
      return { ...silent, audioGrid: await this.catalogue.audioGrid(workspaceId, known, decoded) };
    } catch (error) {
      const { code, status, message } = AditError.from(error);
      const isItsOwn = status < 500 || (code === 'LIMIT_EXCEEDED' && isLastTry);
      if (facts.kind !== 'video' || signal.aborted || !isItsOwn) throw error;
      // Its pictures may be usable.
      return { ...silent, silence: `needs sound: ${message}` };
    }
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

  /** Returns the changes to store; null when there is nothing left to do. */
  private async plan(
    manager: EntityManager,
    locked: LockedJob,
    opened: SourceOfJob,
    media: OpenedMedia,
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
    if (!source?.is_open) return null;
    const { is_first: isFirst, changed, count } = source;
    // Opened again for a module that missed it: the other modules' results are of another file.
    if (changed) throw new AditError('MEDIA_INVALID', 'the source changed while the job was running');
    const { kind } = media.facts;
    if (!isFirst && !goTogether(kind, locked.job.mediaType)) {
      await failMixed(locked);
      return null;
    }
    // A job of films and recordings is one of video.
    if (locked.job.mediaType !== kind && (kind !== 'audio' || isFirst)) {
      await locked.setMediaType(kind);
    }
    const images = imagesPerChunk(this.settings.imagesPerChunk, count);
    const plannable = { ...media, sourceIndex, sources: count, imagesPerChunk: images };
    const { wanted, refused, deaf, asked } = await this.wantedOf(manager, locked, plannable);
    if (kind === 'image') {
      // A module that does not support one image supports none.
      for (const { module, reason } of refused) await locked.failModule(module.moduleId, `it ${reason}`);
    } else {
      if (refused.length === asked) throw new AditError('MEDIA_INVALID', refusedBy(refused));
      await refuseSource(locked, opened, refused);
      await locked.addErrors(deaf.map((each) => sourceError(opened.uri, refusedBy([each]))));
    }
    // A film that was fetched ahead waits behind the chunks of those before it.
    const slot = isFirst || kind === 'image' ? this.settings : null;
    return planChunks(manager, locked, sourceIndex, media, wanted, slot);
  }

  /** Returns the spans of each running module in a source. A module whose range lies outside fails. */
  private async wantedOf(manager: EntityManager, locked: LockedJob, media: OpenedMedia & PlannableMedia) {
    const kinds = await inputKinds(manager, locked.job.id);
    const wanted: ModuleSpans[] = [];
    const refused: Refusal[] = [];
    /** Modules that use the pictures and miss the sound. */
    const deaf: Refusal[] = [];
    const modules = [...locked.activeModules];
    for (const module of modules) {
      if (!takesMedia(module, media.facts.kind)) {
        refused.push({ module, reason: refusalOf(module, media.facts.kind) });
        continue;
      }
      const inputs = inputsOf(module, kinds);
      try {
        const spans = [...inputs].flatMap((input) => planMedia(media, input, module.range));
        const { silence } = media;
        if (spans.length > 0 || inputs.size === 0) {
          wanted.push({ moduleId: module.moduleId, spans });
          if (silence !== null && inputs.has('audio')) deaf.push({ module, reason: silence });
        } else refused.push({ module, reason: silence ?? lackOf(inputs) });
      } catch (error) {
        await locked.failModule(module.moduleId, AditError.from(error).message);
      }
    }
    return { wanted, refused, deaf, asked: modules.length };
  }
}
