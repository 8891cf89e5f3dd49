import { Readable } from 'node:stream';
import { AditError, SegmentsExport } from '@adit/contracts';
import { JobEntity, JobSourceEntity, type ExportEntity } from '@adit/database';
import {
  EDIT_FORMATS,
  FALLBACK_RATE,
  isSameRate,
  rateName,
  type EditEvent,
  type EditFormat,
  type EditList,
} from '@adit/editing';
import type { DataSource } from 'typeorm';
import type { JobResults } from '../endings/job-results.js';
import { cutSources, eventOf, footageOf, titleOf, type CutSource } from './cut-sources.js';
import type { ExportedFile } from './transcript-exports.js';
import type { Border } from './refined-borders.js';
import { wantedSegments } from './wanted-segments.js';

/** What the events of an export are made of. */
interface Material {
  /** Numbers of segments, by pages. */
  order: readonly Int32Array[];
  sources: ReadonlyMap<number, CutSource>;
  borders: ReadonlyMap<number, Border>;
}

/** Writes segments of films and recordings for editing programs. */
export class SegmentExports {
  constructor(
    private readonly db: DataSource,
    private readonly results: JobResults,
  ) {}

  /** Throws VALIDATION where the format cannot hold the job's sources, such as several at different rates. */
  async check({ config }: Pick<ExportEntity, 'config'>): Promise<void> {
    const wanted = SegmentsExport.parse(config);
    refuseUnlessHeld(await this.sources(wanted), EDIT_FORMATS[wanted.format]);
  }

  /**
   * Streams the file of an export. `progress`, 0..1, is called after each page. Throws VALIDATION for what the format
   * cannot hold, such as sources of several rates.
   * @param borders - true borders of segments, by their numbers in the job
   */
  async file(
    { config }: Pick<ExportEntity, 'config'>,
    progress: (share: number) => Promise<void>,
    borders: ReadonlyMap<number, Border> = new Map(),
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
      this.events(wanted, { order, sources, borders }, (more) => progress((read += more) / total));
    const all = [...sources.values()].map(({ source }) => source);
    const [first] = all;
    if (first === undefined && format.needsSource)
      throw new AditError('VALIDATION', 'The job has no film or recording that could be read.');
    const list: EditList = { title: titleOf(all), rate: first?.rate ?? FALLBACK_RATE, sources: all, events };
    const written = format.write(list);
    const content = written instanceof Readable ? written : Readable.from(written, { objectMode: false });
    return { filename: `segments-${jobId}.${format.extension}`, mimeType: format.mimeType, content };
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
    const select = { id: true, conform: true } as const;
    const job = await this.db.manager.findOne(JobEntity, { where: { id: jobId }, select });
    const cuts = cutSources(rows.flatMap((row) => footageOf(row, job?.conform ?? null) ?? []));
    return new Map(cuts.map((cut) => [cut.footage.index, cut]));
  }

  private async *events(
    { job_id: jobId, handles }: SegmentsExport,
    { order, sources, borders }: Material,
    /** Reports the number of segments read since the last call. */
    read: (more: number) => Promise<void>,
  ): AsyncGenerator<EditEvent> {
    for (const numbers of order) {
      const page = await this.results.numbered(jobId, [...numbers]);
      for (const segment of page) {
        const cut = sources.get(segment.sourceIndex);
        if (cut !== undefined) yield eventOf({ ...segment, ...borders.get(segment.seq) }, cut, handles);
      }
      await read(page.length);
    }
  }
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
