/**
 * Live streams: their one source stays `requested` while a recorder appends chunks that it has decoded itself, and is
 * planned when the stream has ended. From there the job ends as that of a film does.
 */
import { randomUUID } from 'node:crypto';
import { AditError, inputKindOf, storedExtent, type AudioFacts, type Extent, type VideoFacts } from '@adit/contracts';
import { isActive, isLive, JobSourceEntity, type PackKeys } from '@adit/database';
import { enqueue } from '@adit/outbox';
import { isRead } from '@adit/streams';
import type { EntityManager } from 'typeorm';
import { sourceError } from '../state/job-errors.js';
import { LockedJob } from '../state/locked-job.js';
import { insertLiveChunk } from './chunk-states.js';
import { insertLiveFolds } from './fold-states.js';
import { inputKinds, inputsOf, refusalOf, refusedBy, refuseSource, takesMedia, type Refusal } from './media-kinds.js';
import { analysisRequest } from './requests.js';
import { announceSource } from './source-plan.js';
import { setLiveSource, setSourcePlanned } from './source-states.js';

/** Media of a live stream, under a digest that no other has. */
export interface LiveMedia {
  digest: string;
  /** Of its pictures, or of its sound where it has nothing else. */
  facts: VideoFacts | AudioFacts;
}

/**
 * Starts the job with its stream: notes the facts, and opens a fold for each running module that takes them. The
 * others are refused. A stream that is opened again, by another recorder, goes on with its folds and facts. Throws
 * MEDIA_INVALID when every module is refused; the caller fails the source with the reason.
 */
export async function openLiveSource(
  manager: EntityManager,
  locked: LockedJob,
  sourceIndex: number,
  { digest, facts }: LiveMedia,
): Promise<void> {
  const jobId = locked.job.id;
  const source = await manager.findOneByOrFail(JobSourceEntity, { jobId, index: sourceIndex });
  if (source.state === 'planned' || source.state === 'failed') {
    throw new AditError('CONFLICT', `The stream of the job ${jobId} has ended.`);
  }
  await locked.apply({ kind: 'opened' });
  if (source.facts !== null) return;
  const { taking, refused, deaf } = await takersOf(manager, locked, facts);
  if (taking.length === 0) throw new AditError('MEDIA_INVALID', refusedBy(refused));
  await refuseSource(locked, source, refused);
  await locked.addErrors(deaf.map((each) => sourceError(source.uri, refusedBy([each]))));
  await insertLiveFolds(manager, { jobId, sourceIndex }, taking);
  await setLiveSource(manager, jobId, sourceIndex, { digest, facts: { ...facts, live: true } });
}

/** Sound is told from the first connection: a module cannot wait for what may never come. */
const UNHEARD = 'needs sound, and the stream has none that can be heard';

/** Ids of the modules that take the stream, and those that do not, or miss its sound, with the reason. */
async function takersOf(manager: EntityManager, locked: LockedJob, facts: LiveMedia['facts']) {
  const kinds = await inputKinds(manager, locked.job.id);
  const hasSound = facts.kind === 'audio' || facts.audioStreams.length > 0;
  const taking: string[] = [];
  const refused: Refusal[] = [];
  const deaf: Refusal[] = [];
  for (const module of locked.activeModules) {
    const inputs = inputsOf(module, kinds);
    if (!takesMedia(module, facts.kind)) refused.push({ module, reason: refusalOf(module, facts.kind) });
    else if (!inputs.has('audio') || hasSound) taking.push(module.moduleId);
    else if (inputs.has('frames')) {
      taking.push(module.moduleId);
      deaf.push({ module, reason: UNHEARD });
    } else refused.push({ module, reason: UNHEARD });
  }
  return { taking, refused, deaf };
}

/** A chunk that a recorder has decoded. */
export interface LiveChunk {
  /** Id under which its packs are stored. */
  id?: string;
  sourceIndex: number;
  /** 0 for the first chunk of the stream, and 1 more for each. */
  position: number;
  extent: Extent;
  /** Packs of its frames or its sound, by spec. */
  packs: PackKeys;
  /** Seconds after which analyses that nobody has begun are requested again. */
  leaseSeconds: number;
}

/**
 * Appends a chunk to a live stream and requests its analyses. Appending a position again changes nothing. Returns
 * whether any running module wants it: where none does, none will want a later one, and nobody reads or removes the
 * packs. Null when the stream has ended, or its job: the recorder removes the packs and stops. Throws CONFLICT for a
 * position that leaves some out.
 */
