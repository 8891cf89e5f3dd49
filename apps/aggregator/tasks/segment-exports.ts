import { Readable } from 'node:stream';
import { AditError, masterAddress, SegmentsExport, SpeechMeta, type Conform } from '@adit/contracts';
import { JobEntity, JobSourceEntity, type ExportEntity, type SegmentEntity } from '@adit/database';
import {
  EDIT_FORMATS,
  FALLBACK_RATE,
  isSameRate,
  rateName,
  reelsOf,
  intervalOf,
  timelineOf,
  type EditEvent,
  type EditFormat,
  type EditList,
  type EditSource,
  type SourceTimeline,
} from '@adit/editing';
import { nameOfSource, segmentLabel } from '@adit/presentation';
import type { DataSource } from 'typeorm';
import type { JobResults } from '../endings/job-results.js';
import type { ExportedFile } from './transcript-exports.js';
import { wantedSegments } from './wanted-segments.js';

/** A source with its frame counting. */
interface CutSource {
  source: EditSource;
  timeline: SourceTimeline;
}

/** Writes segments of films and recordings for editing programs. */
export class SegmentExports {
  constructor(
    private readonly db: DataSource,
    private readonly results: JobResults,
  ) {}

  /**
   * Streams the file of an export. `progress`, 0..1, is called after each page. Throws VALIDATION for what the format
   * cannot hold, such as sources of several rates.
   */
  async file(
    { config }: Pick<ExportEntity, 'config'>,
    progress: (share: number) => Promise<void>,
  ): Promise<ExportedFile> {
    const wanted = SegmentsExport.parse(config);
    const { job_id: jobId, format: name } = wanted;
    const sources = await this.sources(wanted);
    const format = EDIT_FORMATS[name];
    refuseUnlessHeld(sources, format);
    const order = await wantedSegments(this.db, this.results, wanted, [...sources.keys()]);
    const found = order.reduce((sum, { length }) => sum + length, 0);
    const total = found * format.passes;
    let read = 0;
    const events = (): AsyncIterable<EditEvent> =>
      this.events(wanted, order, sources, (more) => progress((read += more) / total));
    const all = [...sources.values()].map(({ source }) => source);
    const [first] = all;
    if (first === undefined && format.needsSource)
      throw new AditError('VALIDATION', 'The job has no film or recording that could be read.');
    const list: EditList = { title: titleOf(all), rate: first?.rate ?? FALLBACK_RATE, sources: all, events };
    const written = format.write(list);
    const content = written instanceof Readable ? written : Readable.from(written, { objectMode: false });
    return { filename: `segments-${jobId}.${format.extension}`, mimeType: format.mimeType, content };
  }

  /** The master that the job's source is a proxy of; null where nothing is said of it. */
  private async conform(id: string): Promise<Conform | null> {
    const job = await this.db.manager.findOne(JobEntity, { where: { id }, select: { id: true, conform: true } });
    return job?.conform ?? null;
  }

  /** Sources that can be cut, by their index in the job. */
  private async sources({ job_id: jobId, source: only }: SegmentsExport): Promise<Map<number, CutSource>> {
    const where = { jobId, ...(only === undefined ? {} : { index: only }) };
    const rows = await this.db.manager.find(JobSourceEntity, { where, order: { index: 'ASC' } });
    if (rows.length === 0) {
      throw only === undefined
        ? new AditError('NOT_FOUND', 'The job was deleted.')
        : new AditError('VALIDATION', `The job has no source ${only}.`);
    }
    const conform = await this.conform(jobId);
    const cut = rows.flatMap((row) => {
      const timeline = row.facts === null ? null : timelineOf(row.facts, conform);
      return timeline === null ? [] : [{ timeline, index: row.index, ...mediaOf(row, conform) }];
    });
    const reels = reelsOf(cut.map(({ name }) => ({ name, reel: conform?.reel ?? null })));
    return new Map(
      cut.map(({ index: inJob, timeline, ...media }, index) => {
        const { byFrames: _, ...counted } = timeline;
        const reel = reels[index] ?? '';
        const source = { index, ...media, reel, tape: conform?.reel ?? reel, ...counted };
        return [inJob, { source, timeline }];
      }),
    );
  }

  private async *events(
    { job_id: jobId, handles }: SegmentsExport,
    order: readonly Int32Array[],
    sources: Map<number, CutSource>,
    /** Reports the number of segments read since the last call. */
    read: (more: number) => Promise<void>,
  ): AsyncGenerator<EditEvent> {
    for (const numbers of order) {
      const page = await this.results.numbered(jobId, [...numbers]);
      for (const segment of page) {
        const cut = sources.get(segment.sourceIndex);
        if (cut !== undefined) yield eventOf(segment, cut, handles);
      }
      await read(page.length);
    }
  }
}

/** Removes what may be a key from a web address, before its host and after its path: lists of cuts are passed on. */
function locationOf(uri: string): string {
  return /^https?:/i.test(uri) ? uri.replace(/[?#].*$/s, '').replace(/^(https?:\/\/)[^/]*@/i, '$1') : uri;
}

/** Name and location of the media that editing programs are to find: the master's, where the job names one. */
function mediaOf({ uri, name }: JobSourceEntity, conform: Conform | null): { name: string; location: string } {
  const own = nameOfSource(uri, name);
  if (conform?.master === undefined) return { name: own, location: locationOf(uri) };
  const location = locationOf(masterAddress(conform.master));
  // A UMID is no name that people read.
  return { name: location.startsWith('urn:') ? own : nameOfSource(location, null), location };
}

function eventOf(segment: SegmentEntity, { source, timeline }: CutSource, handles: number): EditEvent {
  const { moduleId: module, meta } = segment;
  const { text, speaker, person } = meta;
  return {
    ...{ source, ...intervalOf(segment, timeline, handles), module },
    label: typeof person === 'string' && segment.identityNumber === null ? person : segmentLabel(segment),
    text: typeof text === 'string' ? text : '',
    ...wordsOf(meta),
    speaker: typeof speaker === 'string' && speaker !== '' ? speaker : null,
  };
}

/** Words of speech with their times, where the job asked for these. */
function wordsOf(meta: SegmentEntity['meta']): Pick<EditEvent, 'words'> {
  const words = Array.isArray(meta['words']) ? SpeechMeta.shape.words.safeParse(meta['words']).data : undefined;
  return words === undefined ? {} : { words };
}

/** Checks that sources fit a format with one timeline or one rate. Throws VALIDATION. */
function refuseUnlessHeld(sources: Map<number, CutSource>, { layout, mixesRates }: EditFormat): void {
  const all = [...sources.values()].map(({ source }) => source);
  if (layout === 'in place' && all.length > 1) {
    throw new AditError(
      'VALIDATION',
      `The job has ${all.length} sources, and this format is of one: name its index as "source".`,
    );
  }
  const [first] = all;
  const other = all.find(({ rate }) => first !== undefined && !isSameRate(rate, first.rate));
  if (mixesRates || first === undefined || other === undefined) return;
  const rates = `${first.name} at ${rateName(first.rate)}, ${other.name} at ${rateName(other.rate)}`;
  throw new AditError(
    'VALIDATION',
    `This format holds one frame rate (${rates}): name a source's index as "source", or take otio or fcpxml.`,
  );
}

function titleOf(sources: readonly EditSource[]): string {
  const [first] = sources;
  return sources.length > 1 ? `${first?.name} and ${sources.length - 1} more` : (first?.name ?? '');
}
