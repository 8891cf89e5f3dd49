import { randomUUID } from 'node:crypto';
import { InProcessBus } from '@adit/bus';
import type { TranscriptParagraph } from '@adit/contracts';
import { openDatabase, TranscriptVariantEntity, type Database } from '@adit/database';
import { OutboxRelay } from '@adit/outbox';
import { describeWith, freshDatabase, type FreshDatabase } from '@adit/testing';
import { afterAll, beforeAll, describe, expect } from '@jest/globals';
import { NewTranscripts, TranscriptReader, TranscriptWriter, type WritePlace } from '../index.js';
import { insertSpeechJob, workspace, type SpokenText } from './speech-job.js';
import { watchStatements } from './watch-statements.js';

export let database: Database;
export let outbox: OutboxRelay;
export let reader: TranscriptReader;
export let writer: TranscriptWriter;
export let made: NewTranscripts;
export let workspaceId: string;

/** No test but those of bounds comes near. */
export const BOUNDS = { mostBytes: 1024 ** 3, workspaceBytes: 1024 ** 4, storageBytes: 0 };

export const said: SpokenText[] = [
  {
    text: 'Guten Abend.',
    start: 0.5,
    end: 1.5,
    speaker: 'Ada',
    words: [
      { text: 'Guten', time_start: 0.5, time_end: 0.9, confidence: 0.8 },
      { text: 'Abend.', time_start: 1, time_end: 1.5, confidence: 0.7 },
    ],
  },
  { text: 'Willkommen daheim.', start: 2, end: 4 },
  { text: 'Danke.', start: 5, end: 6, speaker: 'Bob' },
];

/** Every statement of a transaction so far. */
export const statements: unknown[] = [];

export const rows = async (): Promise<number> =>
  (await database.dataSource.query<{ n: number }[]>('SELECT count(*)::int AS n FROM transcript_paragraphs'))[0]!.n;

export const bytesOf = async ({ variantId }: WritePlace): Promise<number> => {
  const { bytes } = await database.dataSource.manager.findOneByOrFail(TranscriptVariantEntity, { id: variantId });
  return Number(bytes);
};

export const summed = async ({ variantId }: WritePlace): Promise<number> => {
  const [{ bytes }] = await database.dataSource.query<[{ bytes: string }]>(
    `SELECT sum(256 + length(position::text) + octet_length(text) + octet_length(coalesce(speaker, ''))
                + octet_length(words::text)) AS bytes FROM transcript_paragraphs WHERE variant_id = $1`,
    [variantId],
  );
  return Number(bytes);
};

export async function transcribed(spoken: SpokenText[], more: Partial<WritePlace> = {}): Promise<WritePlace> {
  const whose = { workspaceId, author: 'spec', ...BOUNDS, ...more };
  const jobId = await insertSpeechJob(database.dataSource.manager, whose.workspaceId, spoken);
  const id = randomUUID();
  await made.create(whose.workspaceId, { job_id: jobId }, { ...whose, id, most: 1_000 });
  const [variant] = (await reader.variants(id, { offset: 0, limit: 1 })).rows;
  return { ...whose, transcriptId: id, variantId: variant!.id };
}

export async function read(place: WritePlace, version?: number, limit = 1000): Promise<TranscriptParagraph[]> {
  const at = await reader.version(place.workspaceId, place.transcriptId, place.variantId, version);
  return (await reader.paragraphs(at, { offset: 0, limit })).paragraphs;
}

export const texts = async (place: WritePlace, version?: number) =>
  (await read(place, version)).map(({ text }) => text);

export const edit = (place: WritePlace, { id, revision }: TranscriptParagraph, text: string) =>
  writer.editParagraph(place, { id, base: String(revision), ifMatch: null }, { text });

/** As an editor does: reads, adds its mark, and reads again when somebody was faster. */
export async function write(place: WritePlace, index: number, mark: string): Promise<void> {
  for (;;) {
    const now = await reader.version(workspaceId, place.transcriptId, place.variantId);
    const [current] = (await reader.paragraphs(now, { offset: index, limit: 1 })).paragraphs;
    const ifMatch = (revision: number) => revision === current!.revision;
    try {
      const seen = { id: current!.id, base: '1', ifMatch };
      await writer.editParagraph(place, seen, { text: `${current!.text} ${mark}` });
      return;
    } catch (error) {
      expect(error).toMatchObject({ code: 'PRECONDITION_FAILED' });
    }
  }
}

function useTranscripts(open: () => Promise<Database>): void {
  beforeAll(async () => {
    database = await open();
    outbox = new OutboxRelay(database.dataSource, new InProcessBus());
    watchStatements(outbox, (statement) => statements.push(statement));
    reader = new TranscriptReader(database.dataSource);
    writer = new TranscriptWriter(outbox, database.dataSource);
    made = new NewTranscripts(outbox);
    workspaceId = await workspace(database.dataSource.manager);
  });
  afterAll(async () => {
    await outbox?.onApplicationShutdown();
    await database?.close();
  });
}

/**
 * Describes transcripts in an embedded database, and in PostgreSQL where there is one.
 *
 * @param behaviour - registers the tests; `isShared`: the database has several sessions at once.
 */
export async function describeTranscripts(behaviour: (database: { isShared: boolean }) => void): Promise<void> {
  describe('transcripts in an embedded database', () => {
    useTranscripts(() => openDatabase({ driver: 'pglite', directory: null }));
    behaviour({ isShared: false });
  });

  await describeWith('postgres', 'transcripts in PostgreSQL', ({ postgres }) => {
    let fresh: FreshDatabase;
    useTranscripts(async () => {
      fresh = await freshDatabase(postgres.url);
      return openDatabase({ driver: 'postgres', url: fresh.url });
    });
    afterAll(() => fresh?.drop());
    behaviour({ isShared: true });
  });
}
