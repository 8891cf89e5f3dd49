/** Clips of segments: what is cut, and how it is asked for. */
import { randomUUID } from 'node:crypto';
import { AditError, MAX_CLIP_SECONDS } from '@adit/contracts';
import {
  ClipEntity,
  inTransaction,
  SegmentEntity,
  type ClipCut,
  type JobEntity,
  type JobSourceEntity,
} from '@adit/database';
import { In, type DataSource, type EntityManager } from 'typeorm';
import { clipDigest, requestClip } from './clips.js';

/** Time for which clips that somebody gathers stay at least, and for which they stay when they have been gathered. */
const [GATHERED_SECONDS, LEFT_SECONDS] = [6 * 3600, 15 * 60];

export interface ClipWish {
  exact: boolean;
  /** Seconds more at both ends. */
  handles: number;
}

/**
 * Returns what the clip of a segment shows. `isRecorded` is asked of live streams. Throws VALIDATION for what has no clip, or
 * one that is too long.
 */
export function cutOfSegment(
  segment: Pick<SegmentEntity, 'sourceIndex' | 'frameStart' | 'frameEnd' | 'timeStart' | 'timeEnd'>,
  { facts, mediaDigest }: Pick<JobSourceEntity, 'facts' | 'mediaDigest'>,
  job: Pick<JobEntity, 'mediaType'> & { isRecorded: boolean },
  { exact, handles }: ClipWish,
): ClipCut {
  const { sourceIndex: source, frameStart: first, frameEnd: last, timeStart, timeEnd } = segment;
  if (facts?.kind !== 'video' && facts?.kind !== 'audio') {
    throw new AditError('VALIDATION', 'The segment is of a picture or document, which has no clip.');
  }
  const isLive = job.mediaType === 'videostream';
  if (isLive && !job.isRecorded) {
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

/** Asks for the clip of a segment, once. Throws NOT_FOUND when the segment is gone, and what `requestClip` throws. */
export function requestSegmentClip(
  db: DataSource,
  { id: jobId, workspaceId }: Pick<JobEntity, 'id' | 'workspaceId'>,
  { seq, sourceIndex, timeStart, timeEnd }: Pick<SegmentEntity, 'seq' | 'sourceIndex' | 'timeStart' | 'timeEnd'>,
  cut: ClipCut,
): Promise<void> {
  return inTransaction(db, async (manager) => {
    await requestClip(manager, { id: randomUUID(), workspaceId, jobId, cut });
    // The job is locked now; an erasure that ended before has taken the segment, or numbered it anew.
    if (!(await manager.existsBy(SegmentEntity, { jobId, seq, sourceIndex, timeStart, timeEnd })))
      throw new AditError('NOT_FOUND', `The job has no such segment ${seq} any more.`);
  });
}

/** Returns the clips of cuts that are there, by `clipDigest`; those that are made stay for some hours at least. */
export async function gatheredClips(
  manager: EntityManager,
  jobId: string,
  cuts: readonly ClipCut[],
): Promise<Map<string, ClipEntity>> {
  const digests = cuts.map(clipDigest);
  await manager.query(
    `UPDATE clips SET time_expires = now() + make_interval(secs => $3)
      WHERE job_id = $1 AND digest = ANY($2::text[]) AND state = 'completed'
        AND time_expires > now() AND time_expires < now() + make_interval(secs => $3)`,
    [jobId, digests, GATHERED_SECONDS],
  );
  const found = await manager.find(ClipEntity, { where: { jobId, digest: In(digests) } });
  const now = Date.now();
  const there = found.filter(({ timeExpires }) => timeExpires === null || timeExpires.getTime() > now);
  return new Map(there.map((clip) => [clip.digest, clip]));
}

/**
 * Lets clips go soon that were cut while somebody gathered them, from `since` on: they would keep the workspace from others
 * for a day. Those that were there before stay; who asked for one singly meanwhile has it cut anew later on.
 */
export async function leaveClips(
  manager: EntityManager,
  jobId: string,
  { digests, since }: { digests: readonly string[]; since: Date },
): Promise<void> {
  // One that another export is gathering right now is left to that.
  await manager.query(
    `UPDATE clips SET time_expires = now() + make_interval(secs => $4) WHERE id IN (
       SELECT id FROM clips WHERE job_id = $1 AND digest = ANY($2::text[]) AND state = 'completed' AND time_created >= $3
          AND time_expires > now() + make_interval(secs => $4) FOR UPDATE SKIP LOCKED)`,
    [jobId, [...digests], since, LEFT_SECONDS],
  );
}

/** What a client is told of a clip that could not be cut. */
export function clipRefusal({ errorCode, errorMsg }: Pick<ClipEntity, 'errorCode' | 'errorMsg'>): AditError {
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
