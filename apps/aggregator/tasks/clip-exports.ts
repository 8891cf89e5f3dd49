import {
  clipDigest,
  clipRefusal,
  cutOfSegment,
  gatheredClips,
  leaveClips,
  openClips,
  requestSegmentClip,
} from '@adit/artifacts';
import { AditError, ClipsExport, dropOldest, MAX_CLIPS_EXPORT } from '@adit/contracts';
import { writeCsv, type Cell } from '@adit/csv';
import { JobEntity, JobSourceEntity, type ClipCut, type ClipEntity, type ExportEntity } from '@adit/database';
import type { ObjectStore } from '@adit/objects';
import { writeZip, type ZipEntry } from '@adit/ooxml';
import { nameOfSource, segmentLabel } from '@adit/presentation';
import { type DataSource, IsNull } from 'typeorm';
import type { JobResults, PlainSegment } from '../endings/job-results.js';
import type { ExportedFile } from './transcript-exports.js';
import { wantedSegments } from './wanted-segments.js';

/** Clips of one export that are being cut: single clips of the workspace go on in between. */
const MAX_ASKED = 20;
/** Clips of the workspace that are being cut, up to which an export asks for more: the others are left to single ones. */
const MAX_OPEN = 60;
/** Time within which all clips have to be cut. */
const MAX_WAIT_MS = 24 * 3_600_000;
const GIB = 2 ** 30;

/** A wanted segment, with its cut or the reason why it has none. */
interface Wish {
  segment: PlainSegment;
  source: JobSourceEntity;
  cut: ClipCut | null;
  problem: string | null;
}

/** What is known of clips, by digest. */
interface Gathered {
  clips: ReadonlyMap<string, ClipEntity>;
  failures: ReadonlyMap<string, string>;
  /** Files of the archive: segments of one clip share its file. */
  files: Map<string, string>;
}

/** A line of the list in the archive. */
interface Listed {
  wish: Wish;
  clip: ClipEntity | null;
  file: string | null;
  problem: string | null;
}

const COLUMNS = [
  ...['file', 'segment', 'source', 'source_name', 'module', 'label', 'time_start', 'time_end'],
  ...['frame_start', 'frame_end', 'bytes', 'error'],
];

/**
 * Gathers clips of segments into an archive. Decoders cut them as those that are asked for one by one: each is a row of its
 * own, so that whoever goes on with an export finds what has been cut.
 */
export class ClipExports {
  /** Why clips of an export could not be cut, by digest: a failed clip is forgotten before the last one is there. */
  private readonly failures = new Map<string, Map<string, string>>();

  constructor(
    private readonly db: DataSource,
    private readonly objects: ObjectStore,
    private readonly results: JobResults,
  ) {}

  /**
   * Returns the archive; null while clips are being cut: it is to be asked for again. `progress`, 0..1, is called with the
   * share of clips that are there. Throws VALIDATION for more than an archive holds.
   */
  async file(
    { id, config, timeCreated }: Pick<ExportEntity, 'id' | 'config' | 'timeCreated'>,
    progress: (share: number) => Promise<void>,
  ): Promise<ExportedFile | null> {
    const wanted = ClipsExport.parse(config);
    const job = await this.db.manager.findOneBy(JobEntity, { id: wanted.job_id, timeDeleted: IsNull() });
    if (job === null) throw new AditError('NOT_FOUND', 'The job was deleted.');
    const wishes = await this.wishes(wanted, job);
    const cuts = wishes.flatMap(({ cut }) => (cut === null ? [] : [cut]));
    const clips = await gatheredClips(this.db.manager, job.id, cuts);
    const failures = this.failuresOf(id, clips);
    const isOver = (cut: ClipCut): boolean =>
      clips.get(clipDigest(cut))?.state === 'completed' || failures.has(clipDigest(cut));
    const open = wishes.filter(({ cut }) => cut !== null && !isOver(cut));
    // Above 0, which says that it was begun.
    await progress(Math.max(0.001, (wishes.length - open.length) / (wishes.length + 1)));
    refuseBeyond(clips);
    if (open.length > 0) {
      if (Date.now() - timeCreated.getTime() > MAX_WAIT_MS)
        throw new AditError('VALIDATION', `${open.length} clips were not cut within a day.`);
      await this.ask(job, open, clips);
      return null;
    }
    this.failures.delete(id);
    const files = new Map<string, string>();
    const lines = wishes.map((wish) => listed(wish, { clips, failures, files }));
    const content = writeZip(this.archive(wanted, lines));
    const left = { digests: [...files.keys()], since: timeCreated };
    const onCompleted = (): Promise<void> => leaveClips(this.db.manager, job.id, left);
    return { filename: `clips-${job.id}.zip`, mimeType: 'application/zip', content, onCompleted };
  }

