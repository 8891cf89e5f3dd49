import { Readable } from 'node:stream';
import { noteFoundIn } from '@adit/artifacts';
import { AditError, FoundSegmentsExport, MAX_SEARCH_EXPORT, type Conform } from '@adit/contracts';
import { writeCsv, type Cell } from '@adit/csv';
import {
  inTransaction,
  JobEntity,
  JobSourceEntity,
  type ExportEntity,
  type TranscriptParagraphEntity,
} from '@adit/database';
import {
  EDIT_FORMATS,
  FALLBACK_RATE,
  intervalOf,
  rateName,
  type EditEvent,
  type EditFormat,
  type EditList,
} from '@adit/editing';
import { foundSegments } from '@adit/indexes';
import type { ClaimedTask } from '@adit/leases';
import type { ModuleRegistry } from '@adit/module-kit';
import { writeZip, ZIP, type ZipEntry } from '@adit/ooxml';
import { PostgresIndex, questionOf, type FoundDocument, type FoundPage } from '@adit/search';
import { newestParagraphs } from '@adit/transcript-store';
import { In, IsNull, type DataSource } from 'typeorm';
import { SEGMENT_PAGE } from '../endings/job-results.js';
import { cutSources, eventOf, footageOf, listsOf, titleOf, type CutSource, type Footage } from './cut-sources.js';
import type { ExportedFile } from './transcript-exports.js';

/** Results of one look at the index, and sources that are read at once. */
const [PAGE, SOURCES_AT_ONCE] = [1_000, 500];
/** Nobody waits for an answer within a moment: parts of words and misspelt words are looked for longer than by a search. */
const FUZZY_MS = 5_000;
/** Letters of the name of a film in that of a file. */
const NAME_LETTERS = 40;
const NARROW = 'Narrow it down by words, filters or times.';
const PARTIAL = 'Parts of words and misspelt words were not all looked for: some results may be missing.';

/** Results of one file: sources in their order, and what was found in them in the order of their times. */
interface Part {
  footage: Footage[];
  documents: FoundDocument[];
}

/** Writes what a search found in films and recordings for editing programs. */
export class FoundSegmentExports {
  private readonly index: PostgresIndex;

  constructor(
    private readonly db: DataSource,
    private readonly modules: ModuleRegistry,
  ) {
    this.index = new PostgresIndex(db, FUZZY_MS);
  }

  /**
   * Streams the file of an export, or a zip where the format cannot hold all sources together. `progress`, 0..1, is called
   * after each page. Throws VALIDATION beyond what an export holds, and where nothing is found.
   */
  async file(
    row: Pick<ExportEntity, 'id' | 'workspaceId' | 'config' | 'timeCreated'>,
    task: ClaimedTask,
    progress: (share: number) => Promise<void>,
  ): Promise<ExportedFile> {
    const wanted = FoundSegmentsExport.parse(row.config);
    const format = EDIT_FORMATS[wanted.format];
    const { documents, isComplete } = await this.search(row, wanted);
    const found = await this.noted(task, documents);
    const footage = await this.footage(row.workspaceId, found);
    const parts = partsOf(footage, found, format);
    const total = parts.reduce((sum, { documents }) => sum + documents.length, 0) * format.passes;
    if (total === 0) throw new AditError('VALIDATION', 'The search finds nothing in films and recordings.');
    let done = 0;
    const read = (more: number): Promise<void> => progress((done += more) / total);
    const writing = { workspaceId: row.workspaceId, handles: wanted.handles, format, read };
    const [first] = parts;
    const isOne = first !== undefined && parts.length === 1;
    const { extension, mimeType } = isOne ? format : ZIP;
    const content = isOne ? this.write(first, writing) : writeZip(this.archive(parts, writing));
    const notes = isComplete ? [] : [PARTIAL];
    return { filename: `search-${row.id}.${extension}`, mimeType, content, notes };
  }

  /** All that the search finds in jobs that were made before the export was asked for: later ones would come and go with retries. */
  private async search(
    { workspaceId, timeCreated }: Pick<ExportEntity, 'workspaceId' | 'timeCreated'>,
    { search }: FoundSegmentsExport,
  ): Promise<FoundPage> {
    const { time_created_from: from, time_created_to: to = timeCreated, ...asked } = search;
    const created = { from, to: to < timeCreated ? to : timeCreated };
    const question = questionOf(workspaceId, { ...asked, created }, { modules: this.modules, mark: '/config/search/' });
    // By their keys: what is indexed again meanwhile may be on two pages.
    const found = new Map<string, FoundDocument>();
    let isComplete = true;
    for (let after: string | null = null; ;) {
      const page = await this.index.find(question, { after, limit: PAGE });
      for (const document of page.documents) found.set(nameOf(document), document);
      isComplete &&= page.isComplete;
      refuseBeyond([...found.values()]);
      const last = page.documents.at(-1);
      if (last === undefined || page.documents.length < PAGE) break;
      after = last.place;
    }
    return { documents: [...found.values()], isComplete };
  }

