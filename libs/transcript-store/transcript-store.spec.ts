/** @needs servers */
import { randomUUID } from 'node:crypto';
import { InProcessBus } from '@adit/bus';
import type { TranscriptParagraph, VersionChange } from '@adit/contracts';
import {
  openDatabase,
  TranscriptEntity,
  TranscriptVariantEntity,
  WebhookEntity,
  WorkspaceEntity,
  type Database,
} from '@adit/database';
import { storageUsed } from '@adit/storage';
import { OutboxRelay } from '@adit/outbox';
import { describeWith, freshDatabase, type FreshDatabase } from '@adit/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { NewTranscripts, TranscriptReader, TranscriptWriter, type WritePlace } from './index.js';
import { heardJob, workspace, type Heard } from './testing/heard-job.js';
import { watchStatements } from './testing/watch-statements.js';

const WRITERS = 20;
/** Several pages of what a job heard, and of what is read. */
const MANY = 2_000;
/** No test but those of bounds comes near. */
const BOUNDS = { mostBytes: 1024 ** 3, workspaceBytes: 1024 ** 4, storageBytes: 0 };
const said: Heard[] = [
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

function behaviour(open: () => Promise<Database>, { isShared }: { isShared: boolean }): void {
  let database: Database;
  let outbox: OutboxRelay;
  let reader: TranscriptReader;
  let writer: TranscriptWriter;
  let made: NewTranscripts;
  let workspaceId: string;
  /** Of transactions. */
  const statements: unknown[] = [];

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

  const rows = async (): Promise<number> =>
    (await database.dataSource.query<{ n: number }[]>('SELECT count(*)::int AS n FROM transcript_paragraphs'))[0]!.n;

  const bytesOf = async ({ variantId }: WritePlace): Promise<number> => {
    const { bytes } = await database.dataSource.manager.findOneByOrFail(TranscriptVariantEntity, { id: variantId });
    return Number(bytes);
  };
  const summed = async ({ variantId }: WritePlace): Promise<number> => {
    const [{ bytes }] = await database.dataSource.query<[{ bytes: string }]>(
      `SELECT sum(256 + length(position::text) + octet_length(text) + octet_length(coalesce(speaker, ''))
                  + octet_length(words::text)) AS bytes FROM transcript_paragraphs WHERE variant_id = $1`,
      [variantId],
    );
    return Number(bytes);
  };

  async function transcribed(heard: Heard[], more: Partial<WritePlace> = {}): Promise<WritePlace> {
    const whose = { workspaceId, author: 'spec', ...BOUNDS, ...more };
    const jobId = await heardJob(database.dataSource.manager, whose.workspaceId, heard);
    const id = randomUUID();
    await made.create(whose.workspaceId, { job_id: jobId }, { ...whose, id, most: 1_000 });
    const [variant] = (await reader.variants(id, { offset: 0, limit: 1 })).rows;
    return { ...whose, transcriptId: id, variantId: variant!.id };
  }

  async function read(place: WritePlace, version?: number, limit = 1000): Promise<TranscriptParagraph[]> {
    const at = await reader.version(place.workspaceId, place.transcriptId, place.variantId, version);
    return (await reader.paragraphs(at, { offset: 0, limit })).paragraphs;
  }

  const texts = async (place: WritePlace, version?: number) => (await read(place, version)).map(({ text }) => text);
  const edit = (place: WritePlace, { id, revision }: TranscriptParagraph, text: string) =>
    writer.editParagraph(place, { id, base: String(revision), ifMatch: null }, { text });

  /** As an editor does: reads, adds its mark, and reads again when somebody was faster. */
  async function write(place: WritePlace, index: number, mark: string): Promise<void> {
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

  it('keeps the times of words that stay, in every version', async () => {
    const place = await transcribed(said);
    const [first] = await read(place);
    expect(first).toMatchObject({
      index: 0,
      revision: 1,
      speaker: 'Ada',
      words: [{ confidence: 0.8 }, { confidence: 0.7 }],
    });
    const now = await edit(place, first!, 'Guten Abend, alle.');
    expect(now).toMatchObject({
      revision: 2,
      words: [
        { text: 'Guten', time_start: 0.5, time_end: 0.9, confidence: 0.8 },
        { text: 'Abend,', time_start: 1, time_end: 1.5, confidence: 0.7 },
        { text: 'alle.', time_start: 1.5, time_end: 1.5, confidence: 1 },
      ],
    });
    expect(await texts(place, 1)).toEqual(said.map(({ text }) => text));
    expect(await texts(place)).toEqual(['Guten Abend, alle.', 'Willkommen daheim.', 'Danke.']);
  });

  it(`loses no edit of ${WRITERS} writers at once, of one paragraph or of several`, async () => {
    const place = await transcribed(said);
    const marks = Array.from({ length: WRITERS }, (_, at) => `m${at}`);
    await Promise.all(marks.map((mark, at) => write(place, at % 2, mark)));
    const [one, two] = await read(place);
    const found = [...one!.text.split(' ').slice(2), ...two!.text.split(' ').slice(2)];
    expect(found.sort()).toEqual([...marks].sort());
    const newest = await reader.version(workspaceId, place.transcriptId, place.variantId);
    expect(newest.version.version).toBe(1 + WRITERS);
  });

  // In an embedded database there is one session: its transactions come one after the other, as the test before this one shows.
  // Which paragraphs meet, and over how many pages, is the same among 2,000 as among more.
  if (isShared) {
    it(`loses no edit of ${WRITERS} writers at once in ${MANY} paragraphs`, async () => {
      const place = await transcribed(
        Array.from({ length: MANY }, (_, at) => ({ text: `Satz ${at}.`, start: at, end: at + 0.9 })),
      );
      // Each writes through the whole talk, one paragraph with the writer before and one with the next among them.
      const placesOf = (at: number) => [at * 80, ((at + 1) % WRITERS) * 80, MANY - 1 - at, MANY / 2 + 1 + at];
      const all = Array.from({ length: WRITERS }, (_, at) => placesOf(at).map((index) => ({ index, mark: `m${at}` })));
      await Promise.all(
        all.map(async (own) => {
          for (const { index, mark } of own) await write(place, index, mark);
        }),
      );
      const now = await reader.version(workspaceId, place.transcriptId, place.variantId);
      expect(now.version.version).toBe(1 + all.flat().length);
      const found: string[] = [];
      for (let offset = 0; offset < MANY; offset += 1_000) {
        const { paragraphs } = await reader.paragraphs(now, { offset, limit: 1_000 });
        for (const { index, text } of paragraphs) {
          const [words, ...marks] = text.split('. ');
          expect(words?.replace('.', '')).toBe(`Satz ${index}`);
          found.push(...marks.flatMap((each) => each.split(' ')).map((mark) => `${index} ${mark}`));
        }
      }
      const expected = all.flat().map(({ index, mark }) => `${index} ${mark}`);
      expect(found.sort()).toEqual(expected.sort());
    });
  }

  /** @hardening overload: A thousand paragraphs in one place hold the database */
  it('puts many paragraphs into one place in their order, by a handful of statements and short numbers', async () => {
    const place = await transcribed(said);
    const [first, second] = await read(place);
    const behind = (after: string | null, name: string) =>
      Array.from({ length: 200 }, (_, at) => ({
        ...{ after, text: `${name} ${at}`, speaker: null, time_start: 1, time_end: 2 },
      }));
    const changes = [
      ...behind(null, 'before'),
      ...behind(first!.id, 'between'),
      { id: second!.id, remove: true as const },
      ...behind(second!.id, 'removed'),
    ];
    const { length: before } = statements;
    await writer.write(place, { changes }, { ifMatch: null });
    expect(statements.length - before).toBeLessThan(40);
    const names = (name: string) => behind(null, name).map(({ text }) => text);
    const order = [...names('before'), said[0]!.text, ...names('between'), ...names('removed'), said[2]!.text];
    expect(await texts(place)).toEqual(order);
    await writer.write(place, { changes: behind(first!.id, 'again') }, { ifMatch: null });
    expect(await texts(place)).toEqual(order.toSpliced(201, 0, ...names('again')));
    const [{ longest }] = await database.dataSource.query<[{ longest: number }]>(
      'SELECT max(length(position::text)) AS longest FROM transcript_paragraphs WHERE variant_id = $1',
      [place.variantId],
    );
    expect(longest).toBeLessThan(40);
  });

  describe('puts any number of paragraphs into one place', () => {
    const behind = (after: string | null, text: string, count: number): VersionChange[] =>
      Array.from({ length: count }, () => ({ after, text, speaker: null, time_start: 1, time_end: 2 }));
    /** As after so many paragraphs that were put behind the first one: each halved the room there. */
    const crowd = (place: WritePlace, times: number): Promise<unknown> => {
      const fraction = (5n ** BigInt(times)).toString().padStart(times, '0');
      return database.dataSource.query(
        'UPDATE transcript_paragraphs SET position = $2 WHERE variant_id = $1 AND position = 2',
        [place.variantId, `1.${fraction}`],
      );
    };
    const longest = async ({ variantId }: WritePlace): Promise<number> => {
      const [found] = await database.dataSource.query<[{ longest: number }]>(
        'SELECT max(length(position::text)) AS longest FROM transcript_paragraphs WHERE variant_id = $1',
        [variantId],
      );
      return found.longest;
    };

    it('where another build left no room in an entry of the index', async () => {
      const place = await transcribed(said);
      const [first] = await read(place);
      await crowd(place, 5_320);
      await database.dataSource.manager.update(TranscriptVariantEntity, { id: place.variantId }, { bytes: null });
      const order = said.map(({ text }) => text);
      for (let at = 0; at < 30; at += 1) {
        await writer.write(place, { changes: behind(first!.id, `Satz ${at}.`, 1) }, { ifMatch: null });
        order.splice(1, 0, `Satz ${at}.`);
      }
      expect(await texts(place)).toEqual(order);
      expect(await longest(place)).toBeLessThan(100);
      expect(await bytesOf(place)).toBe(await summed(place));
    });

    it('in their order, wherever they go, in every version', async () => {
      const anywhere = fc.array(fc.nat(100), { minLength: 8, maxLength: 12 });
      const sequences = {
        'at one place': anywhere.map((all) => all.map(() => 0)),
        'at two by turns': anywhere.map((all) => all.map((_, turn) => turn % 2)),
        'in the middle of what was put last': anywhere.map((all) => all.map((_, turn) => turn % 3)),
        anywhere,
      };
      for (const [name, sequence] of Object.entries(sequences)) {
        let renumbered = 0;
        await fc.assert(
          fc.asyncProperty(sequence, fc.integer({ min: 1, max: 6 }), async (places, count) => {
            const place = await transcribed(said);
            await crowd(place, 497);
            const [, removed] = await read(place);
            let order = said.map(({ text }) => text);
            const versions = [order];
            const change = async (changes: VersionChange[]): Promise<void> => {
              const before = await longest(place);
              await writer.write(place, { changes }, { ifMatch: null });
              if ((await longest(place)) < before) renumbered += 1;
              versions.push(order);
            };
            for (const [turn, at] of places.entries()) {
              const shown = await read(place);
              const { id } = shown[at % shown.length]!;
              const text = `${turn}`;
              order = order.toSpliced((at % shown.length) + 1, 0, ...Array.from({ length: count }, () => text));
              await change(behind(id, text, count));
            }
            order = order.filter((text) => text !== removed!.text);
            await change([{ id: removed!.id, remove: true }]);
            for (const [index, texted] of versions.entries()) expect(await texts(place, index + 1)).toEqual(texted);
            expect(await longest(place)).toBeLessThanOrEqual(500);
          }),
          { numRuns: 1 },
        );
        expect([name, renumbered > 0]).toEqual([name, name !== 'anywhere' || renumbered > 0]);
      }
    });
  });

  it('refuses what would overwrite what somebody changed since, and keeps what was changed elsewhere', async () => {
    const place = await transcribed(said);
    const [first, second, third] = await read(place);
    await edit(place, first!, 'Guten Tag.');
    await expect(edit(place, first!, 'Servus.')).rejects.toMatchObject({ code: 'CONFLICT' });
    await edit(place, second!, 'Willkommen zu Hause.');
    const save = (changes: object[]) =>
      writer.write(place, { base_version: 1, changes: changes as never }, { ifMatch: null });
    await expect(
      save([
        { id: third!.id, text: 'x' },
        { id: first!.id, text: 'y' },
      ]),
    ).rejects.toMatchObject({
      code: 'CONFLICT',
      options: { errors: [{ pointer: '/changes/1', code: 'changed_since' }] },
    });
    await save([{ id: third!.id, remove: true }]);
    await expect(save([{ id: third!.id, text: 'x' }])).rejects.toMatchObject({
      options: { errors: [{ code: 'removed_since' }] },
    });
    expect(await texts(place)).toEqual(['Guten Tag.', 'Willkommen zu Hause.']);
  });

  it('aligns the words of a version before it holds up other writers, and anew where one of them was faster', async () => {
    const long = (mark: string) => Array.from({ length: 2_000 }, (_, at) => `${mark}${at % 7}`).join(' ');
    const place = await transcribed([
      { text: 'Guten Abend.', start: 0, end: 9 },
      ...Array.from({ length: 12 }, (_, at) => ({ text: long('a'), start: 10 * at, end: 10 * at + 9 })),
    ]);
    const [first, ...others] = await read(place);
    const begun = statements.length;
    let isWritten = false;
    const changes = [first!, ...others].map(({ id }, at) => ({ id, text: at === 0 ? 'Guten Morgen.' : long('b') }));
    const version = writer.write(place, { changes }, { ifMatch: null }).then((row) => {
      isWritten = true;
      return row;
    });
    expect(await edit(place, first!, 'Guten Tag, alle.')).toMatchObject({ revision: 2 });
    expect([isWritten, statements.length > begun]).toEqual([false, true]);
    expect((await version).version).toBe(3);
    const now = await read(place);
    expect(now.map(({ text }) => text)).toEqual(changes.map(({ text }) => text));
    expect(now[0]!.words.map(({ text }) => text)).toEqual(['Guten', 'Morgen.']);
    expect(now.slice(1).every(({ words }) => words.length === 2_000)).toBe(true);
  });

  it('puts new paragraphs where they are wanted, and shows what lies between two versions', async () => {
    const place = await transcribed(said);
    const [first, second] = await read(place);
    const between = (text: string, after: string | null) => ({
      after,
      text,
      speaker: null,
      time_start: 1.5,
      time_end: 2,
    });
    const changes = [
      between('b', first!.id),
      between('c', first!.id),
      between('a', null),
      { id: second!.id, text: 'Willkommen in Wien.' },
    ];
    const version = await writer.write(place, { changes }, { ifMatch: null });
    expect(version).toMatchObject({ version: 2, paragraphs: 6 });
    expect(await texts(place)).toEqual(['a', 'Guten Abend.', 'b', 'c', 'Willkommen in Wien.', 'Danke.']);
    const from = await reader.version(workspaceId, place.transcriptId, place.variantId, 1);
    const { total, differences } = await reader.differences(from, version, { offset: 0, limit: 10 });
    expect(total).toBe(4);
    expect(
      differences.map(({ kind, words }) => [kind, words.map((word) => `${word.kind} ${word.text}`).join(', ')]),
    ).toEqual([
      ['added', 'added a'],
      ['added', 'added b'],
      ['added', 'added c'],
      ['changed', 'same Willkommen, removed daheim., added in, added Wien.'],
    ]);
    const back = await reader.differences({ ...from, version }, from.version, { offset: 0, limit: 1 });
    expect([back.total, back.differences[0]]).toMatchObject([
      4,
      { kind: 'removed', after: null, before: { text: 'a' } },
    ]);
  });

  it('brings back what was, and forgets a version with what no other has', async () => {
    const place = await transcribed(said);
    for (const text of ['zwei', 'drei', 'vier']) await edit(place, (await read(place))[0]!, text);
    const restored = await writer.write(place, { restore_version: 1, changes: [] }, { ifMatch: null });
    expect(restored).toMatchObject({ version: 5, restored: 1, paragraphs: 3 });
    expect(await texts(place)).toEqual(await texts(place, 1));
    await writer.remove(place, '3');
    await expect(read(place, 3)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect([(await texts(place, 2))[0], (await texts(place, 4))[0]]).toEqual(['zwei', 'vier']);
    const left = await database.dataSource.query(
      'SELECT 1 FROM transcript_paragraphs WHERE variant_id = $1 AND text = $2',
      [place.variantId, 'drei'],
    );
    expect(left).toEqual([]);
    await writer.remove(place, '5');
    expect((await texts(place))[0]).toBe('vier');
    expect(await edit(place, (await read(place))[0]!, 'sechs')).toMatchObject({ revision: 6 });
    for (const version of ['1', '2', '4']) await writer.remove(place, version);
    await expect(writer.remove(place, '6')).rejects.toMatchObject({ code: 'CONFLICT' });
    expect(await texts(place)).toEqual(['sechs', 'Willkommen daheim.', 'Danke.']);
  });

  it('takes no more than 100,000 versions, and any of them can be forgotten', async () => {
    const place = await transcribed(said);
    const { manager } = database.dataSource;
    await manager.query(
      `INSERT INTO transcript_versions (variant_id, version, id, job_id, paragraphs, author)
       SELECT v.variant_id, n, gen_random_uuid(), v.job_id, v.paragraphs, v.author
         FROM transcript_versions v, generate_series(2, 100000) n WHERE v.variant_id = $1 AND v.version = 1`,
      [place.variantId],
    );
    const full = { latestVersion: 100_000, lastNumber: 100_000 };
    await manager.update(TranscriptVariantEntity, { id: place.variantId }, full);
    const [first] = await read(place);
    const refusal = { code: 'CONFLICT', message: 'A variant takes 100000 versions; copy it to go on.' };
    await expect(edit(place, { ...first!, revision: 100_000 }, 'Guten Tag.')).rejects.toMatchObject(refusal);
    for (const version of ['1', '50000', '100000']) await writer.remove(place, version);
    expect(await texts(place)).toEqual(said.map(({ text }) => text));
    const { version } = await reader.version(place.workspaceId, place.transcriptId, place.variantId);
    expect(version.version).toBe(99_999);
    // Numbers are not used twice.
    await expect(edit(place, { ...first!, revision: 99_999 }, 'Guten Tag.')).rejects.toMatchObject(refusal);
  }, 120_000);

  it(`writes one row more for an edit of ${MANY} paragraphs, and reads a page`, async () => {
    const many = Array.from({ length: MANY }, (_, at) => ({ text: `Satz ${at}.`, start: at, end: at + 0.5 }));
    const place = await transcribed(many);
    const before = await rows();
    const at = await reader.version(workspaceId, place.transcriptId, place.variantId);
    const { total, paragraphs } = await reader.paragraphs(at, { offset: 1_000, limit: 3 });
    expect([total, paragraphs.map(({ index, text }) => [index, text])]).toEqual([
      MANY,
      [1_000, 1_001, 1_002].map((index) => [index, `Satz ${index}.`]),
    ]);
    const { length: begun } = statements;
    expect(await edit(place, paragraphs[1]!, 'Ein anderer Satz.')).toMatchObject({ index: 1_001 });
    expect(statements.length - begun).toBeLessThan(8);
    expect(await rows()).toBe(before + 1);
    const now = await reader.version(workspaceId, place.transcriptId, place.variantId);
    const { total: hits, paragraphs: found } = await reader.paragraphs(now, {
      offset: 0,
      limit: 10,
      search: 'ANDERER',
    });
    expect([hits, found[0]]).toMatchObject([1, { index: 1_001 }]);
  });

  /** @hardening overload: A page of long paragraphs takes hundreds of megabytes */
  it('is read in smaller pages where its paragraphs are long', async () => {
    const long = 'x'.repeat(10_000);
    const place = await transcribed(
      Array.from({ length: 260 }, (_, at) => ({ text: at < 2 ? long.repeat(120) : long, start: at, end: at + 1 })),
    );
    const at = await reader.version(workspaceId, place.transcriptId, place.variantId);
    const sizes: number[] = [];
    for (let offset = 0; offset < 260;) {
      const { limit, paragraphs } = await reader.paragraphs(at, { offset, limit: 1_000, search: 'x' });
      if (offset + paragraphs.length < 260) expect(limit).toBe(paragraphs.length);
      expect((await reader.paragraphs(at, { offset, limit })).paragraphs.map(({ index }) => index)).toEqual(
        paragraphs.map(({ index }) => index),
      );
      sizes.push(paragraphs.length);
      offset += paragraphs.length;
    }
    // One that is longer than any page is a page of its own.
    expect(sizes).toEqual([1, 1, 100, 100, 58]);
    let spoken = 0;
    for await (const { text } of reader.spoken(at, () => Promise.resolve())) spoken += text.length > 0 ? 1 : 0;
    expect(spoken).toBe(260);
  });

  describe('knows the bytes of its paragraphs', () => {
    const save = (place: WritePlace, changes: VersionChange[]) => writer.write(place, { changes }, { ifMatch: null });
    const restore = (place: WritePlace, version: number) =>
      writer.write(place, { restore_version: version, changes: [] }, { ifMatch: null });
    const behind = (after: string | null, text: string, count = 1): VersionChange[] =>
      Array.from({ length: count }, () => ({ after, text, speaker: null, time_start: 1, time_end: 2 }));
    const copied = async (place: WritePlace): Promise<WritePlace> => {
      const order = { id: randomUUID(), author: 'spec', ...BOUNDS, mostBytes: place.mostBytes };
      const request = { language: 'fr', mode: 'copy' as const, variant_id: place.variantId };
      const variant = await made.createVariant(workspaceId, place.transcriptId, request, order);
      return { ...place, variantId: variant.id };
    };
    /** Everything there is of a variant. */
    const stored = async ({ variantId }: WritePlace): Promise<unknown> =>
      Promise.all(
        ['variants t WHERE id', 'versions t WHERE variant_id', 'paragraphs t WHERE variant_id'].map((rows) =>
          database.dataSource.query(`SELECT to_jsonb(t) AS row FROM transcript_${rows} = $1 ORDER BY 1`, [variantId]),
        ),
      );
    const full = (most: number): object => ({
      code: 'CONFLICT',
      message:
        `A variant of a transcript holds at most ${most} bytes in all its versions; ` +
        'delete older versions, or make a new variant.',
      options: { errors: [{ code: 'too_many' }] },
    });

    const chargedOf = async ({ transcriptId: id }: WritePlace): Promise<number> =>
      Number((await database.dataSource.manager.findOneByOrFail(TranscriptEntity, { id })).bytes);

    it('after whatever is done to it', async () => {
      const at = fc.nat(1_000);
      const text = fc.oneof(fc.constant(''), fc.string({ unit: 'grapheme', maxLength: 40 }), fc.lorem());
      const step = fc.oneof(
        fc.record({
          kind: fc.constant('edit' as const),
          at,
          text,
          speaker: fc.option(fc.string({ unit: 'grapheme' })),
        }),
        fc.record({ kind: fc.constant('change' as const), at, text, count: fc.integer({ min: 1, max: 4 }) }),
        fc.record({ kind: fc.constantFrom('restore' as const, 'forget' as const, 'copy' as const), at }),
      );
      const done = new Set<string>();
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 20 }), async (steps) => {
          const variants = [await transcribed(said)];
          for (const one of steps) {
            const place = variants[one.at % variants.length]!;
            const paragraphs = await read(place);
            const chosen = paragraphs[one.at % paragraphs.length];
            const { rows: versions } = await reader.versions(place.variantId, { offset: 0, limit: 100 });
            const { version } = versions[one.at % versions.length]!;
            if (one.kind === 'edit') {
              if (chosen === undefined) continue;
              const seen = { id: chosen.id, base: String(versions[0]!.version), ifMatch: null };
              // Times that JSON writes as 1e-7.
              await writer.editParagraph(place, seen, { text: one.text, speaker: one.speaker, time_start: 1e-7 });
            } else if (one.kind === 'change') {
              const removed = chosen === undefined ? [] : [{ id: chosen.id, remove: true as const }];
              await save(place, [...removed, ...behind(chosen?.id ?? null, one.text, one.count)]);
            } else if (one.kind === 'restore') await restore(place, version);
            else if (one.kind === 'copy') variants.push(await copied(place));
            else if (versions.length > 1) await writer.remove(place, String(version));
            else continue;
            done.add(one.kind);
            let bytes = 0;
            for (const variant of variants) {
              expect(await bytesOf(variant)).toBe(await summed(variant));
              bytes += await bytesOf(variant);
            }
            expect(await chargedOf(variants[0]!)).toBe(bytes);
          }
          const [original, ...copies] = variants;
          for (const { transcriptId, variantId } of copies) {
            await writer.removeVariant(workspaceId, transcriptId, variantId);
          }
          if (copies.length > 0) expect(await chargedOf(original!)).toBe(await bytesOf(original!));
        }),
        { numRuns: 30 },
      );
      expect([...done].sort()).toEqual(['change', 'copy', 'edit', 'forget', 'restore']);
    });

    it('and takes no more than there is room for, until a version is deleted', async () => {
      const place = await transcribed(said);
      const [first, second] = await read(place);
      for (const text of ['eins', 'zwei']) await edit(place, (await read(place))[0]!, text);
      const tight = { ...place, mostBytes: (await bytesOf(place)) + 300 };
      const before = await stored(place);
      const beyond: (() => Promise<unknown>)[] = [
        () => edit(tight, { ...first!, revision: 3 }, 'Guten Tag.'),
        () => save(tight, [{ id: second!.id, text: 'Willkommen zu Hause.' }]),
        () => save(tight, behind(null, 'Noch einer.')),
        // Of two, the first would fit.
        () => save(tight, [...behind(null, ''), ...behind(first!.id, '')]),
        () => restore(tight, 1),
      ];
      for (const write of beyond) {
        await expect(write()).rejects.toMatchObject(full(tight.mostBytes));
        expect(await stored(place)).toEqual(before);
      }
      await writer.remove(tight, '2');
      expect(await edit(tight, { ...first!, revision: 3 }, 'drei')).toMatchObject({ revision: 4, text: 'drei' });
      expect(await bytesOf(place)).toBe(await summed(place));
      // A variant of its own has the newest version alone.
      expect(await bytesOf(await copied(tight))).toBeLessThan((await bytesOf(place)) - 256);
      // What adds nothing needs no room.
      expect(await save({ ...place, mostBytes: 1 }, [{ id: second!.id, remove: true }])).toMatchObject({
        paragraphs: 2,
      });
      expect(await restore({ ...place, mostBytes: 1 }, 5)).toMatchObject({ paragraphs: 2 });
    });

    it('of two writers that have room for one', async () => {
      const place = await transcribed(said);
      const paragraphs = await read(place);
      const tight = { ...place, mostBytes: (await bytesOf(place)) + 600 };
      const written = await Promise.allSettled(
        Array.from({ length: 8 }, (_, at) => edit(tight, paragraphs[at % 3]!, `Nummer ${at}.`)),
      );
      const refused = written.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []));
      expect(refused).toHaveLength(7);
      expect(await bytesOf(place)).toBe(await summed(place));
      expect(await bytesOf(place)).toBeLessThanOrEqual(tight.mostBytes);
      expect(refused.filter(({ options }) => options.errors[0].code === 'too_many')).not.toEqual([]);
    });

    it('of none that would begin with more', async () => {
      const jobId = await heardJob(database.dataSource.manager, workspaceId, said);
      const id = randomUUID();
      const order = { id, author: 'spec', most: 1_000, ...BOUNDS, mostBytes: 1_000 };
      const refusal = { code: 'CONFLICT', options: { errors: [{ code: 'too_many' }] } };
      const before = await rows();
      await expect(made.create(workspaceId, { job_id: jobId }, order)).rejects.toMatchObject(refusal);
      await expect(reader.transcript(workspaceId, id)).rejects.toMatchObject({ code: 'NOT_FOUND' });
      await expect(copied({ ...(await transcribed(said)), mostBytes: 1_000 })).rejects.toMatchObject(refusal);
      expect(await rows()).toBe(before + said.length);
    });

    it('also of what a build made that counts none', async () => {
      const place = await transcribed(said);
      await edit(place, (await read(place))[0]!, 'Guten Tag.');
      await database.dataSource.manager.update(TranscriptVariantEntity, { id: place.variantId }, { bytes: null });
      const tight = { ...place, mostBytes: await summed(place) };
      await expect(edit(tight, (await read(place))[0]!, 'Servus.')).rejects.toMatchObject(full(tight.mostBytes));
      await edit(place, (await read(place))[0]!, 'Servus.');
      expect(await bytesOf(place)).toBe(await summed(place));
      // It forgets what is not in the number.
      await database.dataSource.manager.update(TranscriptVariantEntity, { id: place.variantId }, { bytes: '1' });
      await writer.remove(place, '3');
      expect(await bytesOf(place)).toBe(0);
    });
  });

  describe('charges the workspace', () => {
    const change = { after: null, text: 'Noch einer.', speaker: null, time_start: 1, time_end: 2 };
    const save = (place: WritePlace) => writer.write(place, { changes: [change] }, { ifMatch: null });
    const used = async ({ workspaceId: id }: WritePlace): Promise<number> =>
      (await storageUsed(database.dataSource.manager, [id])).get(id) ?? 0;
    const copied = async (place: WritePlace): Promise<WritePlace> => {
      const request = { language: 'fr', mode: 'copy' as const };
      const order = { ...place, id: randomUUID() };
      const { id } = await made.createVariant(place.workspaceId, place.transcriptId, request, order);
      return { ...place, variantId: id };
    };
    const alone = async (): Promise<WritePlace> =>
      transcribed(said, { workspaceId: await workspace(database.dataSource.manager) });
    /** Whatever takes more of it, by people whose room ends there. */
    const takers = (place: WritePlace): (() => Promise<unknown>)[] => [
      async () => edit(place, (await read(place))[0]!, 'Guten Tag.'),
      () => save(place),
      () => writer.write(place, { restore_version: 1, changes: [] }, { ifMatch: null }),
      () => copied(place),
      () => transcribed(said, place),
    ];

    it('for all that its transcripts hold, until it is deleted', async () => {
      const place = await alone();
      const first = await bytesOf(place);
      expect(await used(place)).toBe(first);
      const other = await transcribed(said, place);
      const copy = await copied(place);
      await save(copy);
      expect(await used(place)).toBe(first + (await bytesOf(other)) + (await bytesOf(copy)));
      await writer.remove(copy, '2');
      expect(await used(place)).toBe(first + (await bytesOf(other)) + (await bytesOf(copy)));
      await writer.removeVariant(place.workspaceId, copy.transcriptId, copy.variantId);
      expect(await used(place)).toBe(first + (await bytesOf(other)));
      const { manager } = database.dataSource;
      await manager.update(TranscriptEntity, { id: other.transcriptId }, { timeDeleted: new Date() });
      expect(await used(place)).toBe(first);
      // Made by a build that sums up nothing.
      await manager.update(TranscriptEntity, { id: place.transcriptId }, { bytes: null });
      expect(await used(place)).toBe(first);
    });

    it.each([
      ['its transcripts may hold', 'workspaceBytes', 'CONFLICT', 'too_many'],
      ['its files and transcripts may have', 'storageBytes', 'STORAGE_FULL', 'storage_full'],
    ] as const)('up to what %s', async (_, bound, code, reason) => {
      const place = await alone();
      await edit(place, (await read(place))[1]!, 'Willkommen zu Hause.');
      const before = await used(place);
      const full = { ...place, [bound]: before + 200 };
      for (const take of takers(full)) {
        await expect(take()).rejects.toMatchObject({ code, options: { errors: [{ code: reason }] } });
        expect(await used(place)).toBe(before);
      }
      // What takes nothing is saved, and what is deleted makes room.
      const { id } = (await read(place))[2]!;
      await writer.write({ ...full, [bound]: 1 }, { changes: [{ id, remove: true }] }, { ifMatch: null });
      await writer.remove(full, '1');
      await edit(full, { ...(await read(place))[0]!, revision: 3 }, 'Servus.');
    });

    it('up to a number of its own', async () => {
      const place = await alone();
      const storageBytes = String((await used(place)) + 200);
      await database.dataSource.manager.update(WorkspaceEntity, { id: place.workspaceId }, { storageBytes });
      await expect(save(place)).rejects.toMatchObject({
        code: 'STORAGE_FULL',
        message: `The files and transcripts of this workspace may have ${storageBytes} bytes together; 200 are left.`,
      });
    });

    it('of several that have room for one, in transcripts of their own', async () => {
      const one = await alone();
      const places = [one, await transcribed(said, one), await copied(one), await transcribed(said, one)];
      const workspaceBytes = (await used(one)) + 500;
      const written = await Promise.allSettled(places.map((place) => save({ ...place, workspaceBytes })));
      expect(written.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      expect(await used(one)).toBeLessThanOrEqual(workspaceBytes);
    });
  });

  it('tells of what somebody asks for alone, many by one statement', async () => {
    const place = await transcribed(said);
    const paragraphs = await read(place);
    const told = async (mark: string): Promise<number> => {
      const { length: before } = statements;
      const changes = paragraphs.map(({ id, text }) => ({ id, text: `${text} ${mark}` }));
      await writer.write(place, { changes }, { ifMatch: null });
      return statements.slice(before).filter((statement) => String(statement).includes('INTO outbox')).length;
    };
    expect(await told('eins')).toBe(0);
    const { manager } = database.dataSource;
    const event = 'svc.transcript.variant.version.paragraph.on_updated';
    const webhook = { id: randomUUID(), workspaceId, event, url: 'https://example.org/adit', secret: 's' };
    await manager.insert(WebhookEntity, webhook);
    expect(await told('zwei')).toBe(1);
    await manager.update(WebhookEntity, { id: webhook.id }, { enabled: false });
    expect(await told('drei')).toBe(0);
  });

  it('is made of one source, with the translation of the job as a variant', async () => {
    const heard = [
      { text: 'Hallo.', start: 0, end: 1, source: 1, speaker: 'Ada' },
      { text: 'Guten Abend.', start: 1.1, end: 3, source: 1, speaker: 'Bob' },
      { text: 'Hello. Good', start: 0, end: 1.5, source: 1, type: 'translation' },
      { text: 'evening.', start: 1.5, end: 3, source: 1, type: 'translation' },
      { text: 'Bye.', start: 4, end: 5, source: 1, type: 'translation' },
      { text: 'Andere.', start: 0, end: 1 },
      { text: '', start: 0, end: 1, type: 'silence' },
    ];
    const jobId = await heardJob(database.dataSource.manager, workspaceId, heard, ['storage://a', 'storage://b']);
    const order = { id: randomUUID(), author: 'spec', most: 1_000, ...BOUNDS };
    await expect(made.create(workspaceId, { job_id: jobId }, order)).rejects.toMatchObject({ code: 'VALIDATION' });
    await made.create(workspaceId, { job_id: jobId, source: 'storage://b' }, order);
    const { rows: variants } = await reader.variants(order.id, { offset: 0, limit: 10 });
    expect(variants.map(({ name, language }) => [name, language])).toEqual([
      ['original', 'de'],
      ['translation', 'en'],
    ]);
    const place = {
      workspaceId,
      transcriptId: order.id,
      variantId: variants[1]!.id,
      author: 'spec',
      ...BOUNDS,
    };
    expect((await read(place)).map(({ text, speaker }) => [text, speaker])).toEqual([
      ['Hello. Good', 'Ada'],
      ['evening.', 'Bob'],
      ['Bye.', null],
    ]);
    const request = { language: 'fr', mode: 'translate' as const };
    await expect(
      made.createVariant(workspaceId, order.id, request, { ...order, id: randomUUID() }),
    ).rejects.toMatchObject({
      code: 'VALIDATION',
      options: { errors: [{ code: 'model_not_installed' }] },
    });
    const copied = { ...request, mode: 'copy' as const };
    const { id: variantId } = await made.createVariant(workspaceId, order.id, copied, { ...order, id: randomUUID() });
    expect(await texts({ ...place, variantId })).toEqual(['Hallo.', 'Guten Abend.']);
  });
}

describe('transcripts in an embedded database', () => {
  behaviour(() => openDatabase({ driver: 'pglite', directory: null }), { isShared: false });
});

await describeWith('postgres', 'transcripts in PostgreSQL', ({ postgres }) => {
  let fresh: FreshDatabase;
  const open = async (): Promise<Database> => {
    fresh = await freshDatabase(postgres.url);
    return openDatabase({ driver: 'postgres', url: fresh.url });
  };
  behaviour(open, { isShared: true });
  afterAll(() => fresh?.drop());
});