  /** Wanted segments of films, sounds and recordings, in the order of their sources and times. */
  private async wishes(wanted: ClipsExport, job: JobEntity): Promise<Wish[]> {
    const { job_id: jobId, source: index, exact, handles } = wanted;
    const where = { jobId, ...(index === undefined ? {} : { index }) };
    const sources = await this.db.manager.find(JobSourceEntity, { where });
    const byIndex = new Map(sources.map((source) => [source.index, source]));
    const order = await wantedSegments(this.db, this.results, wanted, [...byIndex.keys()]);
    const seqs = order.flatMap((page) => [...page]);
    if (seqs.length > MAX_CLIPS_EXPORT.clips) {
      throw new AditError(
        'VALIDATION',
        `These are ${seqs.length} segments; an archive holds ${MAX_CLIPS_EXPORT.clips} clips at most. Narrow them down by source, modules, labels or times.`,
      );
    }
    const segments = await this.results.numbered(jobId, seqs);
    return segments.flatMap((segment): Wish[] => {
      const source = byIndex.get(segment.sourceIndex);
      if (source === undefined) return [];
      try {
        const cut = cutOfSegment(segment, source, { ...job, isRecorded: job.recorded }, { exact, handles });
        return [{ segment, source, cut, problem: null }];
      } catch (error) {
        const { code, message } = AditError.from(error);
        if (code !== 'VALIDATION') throw error;
        return [{ segment, source, cut: null, problem: message }];
      }
    });
  }

  /** Asks for some of the clips that nobody has asked for. What is refused for now is asked for again later. */
  private async ask(job: JobEntity, open: readonly Wish[], clips: ReadonlyMap<string, ClipEntity>): Promise<void> {
    const asked = open.filter(({ cut }) => cut !== null && clips.has(clipDigest(cut))).length;
    const next = open.filter(({ cut }) => cut !== null && !clips.has(clipDigest(cut)));
    const most = Math.min(MAX_ASKED - asked, MAX_OPEN - (await openClips(this.db.manager, job.workspaceId)));
    for (const { segment, cut } of next.slice(0, Math.max(0, most))) {
      if (cut === null) continue;
      try {
        await requestSegmentClip(this.db, job, segment, cut);
      } catch (error) {
        const { code } = AditError.from(error);
        // Erased meanwhile: the next look at the job does not find the segment.
        if (code === 'NOT_FOUND') continue;
        // The workspace has as many clips as it may have, for now.
        if (code === 'CONFLICT') return;
        throw error;
      }
    }
  }

  private failuresOf(exportId: string, clips: ReadonlyMap<string, ClipEntity>): ReadonlyMap<string, string> {
    const failures = this.failures.get(exportId) ?? new Map<string, string>();
    for (const [digest, clip] of clips) {
      if (clip.state === 'failed') failures.set(digest, clipRefusal(clip).message);
      else if (clip.state === 'completed') failures.delete(digest);
    }
    // Behind the others: those that nobody has looked at for long are dropped.
    this.failures.delete(exportId);
    this.failures.set(exportId, failures);
    dropOldest(this.failures, 1_000);
    return failures;
  }

  private async *archive(wanted: ClipsExport, lines: readonly Listed[]): AsyncGenerator<ZipEntry> {
    yield { path: 'clips.csv', body: writeCsv(COLUMNS, rows(lines)) };
    const { job_id, exact, handles } = wanted;
    const clips = lines.map((line) => Object.fromEntries(cellsOf(line).map((cell, at) => [COLUMNS[at], cell])));
    yield { path: 'clips.json', body: Buffer.from(`${JSON.stringify({ job_id, exact, handles, clips }, null, 2)}\n`) };
    const written = new Set<string>();
    for (const { file, clip } of lines) {
      if (file === null || clip?.objectKey == null || written.has(file)) continue;
      written.add(file);
      yield { path: file, body: await this.objects.get(clip.objectKey), compress: false };
    }
  }
}

function refuseBeyond(clips: ReadonlyMap<string, ClipEntity>): void {
  const bytes = [...clips.values()].reduce((sum, { size }) => sum + Number(size ?? 0), 0);
  if (bytes <= MAX_CLIPS_EXPORT.bytes) return;
  throw new AditError(
    'VALIDATION',
    `The clips have more than ${MAX_CLIPS_EXPORT.bytes / GIB} GiB together. Narrow them down by source, modules, labels or times.`,
  );
}

function listed(wish: Wish, { clips, failures, files }: Gathered): Listed {
  const { cut, segment, problem } = wish;
  const digest = cut === null ? null : clipDigest(cut);
  const clip = digest === null ? undefined : clips.get(digest);
  if (clip?.state !== 'completed' || digest === null) {
    return { wish, clip: null, file: null, problem: problem ?? failures.get(digest ?? '') ?? null };
  }
  const file = files.get(digest) ?? `clips/${fileName(segment)}.${clip.mimeType === 'audio/mp4' ? 'm4a' : 'mp4'}`;
  files.set(digest, file);
  return { wish, clip, file, problem: null };
}

/** Number and label, which every file system takes. */
function fileName(segment: PlainSegment): string {
  const label = segmentLabel(segment)
    .normalize('NFC')
    .replaceAll(/[^\p{L}\p{M}\p{N}]+/gu, '-')
    .replace(/^(.{40}).*$/u, '$1')
    .replaceAll(/^-+|-+$/g, '');
  const number = String(segment.seq).padStart(6, '0');
  return label === '' ? number : `${number}-${label}`;
}

function cellsOf({ wish: { segment, source }, clip, file, problem }: Listed): Cell[] {
  const { seq, sourceIndex, moduleId, timeStart, timeEnd, frameStart, frameEnd } = segment;
  return [
    ...[file, seq, sourceIndex, nameOfSource(source.uri, source.name), moduleId, segmentLabel(segment)],
    ...[timeStart, timeEnd, frameStart, frameEnd, clip === null ? null : Number(clip.size), problem],
  ];
}

async function* rows(lines: readonly Listed[]): AsyncGenerator<Cell[]> {
  for (const line of lines) yield cellsOf(line);
}