  /** What is there of the results, when the export is bound to their jobs and texts. Throws NOT_FOUND when it is lost. */
  private async noted(task: ClaimedTask, found: readonly FoundDocument[]): Promise<FoundDocument[]> {
    const jobs = [...new Set(found.map(({ jobId }) => jobId))];
    const variants = [...new Set(found.flatMap(({ key }) => key.paragraph?.variantId ?? []))];
    const there = await inTransaction(this.db, (manager) => noteFoundIn(manager, task, { jobs, variants }));
    if (there === null) throw new AditError('NOT_FOUND', 'What was to be exported was deleted.');
    return found.filter(
      ({ jobId, key }) => there.has(jobId) && (key.paragraph === null || there.has(key.paragraph.variantId)),
    );
  }

  /** The films and recordings of results, those of the oldest job first. */
  private async footage(workspaceId: string, found: readonly FoundDocument[]): Promise<Footage[]> {
    const jobs = await this.db.manager.find(JobEntity, {
      where: { id: In([...new Set(found.map(({ jobId }) => jobId))]), workspaceId, timeDeleted: IsNull() },
      select: { id: true, conform: true },
      order: { timeCreated: 'ASC', id: 'ASC' },
    });
    const conforms = new Map(jobs.map(({ id, conform }) => [id, conform]));
    const sources = [...new Map(found.map((each) => [sourceOf(each), each])).values()];
    const footage: Footage[] = [];
    for (let at = 0; at < sources.length; at += SOURCES_AT_ONCE) {
      const some = sources.slice(at, at + SOURCES_AT_ONCE);
      const rows = await this.db.manager
        .createQueryBuilder(JobSourceEntity, 's')
        .where('(s.job_id, s.index) IN (SELECT * FROM unnest(CAST(:jobs AS uuid[]), CAST(:indexes AS int[])))', {
          jobs: some.map(({ jobId }) => jobId),
          indexes: some.map(({ sourceIndex }) => sourceIndex),
        })
        .getMany();
      footage.push(...rows.flatMap((row) => footageIn(row, conforms) ?? []));
    }
    const places = new Map(jobs.map(({ id }, place) => [id, place]));
    const placeOf = ({ jobId }: Footage): number => places.get(jobId) ?? 0;
    return footage.sort((a, b) => placeOf(a) - placeOf(b) || a.index - b.index);
  }

  private write({ footage, documents }: Part, { format, ...reading }: Writing): Readable {
    const cuts = cutSources(footage);
    const sources = cuts.map(({ source }) => source);
    const bySource = new Map(cuts.map((cut) => [keyOf(cut.footage), cut]));
    const list: EditList = {
      ...{ title: titleOf(sources), rate: sources[0]?.rate ?? FALLBACK_RATE, sources },
      events: () => this.events(documents, bySource, reading),
    };
    const written = format.write(list);
    return written instanceof Readable ? written : Readable.from(written, { objectMode: false });
  }

  private async *archive(parts: readonly Part[], writing: Writing): AsyncGenerator<ZipEntry> {
    const { layout, extension } = writing.format;
    const named = parts.map((part, at) => ({
      ...{ part, file: `${layout === 'in place' ? numberedName(part, at) : rateFile(part)}.${extension}` },
    }));
    yield { path: 'files.csv', body: writeCsv(['file', 'source_name', 'job_id', 'source', 'location'], rows(named)) };
    for (const { part, file } of named) yield { path: file, body: this.write(part, writing) };
  }

  private async *events(
    documents: readonly FoundDocument[],
    cuts: ReadonlyMap<string, CutSource>,
    { workspaceId, handles, read }: Pick<Writing, 'workspaceId' | 'handles' | 'read'>,
  ): AsyncGenerator<EditEvent> {
    for (let at = 0; at < documents.length; at += SEGMENT_PAGE) {
      const page = documents.slice(at, at + SEGMENT_PAGE);
      const segments = await foundSegments(this.db.manager, workspaceId, page);
      const keys = page.flatMap(({ key: { paragraph } }) => paragraph ?? []);
      const there = await newestParagraphs(this.db.manager, keys);
      const paragraphs = new Map(there.map(({ paragraph: each }) => [`${each.variantId} ${each.id}`, each]));
      for (const document of page) {
        const cut = cuts.get(sourceOf(document));
        const segment = segments.get(document);
        const { paragraph: key } = document.key;
        const paragraph = key === null ? undefined : paragraphs.get(`${key.variantId} ${key.id}`);
        // One that is neither has changed or gone since it was indexed.
        if (cut === undefined) continue;
        if (segment !== undefined) yield eventOf(segment, cut, handles);
        else if (paragraph !== undefined) yield paragraphEvent(paragraph, document, { cut, handles });
      }
      await read(page.length);
    }
  }
}

