import { randomUUID } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { InProcessBus } from '@adit/bus';
import { TRANSCRIPT_LIMITS, type VersionChange } from '@adit/contracts';
import { openDatabase, type Database } from '@adit/database';
import { OutboxRelay } from '@adit/outbox';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AlignedWords } from './aligned-words.js';
import { NewTranscripts, TranscriptReader, TranscriptWriter, type WritePlace } from './index.js';
import { HeldBytes } from './paragraph-rows.js';
import { insertSpeechJob, workspace, type SpokenText } from './testing/speech-job.js';
import { watchStatements } from './testing/watch-statements.js';

const MIB = 2 ** 20;
const { words: MAX_WORDS, characters: MAX_CHARACTERS } = TRANSCRIPT_LIMITS;
/** One run between blanks: each `a-` is a word all the same, for a character of Chinese has it split. */
const unspaced = (words: number): string => `字${'a-'.repeat(words - 1)}`;
const insertions = (text: string, count: number): VersionChange[] =>
  Array.from({ length: count }, () => ({ after: null, text, speaker: null, time_start: 1.125, time_end: 60.375 }));
const tooManyWords = (pointer: string, most: number = MAX_WORDS) => ({
  code: 'VALIDATION',
  options: { errors: [{ pointer, code: 'too_big', message: expect.stringContaining(`at most ${most} words`) }] },
});

