import { createReadStream } from 'node:fs';
import { mkdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { clipKey, completeClip, failClip } from '@adit/artifacts';
import { AditError, type ErrorCode } from '@adit/contracts';
import { ClipEntity, JobSourceEntity, type ClipCut } from '@adit/database';
import { CLIPS, TaskLoop, type ClaimedTask } from '@adit/leases';
import { cutClip, probeMedia, type Admit, type ClipFile } from '@adit/media';
import { OBJECT_STORE, type ObjectStore } from '@adit/objects';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { DECODER_CONFIG, WORK_DIRECTORY, type DecoderConfig } from './config.js';
import { MediaCatalogue } from './media-catalogue.js';
import { MemoryAdmission } from './memory-admission.js';
import { writeRecordedPart } from './recorded-part.js';
import { SourceCache } from './source-cache.js';

/** Time from its request on for which a clip waits for something that is away, such as room on a disk. */
const MAX_WAIT_MS = 30 * 60_000;

/** A clip's own folder and file, and what ends the work on it. */
interface Place {
  directory: string;
  target: string;
  signal: AbortSignal;
}

/** Cuts the clips that clients ask for, one after the other: they never delay a job by more than that. */
@Injectable()
export class Clips extends TaskLoop {
  private readonly ending = new AbortController();

  constructor(
    @Inject(DataSource) db: DataSource,
    @Inject(OBJECT_STORE) private readonly objects: ObjectStore,
    @Inject(SourceCache) private readonly sources: SourceCache,
    @Inject(MediaCatalogue) private readonly catalogue: MediaCatalogue,
    @Inject(MemoryAdmission) private readonly memory: MemoryAdmission,
    @Inject(DECODER_CONFIG) private readonly config: DecoderConfig,
    @Inject(WORK_DIRECTORY) private readonly workDirectory: string,
  ) {
    super(db, CLIPS);
  }

  override onApplicationShutdown(): Promise<void> {
    // Another decoder begins anew, and nobody is blamed.
    this.ending.abort(new AditError('UNAVAILABLE', 'The decoder is shutting down.'));
    return super.onApplicationShutdown();
  }

  protected override async gaveUp(task: ClaimedTask, message: string, code: ErrorCode): Promise<void> {
    await failClip(this.db, task, { code, message });
  }

  protected async run(task: ClaimedTask): Promise<void> {
    const { id } = task.key;
    const clip = await this.db.manager.findOneByOrFail(ClipEntity, { id });
    const directory = join(this.workDirectory, `clip-${id}`);
    const place = { directory, target: join(directory, 'clip'), signal: this.ending.signal };
    try {
      await mkdir(directory, { recursive: true, mode: 0o700 });
      const { mimeType } = await this.cut(clip, place);
      const { size } = await stat(place.target);
      const objectKey = clipKey(clip.jobId, id, task.attempt);
      await this.objects.put(objectKey, createReadStream(place.target));
      if (!(await completeClip(this.db, task, { objectKey, mimeType, size }))) await this.objects.delete(objectKey);
    } catch (error) {
      const { code, message } = AditError.from(error);
      const isTooOld = Date.now() - clip.timeCreated.getTime() > MAX_WAIT_MS;
      if (code !== 'UNAVAILABLE' || !isTooOld || this.ending.signal.aborted) throw error;
      await this.gaveUp(task, message, code);
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
  }

  private async cut({ jobId, workspaceId, cut }: ClipEntity, place: Place): Promise<ClipFile> {
    const { source: index, mediaDigest } = cut;
    if (mediaDigest === null) return this.cutRecording(jobId, cut, place);
    const { target, signal } = place;
    const { uri } = await this.db.manager.findOneByOrFail(JobSourceEntity, { jobId, index });
    return this.sources.use(
      { jobId, workspaceId, index, uri },
      async (file) => {
        if (file.digest !== mediaDigest) throw new AditError('NOT_FOUND', `${uri} is another file since.`);
        const { facts, film } = await this.catalogue.consult(workspaceId, file, signal);
        const { exact } = cut;
        return cutClip({
          ...{ path: file.path, facts, target, signal },
          ...this.spanOf(cut),
          exact,
          index: film?.index ?? null,
        });
      },
      signal,
    );
  }

  /** The recording of a live stream is a film of its own, which begins later. */
  private async cutRecording(jobId: string, cut: ClipCut, place: Place): Promise<ClipFile> {
    const { timeStart, timeEnd, handles, exact } = cut;
    const { target, directory, signal } = place;
    const [from, to] = [Math.max(0, timeStart - handles), timeEnd + handles];
    const { path, start } = await writeRecordedPart(this.db, this.objects, jobId, { from, to, directory, signal });
    const { admit } = this.spanOf(cut);
    const { facts, index } = await probeMedia(path, { film: this.config, directory, admit, signal });
    const span = { frames: null, timeStart: Math.max(0, timeStart - start), timeEnd: timeEnd - start, handles };
    return cutClip({ path, facts, index, span, exact, target, admit, signal });
  }

  private spanOf({ frames, timeStart, timeEnd, handles }: ClipCut) {
    const admit: Admit = (bytes, work) => this.memory.admit(bytes, work, this.ending.signal);
    return { span: { frames, timeStart, timeEnd, handles }, admit };
  }
}
