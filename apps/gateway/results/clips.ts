import { setTimeout as sleep } from 'node:timers/promises';
import { clipDigest, clipRefusal, cutOfSegment, findClip, requestSegmentClip } from '@adit/artifacts';
import { AditError } from '@adit/contracts';
import { JobSourceEntity, SegmentEntity, type ClipCut, type ClipEntity, type JobEntity } from '@adit/database';
import { nameOfSource } from '@adit/presentation';
import { findRecording } from '@adit/streams';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { SentObject } from '../http/send-object.js';

/** Time that a request waits for a clip that is being cut. */
const TIMEOUT_MS = 15_000;
const POLL_MS = 200;

/** Seconds after which it is worth asking again. */
export const ASK_AGAIN_SECONDS = 3;

/** Clips of segments. Decoders cut them when they are first asked for; here media are never opened. */
@Injectable()
export class SegmentClips {
  constructor(@Inject(DataSource) private readonly db: DataSource) {}

  /**
   * Returns the file of a segment's clip, null while it is being cut for long. Throws NOT_FOUND for a segment that is not there, or
   * whose source is gone, VALIDATION for what has no clip.
   */
  async of(
    job: JobEntity,
    segmentId: string,
    { exact, handles }: { exact: boolean; handles: number },
  ): Promise<SentObject | null> {
    const segment = await this.segment(job, segmentId);
    const source = await this.db.manager.findOneByOrFail(JobSourceEntity, {
      jobId: job.id,
      index: segment.sourceIndex,
    });
    const isRecorded = job.mediaType === 'videostream' && (await findRecording(this.db, job.id)) !== null;
    const cut = cutOfSegment(segment, source, { ...job, isRecorded }, { exact, handles });
    const clip = await this.made(job, segment, cut);
    if (clip === null) return null;
    const { objectKey: key, mimeType, size, digest } = clip;
    if (key === null || size === null) throw new AditError('INTERNAL', 'The clip has no file.');
    const name = nameOfSource(source.uri, source.name).replace(/\.[^.]*$/, '');
    return {
      ...{ key, size: Number(size), contentType: mimeType, disposition: 'inline' },
      filename: `${name}-${segmentId}.${mimeType === 'audio/mp4' ? 'm4a' : 'mp4'}`,
      etag: digest,
    };
  }

  private async segment({ id: jobId }: JobEntity, segmentId: string): Promise<SegmentEntity> {
    const seq = /^\d{1,9}$/.test(segmentId) ? Number(segmentId) : null;
    const found = seq === null ? null : await this.db.manager.findOneBy(SegmentEntity, { jobId, seq });
    if (found === null) throw new AditError('NOT_FOUND', `The job has no segment ${segmentId}.`);
    return found;
  }

  /** Asks for a clip, once, and waits for it; null when that takes long. */
  private async made(job: JobEntity, segment: SegmentEntity, cut: ClipCut): Promise<ClipEntity | null> {
    const digest = clipDigest(cut);
    const find = () => findClip(this.db.manager, job.id, digest);
    const giveUp = Date.now() + TIMEOUT_MS;
    let clip = await find();
    if (clip === null) {
      await requestSegmentClip(this.db, job, segment, cut);
      clip = await find();
    }
    while (Date.now() < giveUp) {
      // It was erased, or went with its job: whoever wants it all the same asks again.
      if (clip === null) throw new AditError('NOT_FOUND', 'The clip was removed while it was being cut.');
      if (clip.state === 'completed') return clip;
      if (clip.state === 'failed') throw clipRefusal(clip);
      await sleep(POLL_MS);
      clip = await find();
    }
    return null;
  }
}