describe('versions of many words', () => {
  let database: Database;
  let outbox: OutboxRelay;
  let reader: TranscriptReader;
  let writer: TranscriptWriter;
  let workspaceId: string;
  /** Bytes of the words that each statement of a transaction takes. */
  const sent: number[] = [];

  beforeAll(async () => {
    database = await openDatabase({ driver: 'pglite', directory: null });
    outbox = new OutboxRelay(database.dataSource, new InProcessBus());
    watchStatements(outbox, (_statement, parameters) => {
      // However they are sent: as bytes, or as a list of texts.
      const values = parameters.flat().filter((value) => Buffer.isBuffer(value) || /^\[/.test(String(value)));
      // Only buffers and strings, which have a length, are left.
      if (values.length > 0) sent.push((values as (Buffer | string)[]).reduce((sum, { length }) => sum + length, 0));
    });
    reader = new TranscriptReader(database.dataSource);
    writer = new TranscriptWriter(outbox, database.dataSource);
    workspaceId = await workspace(database.dataSource.manager);
  });
  afterAll(async () => {
    await outbox?.onApplicationShutdown();
    await database?.close();
  });

  async function transcribed(spoken: SpokenText[], mostBytes = 1024 * MIB): Promise<WritePlace> {
    const jobId = await insertSpeechJob(database.dataSource.manager, workspaceId, spoken);
    const id = randomUUID();
    const bounds = { mostBytes: 1024 * MIB, workspaceBytes: 1024 * 1024 * MIB, storageBytes: 0 };
    const order = { id, author: 'spec', most: 1_000, ...bounds };
    await new NewTranscripts(outbox).create(workspaceId, { job_id: jobId }, order);
    const [variant] = (await reader.variants(id, { offset: 0, limit: 1 })).rows;
    return { workspaceId, transcriptId: id, variantId: variant!.id, author: 'spec', ...bounds, mostBytes };
  }
  const read = async (place: WritePlace, limit = 1_000) => {
    const at = await reader.version(workspaceId, place.transcriptId, place.variantId);
    return reader.paragraphs(at, { offset: 0, limit });
  };
  const save = (place: WritePlace, changes: VersionChange[]) => writer.write(place, { changes }, { ifMatch: null });
  const said: SpokenText[] = [{ text: '今晚八点。', start: 0, end: 4 }];

  it('count words as they are split, in every script', async () => {
    const place = await transcribed(said);
    const { id } = (await read(place)).paragraphs[0]!;
    const seen = { id, base: '1', ifMatch: null };
    for (const text of [unspaced(MAX_WORDS + 1), '今晚'.repeat(MAX_CHARACTERS / 2)]) {
      await expect(writer.editParagraph(place, seen, { text })).rejects.toMatchObject(tooManyWords('/text'));
      const changes = [...insertions('今晚', 2), ...insertions(text, 1)];
      await expect(save(place, changes)).rejects.toMatchObject(tooManyWords('/changes/2/text'));
      await expect(save(place, [...insertions('今晚', 1), { id, text }])).rejects.toMatchObject(
        tooManyWords('/changes/1/text'),
      );
    }
    expect((await read(place)).paragraphs).toMatchObject([{ text: said[0]!.text, revision: 1 }]);
    const edited = await writer.editParagraph(place, seen, { text: unspaced(MAX_WORDS) });
    expect(edited.words).toHaveLength(MAX_WORDS);
    // Ten minutes of speech without a pause, where the engine ends a paragraph after one.
    await save(place, insertions('今晚八点我们在学校门口见面。'.repeat(200), 1));
    expect((await read(place)).total).toBe(2);
  });

  it('leave a paragraph that has more already as many', async () => {
    const place = await transcribed([{ text: unspaced(3_000), start: 0, end: 60 }]);
    const { id } = (await read(place)).paragraphs[0]!;
    const edit = (base: string, change: object) => writer.editParagraph(place, { id, base, ifMatch: null }, change);
    expect(await edit('1', { text: unspaced(3_000), speaker: 'Ada' })).toMatchObject({ revision: 2 });
    expect(await edit('2', { text: `${unspaced(2_999)}b` })).toMatchObject({ revision: 3 });
    await save(place, [{ id, time_end: 61 }]);
    await expect(edit('4', { text: unspaced(3_001) })).rejects.toMatchObject({ code: 'VALIDATION' });
    await expect(save(place, [{ id, text: unspaced(3_001) }])).rejects.toMatchObject(
      tooManyWords('/changes/0/text', 3_000),
    );
  });

  it('give others a turn for each paragraph that is inserted', async () => {
    const { manager } = database.dataSource;
    const changes = insertions('eins zwei drei', 50);
    let turns = 0;
    let isDone = false;
    const others = (async () => {
      for (; !isDone; turns += 1) await nextTurn();
    })();
    // No statement is made of insertions: every turn is one that the alignment gave.
    await AlignedWords.of(manager, { variantId: randomUUID(), changes, held: HeldBytes.none(MIB) });
    isDone = true;
    await others;
    expect(turns).toBeGreaterThanOrEqual(changes.length);
  });

  it('are written in statements of about a megabyte', async () => {
    const place = await transcribed(said);
    const { id } = (await read(place)).paragraphs[0]!;
    sent.length = 0;
    const text = 'x '.repeat(MAX_WORDS);
    await save(place, [...insertions(text, 24), { id, text }]);
    expect(sent.length).toBeGreaterThan(2);
    expect(Math.max(...sent)).toBeLessThanOrEqual(1.1 * MIB);
    const { paragraphs } = await read(place);
    expect(paragraphs.map(({ words }) => words.length)).toEqual(Array.from({ length: 25 }, () => MAX_WORDS));
    expect(paragraphs[0]!.words[0]).toEqual({ text: 'x', time_start: 1.125, time_end: 1.155, confidence: 1 });
  });

  it('are aligned and sent no further than there is room', async () => {
    const place = await transcribed(said, MIB);
    sent.length = 0;
    const refusal = { code: 'CONFLICT', options: { errors: [{ code: 'too_many' }] } };
    await expect(save(place, insertions('x '.repeat(MAX_WORDS), 24))).rejects.toMatchObject(refusal);
    expect(sent).toEqual([]);
    // An edit without a change needs no quota.
    const { id, text } = (await read(place)).paragraphs[0]!;
    expect(await save({ ...place, mostBytes: 1 }, [{ id, text }])).toMatchObject({ paragraphs: 1 });
  });

  it('are read in smaller pages', async () => {
    const spoken = Array.from({ length: 60 }, (_, at) => ({ text: 'x '.repeat(MAX_WORDS), start: at, end: at + 1 }));
    const place = await transcribed(spoken);
    const { total, limit, paragraphs } = await read(place);
    expect([total, limit, paragraphs.length]).toEqual([60, 50, 50]);
    const changes = paragraphs.map(({ id }) => ({ id, text: 'y '.repeat(MAX_WORDS) }));
    const version = await save(place, changes);
    const before = await reader.version(workspaceId, place.transcriptId, place.variantId, 1);
    const page = { offset: 10, limit: 1_000 };
    const { differences, ...shown } = await reader.differences(before, version, page);
    expect([shown, differences.length]).toMatchObject([{ total: 50, limit: 25 }, 25]);
    const behind = await reader.differences(before, version, { offset: 0, limit: 1_000, cursor: shown.next ?? '' });
    expect(behind.differences[0]?.id).toBe(paragraphs[35]!.id);
    expect(differences[0]).toMatchObject({ id: paragraphs[10]!.id, kind: 'changed' });
    // The last page says what was asked for.
    expect(await reader.differences(before, version, { ...page, offset: 35 })).toMatchObject({
      total: 50,
      limit: 1_000,
    });
  });
});
