import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { clipDigest, findClip, requestClip } from '@adit/artifacts';
import { AditError, MAX_CLIP_SECONDS } from '@adit/contracts';
import {
  inTransaction,
  JobSourceEntity,
  SegmentEntity,
  type ClipCut,
  type ClipEntity,
  type JobEntity,
} from '@adit/database';
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
    const cut = await this.cutOf(job, segment, source, { exact, handles });
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

  private async cutOf(
    job: JobEntity,
    segment: SegmentEntity,
    { facts, mediaDigest }: JobSourceEntity,
    { exact, handles }: { exact: boolean; handles: number },
  ): Promise<ClipCut> {
    const { sourceIndex: source, frameStart: first, frameEnd: last, timeStart, timeEnd } = segment;
    if (facts?.kind !== 'video' && facts?.kind !== 'audio') {
      throw new AditError('VALIDATION', 'The segment is of a picture or document, which has no clip.');
    }
    const isLive = job.mediaType === 'videostream';
    if (isLive && (await findRecording(this.db, job.id)) === null) {
      throw new AditError('VALIDATION', 'The stream was not recorded, so there is no clip: post jobs with `record`.');
    }
    const most = exact ? MAX_CLIP_SECONDS.exact : MAX_CLIP_SECONDS.copied;
    const seconds = timeEnd - timeStart + 2 * handles;
    if (seconds > most) {
      const instead = exact ? ` Without exact, up to ${MAX_CLIP_SECONDS.copied} s are copied.` : '';
      throw new AditError(
        'VALIDATION',
        `The clip would last ${Math.ceil(seconds)} s; at most ${most} s are cut.${instead}`,
      );
    }
    return {
      ...{ source, timeStart, timeEnd, handles, exact },
      mediaDigest: isLive ? null : mediaDigest,
      frames: isLive || first === null || last === null ? null : { first, last },
    };
  }

  /** Asks for a clip, once, and waits for it; null when that takes long. */
  private async made(job: JobEntity, segment: SegmentEntity, cut: ClipCut): Promise<ClipEntity | null> {
    const digest = clipDigest(cut);
    const find = () => findClip(this.db.manager, job.id, digest);
    const giveUp = Date.now() + TIMEOUT_MS;
    let clip = await find();
    if (clip === null) {
      await this.request(job, segment, cut);
      clip = await find();
    }
    while (Date.now() < giveUp) {
      // It was erased, or went with its job: whoever wants it all the same asks again.
      if (clip === null) throw new AditError('NOT_FOUND', 'The clip was removed while it was being cut.');
      if (clip.state === 'completed') return clip;
      if (clip.state === 'failed') throw refusal(clip);
      await sleep(POLL_MS);
      clip = await find();
    }
    return null;
  }

  private request({ id: jobId, workspaceId }: JobEntity, segment: SegmentEntity, cut: ClipCut): Promise<void> {
    return inTransaction(this.db, async (manager) => {
      await requestClip(manager, { id: randomUUID(), workspaceId, jobId, cut });
      // The job is locked now; an erasure that ended before has taken the segment, or numbered it anew.
      const { seq, sourceIndex, timeStart, timeEnd } = segment;
      if (!(await manager.existsBy(SegmentEntity, { jobId, seq, sourceIndex, timeStart, timeEnd })))
        throw new AditError('NOT_FOUND', `The job has no such segment ${seq} any more.`);
    });
  }
}

/** What a client is told of a clip that could not be cut. */
function refusal({ errorCode, errorMsg }: ClipEntity): AditError {
  const why = errorMsg ?? 'It cannot be cut.';
  switch (errorCode) {
    case 'MEDIA_INVALID':
    case 'TOO_LARGE':
      return new AditError('MEDIA_INVALID', why);
    case 'NOT_FOUND':
    case 'SOURCE_REFUSED':
    case 'SOURCE_UNAVAILABLE':
      return new AditError('NOT_FOUND', `The source of the segment cannot be had any more: ${why}`);
    case 'UNAVAILABLE':
      return new AditError('UNAVAILABLE', why);
    default:
      return new AditError('INTERNAL', why);
  }
}
