import type { ErasureSubject } from '@adit/contracts';
import type { SegmentEntity } from '@adit/database';
import { removeArtifacts, removeClips, removeExported } from '@adit/artifacts';
import { anonymiseSegments, eraseObservations, hidePictures, jobPrefix, picturesOf, restartEndings } from '@adit/jobs';
import { deleteCanaryPictures } from '@adit/model-store';
import { folderOf, noteRemovals } from '@adit/object-removals';
import type { EntityManager } from 'typeorm';
import { removeMessages } from './pending-messages.js';

/** Segments of one step; all that is known of their media goes with them. */
const STEP = 200;

type Trace = Pick<SegmentEntity, 'jobId' | 'seq' | 'sourceIndex' | 'thumbnail' | 'keyFrame' | 'teaches'>;

export interface Step {
  counts: Record<string, number>;
  /** Ids of object_removals. */
  removals: string[];
  /** Nothing was left to do. */
  over: boolean;
}

/**
 * Erases, in the caller's transaction, some of where a person was seen: the pictures of segments and what links them to the identity,
 * what is cached of that media, and files that were written of those jobs. Key frames show others too and go all the same.
 */
export async function eraseTraces(
  manager: EntityManager,
  workspaceId: string,
  { index_id: indexId, merged = [] }: ErasureSubject,
): Promise<Step> {
  const people = indexId === undefined ? [] : [indexId, ...merged];
  const traces: Trace[] =
    people.length === 0
      ? []
      : await manager.query(
          `SELECT s.job_id AS "jobId", s.seq, s.source_index AS "sourceIndex", s.thumbnail, s.key_frame AS "keyFrame", s.teaches
             FROM segments s JOIN jobs j ON j.id = s.job_id AND j.workspace_id = $1
            WHERE s.index_id = ANY($2::text[]) ORDER BY s.job_id, s.seq LIMIT ${STEP} FOR UPDATE OF s`,
          [workspaceId, people],
        );
  if (traces.length === 0) return { counts: {}, removals: [], over: true };
  const jobs = [...new Set(traces.map(({ jobId }) => jobId))];
  const pictures = picturesOf(traces);
  await anonymiseSegments(manager, traces);
  await hidePictures(manager, jobs, pictures);
  const media = await forgetMedia(manager, workspaceId, traces);
  const files = await removeFiles(manager, jobs);
  const messages = await removeMessages(manager, workspaceId, jobs, { people });
  const canaries = await deleteCanaryPictures(manager, jobs);
  const keys = [...new Set([...pictures, ...media.prefixes, ...files, ...canaries])];
  const removals = await noteRemovals(manager, keys);
  return {
    counts: {
      segments: traces.length,
      pictures: pictures.length,
      observations: media.observations,
      artifacts: files.length,
      webhook_deliveries: messages,
    },
    removals: removals.map(({ id }) => id),
    over: false,
  };
}

/** Erases cached results of the media, whichever job cached them. Jobs that still need them analyse the media again. */
async function forgetMedia(
  manager: EntityManager,
  workspaceId: string,
  traces: readonly Trace[],
): Promise<{ observations: number; prefixes: string[] }> {
  const sources: { jobId: string; digest: string }[] = await manager.query(
    `SELECT DISTINCT s.job_id AS "jobId", s.media_digest AS digest FROM job_sources s
       JOIN unnest($1::uuid[], $2::int[]) AS v (job_id, index) ON v.job_id = s.job_id AND v.index = s.index
      WHERE s.media_digest IS NOT NULL`,
    [traces.map(({ jobId }) => jobId), traces.map(({ sourceIndex }) => sourceIndex)],
  );
  const gone = await eraseObservations(
    manager,
    workspaceId,
    sources.map(({ digest }) => digest),
  );
  return {
    observations: gone.length,
    // Those of workspaces that keep no cache lie with their job.
    prefixes: [...gone.map(folderOf), ...sources.map(({ jobId, digest }) => `${jobPrefix(jobId)}media/${digest}/`)],
  };
}

/** Reports, exports and clips hold pictures of everybody. Returns their keys. */
export async function removeFiles(manager: EntityManager, jobs: readonly string[]): Promise<string[]> {
  // Those that are being written may hold them already: whoever writes one has lost it, and no attempt is blamed. One that just
  // ends is waited for here, and is found among the files then.
  await restartEndings(manager, jobs);
  const exported = await removeExported(manager, 'job_id', jobs);
  return [...exported, ...(await removeArtifacts(manager, jobs)), ...(await removeClips(manager, jobs))];
}