/** What is the same in all files of an export. */
interface Writing {
  workspaceId: string;
  format: EditFormat;
  handles: number;
  /** Reports the number of results read since the last call. */
  read: (more: number) => Promise<void>;
}

/** Throws VALIDATION for more than an export holds. */
function refuseBeyond(found: readonly FoundDocument[]): void {
  const { segments, jobs } = MAX_SEARCH_EXPORT;
  if (found.length > segments)
    throw new AditError(
      'VALIDATION',
      `The search finds more than the ${segments} results that an export holds. ${NARROW}`,
    );
  if (new Set(found.map(({ jobId }) => jobId)).size > jobs)
    throw new AditError(
      'VALIDATION',
      `The search finds results of more than the ${jobs} jobs that an export holds. ${NARROW}`,
    );
}

function footageIn(row: JobSourceEntity, conforms: ReadonlyMap<string, Conform | null>): Footage | null {
  try {
    return footageOf(row, conforms.get(row.jobId) ?? null);
  } catch (error) {
    const { code, message } = AditError.from(error);
    throw new AditError(code, `Job ${row.jobId}: ${message}`);
  }
}

function partsOf(footage: readonly Footage[], found: readonly FoundDocument[], format: EditFormat): Part[] {
  const bySource = new Map<string, FoundDocument[]>(footage.map((each) => [keyOf(each), []]));
  for (const document of found) bySource.get(sourceOf(document))?.push(document);
  for (const documents of bySource.values()) documents.sort(inTime);
  return listsOf(footage, format).map((list) => ({
    footage: list,
    documents: list.flatMap((each) => bySource.get(keyOf(each)) ?? []),
  }));
}

/** By their times; of one time segments in their order, and then paragraphs. */
function inTime(a: FoundDocument, b: FoundDocument): number {
  const order = a.timeStart - b.timeStart || (a.key.seq ?? Infinity) - (b.key.seq ?? Infinity);
  return order || (a.key.paragraph?.id ?? '').localeCompare(b.key.paragraph?.id ?? '');
}

function paragraphEvent(
  { text, speaker, words, timeStart, timeEnd }: TranscriptParagraphEntity,
  { moduleId: module, type: label }: FoundDocument,
  { cut: { source, timeline }, handles }: { cut: CutSource; handles: number },
): EditEvent {
  const times = { frameStart: null, frameEnd: null, timeStart, timeEnd };
  return {
    ...{ source, ...intervalOf(times, timeline, handles), module, label, text },
    ...(words.length > 0 && { words }),
    speaker: speaker === '' ? null : speaker,
  };
}

function nameOf({ jobId, key: { seq, paragraph } }: FoundDocument): string {
  return paragraph === null ? `${jobId} ${seq}` : `${paragraph.variantId} ${paragraph.id}`;
}

function sourceOf({ jobId, sourceIndex }: FoundDocument): string {
  return `${jobId} ${sourceIndex}`;
}

function keyOf({ jobId, index }: Footage): string {
  return `${jobId} ${index}`;
}

/** Number and name of the film, which every file system takes. */
function numberedName({ footage: [first] }: Part, at: number): string {
  const name = (first?.name ?? '')
    .replace(/\.[^.]*$/, '')
    .normalize('NFC')
    .replaceAll(/[^\p{L}\p{M}\p{N}]+/gu, '-')
    .replaceAll(/^-+|-+$/g, '');
  const number = String(at + 1).padStart(5, '0');
  return name === '' ? number : `${number}-${[...name].slice(0, NAME_LETTERS).join('')}`;
}

/** E.g. `29.97-drop-frame`. */
function rateFile({ footage: [first] }: Part): string {
  return first === undefined ? '' : rateName(first.timeline.rate).replaceAll(' ', '-');
}

async function* rows(files: readonly { part: Part; file: string }[]): AsyncGenerator<Cell[]> {
  for (const { part, file } of files)
    for (const { name, jobId, index, location } of part.footage) yield [file, name, jobId, index, location];
}