export async function appendLiveChunk(
  manager: EntityManager,
  jobId: string,
  chunk: LiveChunk,
): Promise<{ isWanted: boolean } | null> {
  const { sourceIndex, position, extent, packs, leaseSeconds } = chunk;
  // The lock is a statement of its own: what is read next was written by whoever had it before.
  const [job]: { traceparent: string | null }[] = await manager.query(
    `SELECT j.traceparent FROM jobs j WHERE j.id = $1 AND ${isLive('j')} FOR UPDATE`,
    [jobId],
  );
  if (job === undefined) return null;
  const [stream]: { open: boolean; next: number; wanted: WantedAnalysis[] }[] = await manager.query(STREAM, [
    jobId,
    sourceIndex,
  ]);
  if (stream?.open !== true) return null;
  if (position < stream.next) return { isWanted: true };
  if (position > stream.next) {
    throw new AditError('CONFLICT', `The chunk ${position} of a stream cannot follow ${stream.next - 1}.`);
  }
  const kind = inputKindOf(extent.kind);
  const wanted = stream.wanted.filter((analysis) => analysis.input === kind);
  const id = chunk.id ?? randomUUID();
  const digests = wanted.map(({ digest }) => digest);
  const row = { id, sourceIndex, position, interval: storedExtent(extent), packs, digests, leaseSeconds };
  await insertLiveChunk(manager, jobId, row);
  const { traceparent } = job;
  await enqueue(
    manager,
    wanted.map(({ analysis, digest }) => analysisRequest({ jobId, traceparent }, { chunkId: id, analysis, digest })),
  );
  return { isWanted: wanted.length > 0 };
}

interface WantedAnalysis {
  digest: string;
  analysis: string;
  input: 'frames' | 'audio';
}

/** Whether the stream gets more chunks, the position of the next, and the analyses of running modules that follow it. */
const STREAM = `
  SELECT s.state IN ('waiting', 'requested') AS open,
         (SELECT coalesce(max(c.position) + 1, 0) FROM chunks c WHERE c.job_id = $1 AND c.source_start = $2) AS next,
         (SELECT coalesce(jsonb_agg(jsonb_build_object('digest', a.digest, 'analysis', a.analysis,
                   'input', CASE jsonb_typeof(a.audio) WHEN 'array' THEN 'audio' ELSE 'frames' END)), '[]')
            FROM job_analyses a
           WHERE a.job_id = $1 AND EXISTS (
             SELECT 1 FROM job_modules m JOIN folds f ON f.job_id = $1 AND f.module_id = m.module_id
              WHERE m.job_id = $1 AND ${isActive('m')} AND f.source_index = $2 AND NOT f.closed
                AND a.digest IN (SELECT value FROM jsonb_each_text(m.analyses)))) AS wanted
    FROM job_sources s WHERE s.job_id = $1 AND s.index = $2`;

/** Notes that the stream has ended, with what is known of it now: its folds close behind the last chunk. */
export async function endLiveSource(
  manager: EntityManager,
  locked: LockedJob,
  sourceIndex: number,
  known: Partial<Pick<VideoFacts, 'duration' | 'totalFrames' | 'gaps'>> = {},
): Promise<void> {
  const jobId = locked.job.id;
  const source = await manager.findOneByOrFail(JobSourceEntity, { jobId, index: sourceIndex });
  const { mediaDigest: digest, facts } = source;
  if (source.state === 'planned' || source.state === 'failed' || digest === null) return;
  if (facts?.kind !== 'video' && facts?.kind !== 'audio') return;
  const { duration = facts.duration } = known;
  const ended = facts.kind === 'video' ? { ...facts, ...known } : { ...facts, duration };
  await setSourcePlanned(manager, jobId, sourceIndex, { digest, facts: ended });
  await announceSource(manager, locked, sourceIndex);
}

/**
 * Ends the stream of a running live job that a client stops: the recorder may append nothing more. Where its sound is
 * mined, the recorder ends it, once it has appended the sound that was not cut yet. True when the job still folds what
 * it has, and is stopped then; false when it is stopped at once, as others are.
 */
export async function stopStream(manager: EntityManager, locked: LockedJob): Promise<boolean> {
  const { id: jobId, mediaType, state } = locked.job;
  if (mediaType !== 'videostream' || state !== 'processing') return false;
  const sources = await manager.findBy(JobSourceEntity, { jobId });
  if (sources.every(({ facts }) => facts === null)) return false;
  await locked.askToStop();
  if ((await isHeard(manager, locked)) && (await isRead(manager, jobId))) return true;
  for (const { index } of sources) await endLiveSource(manager, locked, index);
  return true;
}

async function isHeard(manager: EntityManager, locked: LockedJob): Promise<boolean> {
  const kinds = await inputKinds(manager, locked.job.id);
  return locked.activeModules.some((module) => inputsOf(module, kinds).has('audio'));
}

/** Seconds that the recorder of a stopped stream has for the sound that was not cut yet. */
const LAST_SOUND_SECONDS = 10;
/** Jobs whose streams are ended in one go. */
const STOPPED_PER_PAGE = 100;

/** Ends the streams of jobs that were stopped and whose recorders are not heard of. Returns the number of jobs. */
export async function endStoppedStreams(manager: EntityManager): Promise<number> {
  const rows: { jobId: string; index: number }[] = await manager.query(
    `SELECT s.job_id AS "jobId", s.index FROM jobs j JOIN job_sources s ON s.job_id = j.id
      WHERE ${isLive('j')} AND j.time_stop_asked < now() - make_interval(secs => $1) AND s.state = 'requested'
      ORDER BY s.job_id LIMIT ${STOPPED_PER_PAGE}`,
    [LAST_SOUND_SECONDS],
  );
  for (const { jobId, index } of rows) {
    const locked = await LockedJob.take(manager, jobId);
    if (locked?.isActive === true) await endLiveSource(manager, locked, index);
  }
  return rows.length;
}
