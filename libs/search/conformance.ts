import { randomUUID } from 'node:crypto';
import { columns, inTransaction, JobEntity, openDatabase, SearchFeedEntity, type Database } from '@adit/database';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { FindableText } from '@adit/module-kit';
import { parseQuery } from './query/parse.js';
import type { FoundDocument, IndexedJob, Question, SearchDocument, SearchFilter, SearchIndex } from './port.js';
import { SEARCH_VERSION } from './version.js';

type Settings = Parameters<typeof openDatabase>[0];

/** A document in short. */
interface Short {
  who?: string;
  what?: string;
  said?: string;
  written?: string;
  where?: string;
  language?: string;
  at?: number;
  /** Seconds; default 1. */
  lasts?: number;
  source?: number;
  module?: string;
  moment?: Date;
  place?: SearchDocument['place'];
}

interface Asked extends SearchFilter {
  fuzzy?: boolean;
  together?: number;
  workspace?: string;
}

/**
 * Conformance tests of every search index, beside a database that has jobs. `fuzzy` says whether parts of words and
 * misspelt words have to be found; without it whatever the index says of itself holds.
 */
export function searchIndexConformance(
  name: string,
  settings: () => Promise<Settings>,
  open: (database: Database) => SearchIndex,
  { fuzzy }: { fuzzy?: boolean } = {},
): void {
  describe(`a search index: ${name}`, () => {
    let database: Database;
    let index: SearchIndex;
    let isFuzzy: boolean;

    beforeAll(async () => {
      database = await openDatabase(await settings());
      index = open(database);
      isFuzzy = fuzzy ?? (await index.isFuzzy());
    }, 120_000);
    afterAll(() => database?.close());

    const newJob = async (workspaceId: string, more: Partial<JobEntity> = {}): Promise<IndexedJob> => {
      const id = randomUUID();
      const timeCreated = new Date('2026-11-21T07:00:00Z');
      const usual = { tag: '', batchId: null, priority: 5, rank: 4, mediaType: 'video' as const, timeCreated };
      const job = { id, workspaceId, state: 'completed' as const, ...usual, ...more };
      await database.dataSource.manager.insert(JobEntity, columns<JobEntity>(job));
      const languages = ['de', 'en', 'fr'];
      const feed = { id, workspaceId, state: 'done' as const, version: SEARCH_VERSION, languages };
      await database.dataSource.manager.insert(SearchFeedEntity, feed);
      return { id, workspaceId, batchId: job.batchId, tag: job.tag, timeCreated: job.timeCreated, round: 0 };
    };
    const write = (job: IndexedJob, documents: SearchDocument[], segments?: { from: number; to: number }) =>
      inTransaction(database.dataSource, (manager) => index.replace(manager, job, documents, segments));
    /** A workspace with a job of these. */
    const archive = async (...found: Short[]) => {
      const workspaceId = randomUUID();
      const job = await newJob(workspaceId);
      await write(job, found.map(document));
      return { workspaceId, job };
    };
    const asked = (workspaceId: string, question: string, more: Asked = {}): Question => {
      const { fuzzy = true, together = null, ...filter } = more;
      return { workspaceId, query: parseQuery(question, { parameter: 'q' }), filter, fuzzy, together };
    };
    /** Numbers of the segments, in order. */
    const find = async (workspaceId: string, question: string, more: Asked = {}) => {
      const { documents } = await index.find(asked(workspaceId, question, more), { after: null, limit: 100 });
      return documents.map(({ key }) => key.seq);
    };
    const numbers = async (...of: Parameters<typeof find>) => (await find(...of)).toSorted();

    it('finds things together by a rare one among many, and by none that is rare', async () => {
      const workspaceId = randomUUID();
      const job = await newJob(workspaceId);
      const other = await newJob(workspaceId);
      const common = (at: number) => ({ what: 'car', at: 100 * at });
      await write(job, [
        ...Array.from({ length: 250 }, (_, at) => document(common(at), at)),
        document({ said: 'budget', at: 502 }, 250),
      ]);
      await write(
        other,
        Array.from({ length: 250 }, (_, at) => document({ said: 'good evening', at: 100 * at + 3 }, at)),
      );
      expect(await numbers(workspaceId, 'what:car said:budget', { together: 5 })).toEqual([5, 250].toSorted());
      expect(await numbers(workspaceId, 'said:budget what:car NOT evening', { together: 5 })).toEqual(
        [5, 250].toSorted(),
      );
      expect(await find(workspaceId, 'what:car said:evening', { together: 5 })).toEqual([]);
      expect(await find(workspaceId, 'car budget nothing', { together: 5, fuzzy: false })).toEqual([]);
      const more = Array.from({ length: 250 }, (_, at) => document({ said: 'evening', at: 100 * at + 4 }, 251 + at));
      await write(job, more);
      const { total } = await index.count(asked(workspaceId, 'what:car said:evening', { together: 5 }));
      expect(total).toBe(500);
    });

    it('matches documents by themselves as it finds them among all', async () => {
      const { workspaceId, job } = await archive(
        { said: 'Die Häuser am Krankenhaus', language: 'de', at: 1 },
        { said: 'The budgets were cut', language: 'en', who: 'Anna', at: 5 },
        { what: 'red car', at: 6 },
        { written: 'Schwarzenegger', at: 60, module: 'captions', place: { latitude: 49, longitude: 8 } },
      );
      const documents = [
        document({ said: 'Die Häuser am Krankenhaus', language: 'de', at: 1 }, 0),
        document({ said: 'The budgets were cut', language: 'en', who: 'Anna', at: 5 }, 1),
        document({ what: 'red car', at: 6 }, 2),
        document({ written: 'Schwarzenegger', at: 60, module: 'captions', place: { latitude: 49, longitude: 8 } }, 3),
      ];
      // More than one statement asks.
      const questions = [
        ...[asked(workspaceId, 'haus'), asked(workspaceId, 'haus', { fuzzy: false }), asked(workspaceId, 'who:anna')],
        ...[asked(workspaceId, 'schwarzeneger'), asked(workspaceId, 'budget NOT anna'), asked(workspaceId, 'budget')],
        ...[asked(workspaceId, 'car who:anna', { together: 2 }), asked(workspaceId, 'car haus', { together: 2 })],
        asked(workspaceId, 'schwarzenegger', { box: { south: 50, west: 0, north: 51, east: 9 } }),
        { ...asked(workspaceId, 'car'), query: null, filter: { moduleIds: ['captions'] } },
        ...[asked(workspaceId, 'car', { tag: 'other' }), asked(randomUUID(), 'car')],
        ...Array<Question>(12).fill(asked(workspaceId, '"red car"')),
      ];
      const matched = await inTransaction(database.dataSource, (manager) =>
        index.match(manager, job, { documents, questions, languages: [] }),
      );
      const expected: unknown[] = [];
      for (const [at, question] of questions.entries()) {
        const { documents: found } = await index.find(question, { after: null, limit: 100 });
        const seqs = found.map(({ key, isExact }) => ({ question: at, document: key.seq, isExact }));
        expected.push(...seqs.toSorted((a, b) => Number(a.document) - Number(b.document)));
      }
      expect(matched).toEqual({ found: expected, tooLong: [] });
      expect(matched.found.length).toBeGreaterThan(18);
      const none = { documents, questions: [], languages: [] };
      expect(await inTransaction(database.dataSource, (manager) => index.match(manager, job, none))).toEqual({
        ...{ found: [], tooLong: [] },
      });
    });

    it('matches what is together with something in another language of the job', async () => {
      const { workspaceId, job } = await archive(
        { said: 'two budgets', language: 'en', at: 1 },
        { said: 'Die Häuser', language: 'de', at: 2 },
      );
      const matching = {
        documents: [document({ said: 'Die Häuser', language: 'de', at: 2 }, 1)],
        questions: [asked(workspaceId, 'budget haus', { together: 2, fuzzy: false })],
        languages: ['de', 'en'],
      };
      const matched = await inTransaction(database.dataSource, (manager) => index.match(manager, job, matching));
      expect(matched.found).toEqual([{ question: 0, document: 0, isExact: true }]);
    });

    it('finds words in any field, or in the one that is named', async () => {
      const { workspaceId } = await archive(
        { who: 'Anna Weber' },
        { what: 'anna hummingbird', language: 'en' },
        { said: 'Anna ist hier', language: 'de', who: 'Speaker 1' },
        { written: 'Anna' },
        { where: 'Anna Amalia Library, Weimar' },
      );
      expect(await numbers(workspaceId, 'anna')).toEqual([0, 1, 2, 3, 4]);
      for (const [at, field] of ['who', 'what', 'said', 'written', 'where'].entries()) {
        expect(await find(workspaceId, `${field}:anna`)).toEqual([at]);
      }
      expect(await find(workspaceId, 'who:"speaker 1" said:anna')).toEqual([2]);
    });

    it('joins words by AND, OR and NOT, in parentheses', async () => {
      const { workspaceId } = await archive(
        { said: 'red car' },
        { said: 'blue car' },
        { said: 'red bus' },
        { said: 'green bike' },
      );
      expect(await numbers(workspaceId, 'red car')).toEqual([0]);
      expect(await numbers(workspaceId, 'red OR car')).toEqual([0, 1, 2]);
      expect(await numbers(workspaceId, 'car NOT red')).toEqual([1]);
      expect(await numbers(workspaceId, '(red OR green) AND NOT (car OR bike)')).toEqual([2]);
      expect(await numbers(workspaceId, 'red (car OR bus) NOT bus')).toEqual([0]);
    });

    it('finds phrases as they are, and stop words in them', async () => {
      const { workspaceId } = await archive(
        { said: 'To be or not to be', language: 'en' },
        { said: 'not to be seen', language: 'en' },
        { said: 'evening good', language: 'en' },
        { said: 'a good evening', language: 'en', who: 'Anna' },
      );
      expect(await numbers(workspaceId, '"to be or not"')).toEqual([0]);
      expect(await numbers(workspaceId, '"not to be"')).toEqual([0, 1]);
      expect(await numbers(workspaceId, '"good evening"')).toEqual([3]);
      // No phrase goes from one text into another.
      expect(await numbers(workspaceId, '"evening anna"')).toEqual([]);
    });

    it('finds inflections by language, unless they are quoted', async () => {
      const { workspaceId } = await archive(
        { said: 'Die Häuser stehen leer', language: 'de' },
        { said: 'The budgets were cut', language: 'en' },
        { said: 'Nous avons parlé ensemble', language: 'fr' },
      );
      expect(await find(workspaceId, 'Haus', { fuzzy: false })).toEqual([0]);
      expect(await find(workspaceId, 'budget', { fuzzy: false })).toEqual([1]);
      expect(await find(workspaceId, 'parler', { fuzzy: false })).toEqual([2]);
      expect(await find(workspaceId, '"budget"')).toEqual([]);
      expect(await find(workspaceId, 'budget', { fuzzy: false, language: 'de' })).toEqual([]);
    });

    it('finds words of languages without stems, without blanks, and without their accents', async () => {
      const { workspaceId } = await archive(
        { said: '東京都庁の展望台に登りました', language: 'ja' },
        { said: '我们在北京天安门广场', language: 'zh' },
        { said: 'Příliš žluťoučký kůň', language: 'cs' },
        { who: 'Łukasz Müßig' },
      );
      expect(await find(workspaceId, '展望台')).toEqual([0]);
      expect(await find(workspaceId, '北京')).toEqual([1]);
      expect(await find(workspaceId, 'zlutoucky')).toEqual([2]);
      expect(await find(workspaceId, 'who:"lukasz mussig"')).toEqual([3]);
    });

    it('finds parts of compounds and misspelt words behind exact ones, where it can', async () => {
      const { workspaceId } = await archive(
        { said: 'Das Krankenhaus liegt am Stadtrand', language: 'de' },
        { said: 'Der Haushalt', language: 'de' },
        { said: 'unser Haus am langen weiten See', language: 'de' },
        { who: 'Schwarzenegger' },
        { said: 'hausen', who: 'Schwarz' },
      );
      expect(await index.isFuzzy()).toBe(isFuzzy);
      expect(await find(workspaceId, 'Krankenhaus')).toEqual([0]);
      if (!isFuzzy) {
        expect(await find(workspaceId, 'haus')).toEqual([2]);
        return expect(await find(workspaceId, 'schwarzeneger')).toEqual([]);
      }
      expect((await find(workspaceId, 'haus'))[0]).toBe(2);
      expect(await numbers(workspaceId, 'haus')).toEqual(expect.arrayContaining([0, 1, 2]));
      expect(await find(workspaceId, 'schwarzeneger')).toContain(3);
      expect(await find(workspaceId, 'who:schwarzeneger')).toContain(3);
      expect(await find(workspaceId, 'said:schwarzeneger')).toEqual([]);
      expect(await find(workspaceId, 'schwarzeneger', { fuzzy: false })).toEqual([]);
      expect(await find(workspaceId, '"schwarzeneger"')).toEqual([]);
      // What is excluded is meant exactly.
      expect(await find(workspaceId, 'krankenhau NOT stadt')).toEqual([0]);
      // Each of several words may be misspelt, in a word of its own.
      expect(await find(workspaceId, 'krankenhas stadtrnd')).toEqual([0]);
      expect(await find(workspaceId, 'krankenhas-stadtrnd')).toEqual([0]);
    });

    it('orders by how exact, how short and how new, and keeps the order over pages', async () => {
      const day = (n: number) => new Date(Date.UTC(2026, 10, n));
      const found: Short[] = Array.from({ length: 23 }, (_, at) => ({
        said: `budget ${'word '.repeat(at % 3)}`,
        moment: day(1 + (at % 5)),
      }));
      const { workspaceId, job } = await archive(...found, { said: 'haushaltsbudget' }, { said: 'budgetplan' });
      const question = asked(workspaceId, 'budget');
      const { documents: all } = await index.find(question, { after: null, limit: 100 });
      expect(all).toHaveLength(isFuzzy ? 25 : 23);
      const keys = all.map(({ isExact, key }) => {
        const { said = '', moment } = found[key.seq ?? 0] ?? {};
        return [isExact ? 0 : 1, isExact ? said.split(' ').length : 0, isExact ? -Number(moment) : 0];
      });
      expect(keys).toEqual(keys.toSorted((a, b) => a[0]! - b[0]! || a[1]! - b[1]! || a[2]! - b[2]!));
      const paged: FoundDocument[] = [];
      for (let after: string | null = null; ;) {
        const { documents: page } = await index.find(question, { after, limit: 4 });
        paged.push(...page);
        if (page.length < 4) break;
        after = page.at(-1)?.place ?? null;
        // New ones move none of the others.
        if (paged.length === 8) await write(job, [{ ...document({ said: 'budget' }, 90), moment: day(30) }]);
      }
      expect(paged.map(({ key }) => key.seq)).toEqual(all.map(({ key }) => key.seq));
    });

    it('lists the newest first where nothing is asked', async () => {
      const day = (n: number) => new Date(Date.UTC(2026, 10, n));
      const { workspaceId } = await archive(
        { said: 'one', moment: day(2) },
        { who: 'Anna Weber', moment: day(3) },
        { said: 'three and more', moment: day(1) },
      );
      const question: Question = { ...asked(workspaceId, 'any'), query: null };
      const { documents: first } = await index.find(question, { after: null, limit: 2 });
      const { documents: rest } = await index.find(question, { after: first.at(-1)?.place ?? null, limit: 2 });
      expect([...first, ...rest].map(({ key }) => key.seq)).toEqual([1, 0, 2]);
      expect(await index.count({ ...question, together: 5 })).toEqual({ total: 3, isExact: true, isComplete: true });
    });

    it('refuses places of other lists', async () => {
      const { workspaceId } = await archive({ said: 'budget' });
      for (const after of ['x', '[]', '["true"]', '["maybe","1","1","1"]', '["true","1","1","x"]']) {
        await expect(index.find(asked(workspaceId, 'budget'), { after, limit: 1 })).rejects.toMatchObject({
          code: 'VALIDATION',
        });
      }
    });

    it('leaves out what the filters do, and other workspaces', async () => {
      const workspaceId = randomUUID();
      const batchId = randomUUID();
      const [one, other] = [
        await newJob(workspaceId, { tag: 'news', batchId }),
        await newJob(workspaceId, { timeCreated: new Date('2026-11-25T07:00:00.5Z') }),
      ];
      const heidelberg = { latitude: 49.41, longitude: 8.71 };
      const fiji = { latitude: -17.8, longitude: 178.1 };
      await write(one, [
        document({ said: 'castle', language: 'en-GB', moment: new Date('2026-11-21T20:15:00Z') }, 0),
        document({ where: 'castle', module: 'landmark_recognition', place: heidelberg }, 1),
      ]);
      await write(other, [
        document({ where: 'castle', module: 'landmark_recognition', place: fiji }, 2),
        document({ said: 'castle', language: 'fr' }, 3),
      ]);
      await archive({ said: 'castle' });
      const of = (filter: Asked) => numbers(workspaceId, 'castle', filter);
      expect(await of({})).toEqual([0, 1, 2, 3]);
      expect(await of({ moduleIds: ['landmark_recognition'] })).toEqual([1, 2]);
      expect(await of({ jobId: one.id })).toEqual([0, 1]);
      expect(await of({ batchId })).toEqual([0, 1]);
      expect(await of({ tag: 'news' })).toEqual([0, 1]);
      expect(await of({ language: 'en' })).toEqual([0]);
      expect(await of({ created: { to: new Date('2026-11-22') } })).toEqual([0, 1]);
      expect(await of({ created: { from: new Date('2026-11-25T07:00:00.5Z') } })).toEqual([2, 3]);
      expect(await of({ moment: { from: new Date('2026-11-21T20:00Z'), to: new Date('2026-11-21T21:00Z') } })).toEqual([
        0,
      ]);
      expect(await of({ box: { south: 49, west: 8, north: 50, east: 9 } })).toEqual([1]);
      expect(await of({ box: { south: -20, west: 170, north: 0, east: -170 } })).toEqual([2]);
    });

    it('finds things near each other in one source, together', async () => {
      const { workspaceId } = await archive(
        { who: 'Anna Weber', at: 10 },
        { what: 'car', at: 14 },
        { said: 'the budget', at: 16 },
        { who: 'Anna Weber', at: 60 },
        { what: 'car', at: 14, source: 1 },
        { said: 'budget', at: 61 },
      );
      const question = 'who:anna what:car said:budget';
      expect(await numbers(workspaceId, question)).toEqual([]);
      expect(await numbers(workspaceId, question, { together: 10 })).toEqual([0, 1, 2]);
      expect(await numbers(workspaceId, question, { together: 3 })).toEqual([1]);
      expect(await numbers(workspaceId, 'who:anna NOT what:car', { together: 10 })).toEqual([3]);
      expect(await numbers(workspaceId, 'who:ann what:car', { together: 10 })).toEqual([]);
      expect(await numbers(workspaceId, 'who:webe what:car', { together: 10 })).toEqual(isFuzzy ? [0, 1] : []);
    });

    it('finds what is beside long and short results, both ways, and nothing further away', async () => {
      const { workspaceId } = await archive(
        { what: 'car', at: 0, lasts: 7_200 },
        { said: 'budget', at: 3_000 },
        { who: 'Anna', at: 4_000, lasts: 30 },
        { said: 'budget', at: 4_035 },
        { said: 'budget', at: 9_000 },
        { what: 'truck', at: 8_000, lasts: 600 },
        { written: 'Anna', at: 8_605 },
      );
      expect(await numbers(workspaceId, 'what:car said:budget', { together: 1 })).toEqual([0, 1, 3]);
      expect(await numbers(workspaceId, 'who:anna said:budget', { together: 5 })).toEqual([2, 3]);
      expect(await numbers(workspaceId, 'who:anna said:budget', { together: 4 })).toEqual([]);
      expect(await numbers(workspaceId, 'written:anna what:truck', { together: 5 })).toEqual([5, 6]);
      expect(await numbers(workspaceId, 'written:anna what:truck', { together: 4 })).toEqual([]);
      expect(await numbers(workspaceId, 'said:budget NOT what:car', { together: 1_799 })).toEqual([4]);
      expect(await numbers(workspaceId, 'said:budget NOT what:car', { together: 1_801 })).toEqual([]);
    });

    it('goes on where a page ends, among many results alike in length and time', async () => {
      const found = Array.from({ length: 60 }, (_, at) => ({ said: `word ${'more '.repeat(at % 2)}` }));
      const { workspaceId, job } = await archive(...found);
      const question = asked(workspaceId, 'word', { fuzzy: false });
      const { documents: all } = await index.find(question, { after: null, limit: 100 });
      expect(all).toHaveLength(60);
      for (const at of [0, 13, 28, 29, 30, 45, 58]) {
        const { documents } = await index.find(question, { after: all[at]?.place ?? null, limit: 7 });
        expect(documents).toEqual(all.slice(at + 1, at + 8));
      }
      // The place stays where it is when what stood there goes.
      await inTransaction(database.dataSource, (manager) => index.replace(manager, job, [], { from: 0, to: 30 }));
      const left = all.filter(({ key }) => (key.seq ?? 0) >= 30);
      const at = all.findIndex(({ key }) => key.seq === 10);
      const { documents } = await index.find(question, { after: all[at]?.place ?? null, limit: 100 });
      expect(documents).toEqual(left.filter((one) => all.indexOf(one) > at));
    });

    it('counts results and their facets', async () => {
      const { workspaceId, job } = await archive(
        { said: 'budget', language: 'en' },
        { said: 'budget', language: 'en' },
        { written: 'budget', module: 'lower_third_recognition' },
      );
      expect(await index.count(asked(workspaceId, 'budget'))).toEqual({ total: 3, isExact: true, isComplete: true });
      expect(await index.count(asked(workspaceId, 'nothing'))).toEqual({ total: 0, isExact: true, isComplete: true });
      expect(await index.facets(asked(workspaceId, 'budget'))).toEqual({
        module: [
          { value: 'speech_recognition', count: 2 },
          { value: 'lower_third_recognition', count: 1 },
        ],
        type: [{ value: 'speech', count: 3 }],
        language: [{ value: 'en', count: 2 }],
        tag: [],
        batch_id: [],
        job_id: [{ value: job.id, count: 3 }],
      });
    });

    it('replaces documents, and forgets those of numbers that have none any more', async () => {
      const { workspaceId, job } = await archive({ said: 'one' }, { said: 'two' }, { said: 'three' });
      await write(job, [document({ said: 'four' }, 1)], { from: 0, to: 2 });
      expect(await numbers(workspaceId, 'one OR two OR three OR four')).toEqual([1, 2]);
      expect(await find(workspaceId, 'four')).toEqual([1]);
      await inTransaction(database.dataSource, async (manager) => {
        expect(await index.isComplete(manager, job, 1)).toBe(false);
        expect(await index.removeSegments(manager, job.id, 1, 1)).toBe(1);
        expect(await index.isComplete(manager, job, 1)).toBe(false);
        expect(await index.removeSegments(manager, job.id, 1, 10)).toBe(1);
        expect(await index.isComplete(manager, job, 1)).toBe(true);
      });
      expect(await numbers(workspaceId, 'one OR two OR three OR four')).toEqual([]);
    });

    it('finds nothing of deleted jobs, from the moment on', async () => {
      const { workspaceId, job } = await archive({ said: 'budget' });
      await database.dataSource.manager.update(JobEntity, { id: job.id }, { timeDeleted: new Date() });
      expect(await find(workspaceId, 'budget')).toEqual([]);
      expect(await index.count(asked(workspaceId, 'budget'))).toEqual({ total: 0, isExact: true, isComplete: true });
    });

    it('takes any text, as long as it may be', async () => {
      const odd = `it's 'quoted' \\ back:slash <-> & | ! * (a) "b" \u{1f600} ${'x'.repeat(3000)} `;
      const { workspaceId } = await archive(
        { said: odd, language: 'en' },
        { said: `${'la '.repeat(40_000)}end`, language: 'en' },
      );
      expect(await find(workspaceId, 'quoted')).toEqual([0]);
      expect(await find(workspaceId, `"it's"`)).toEqual([0]);
      expect(await find(workspaceId, 'la')).toEqual([1]);
      expect(await index.stems('en', ['the', 'cars'])).toEqual([[], ['car']]);
      expect(await index.stems(null, ['cars'])).toEqual([[]]);
    });
  });
}

function document(short: Short, seq: number): SearchDocument {
  const { language = null, at = 0, lasts = 1, source = 0, module = 'speech_recognition', place = null } = short;
  const fields = ['what', 'said', 'written', 'where', 'who'] as const;
  const texts = fields.flatMap((field): FindableText[] => {
    const text = short[field];
    return text === undefined
      ? []
      : [{ field, text, language: field === 'who' || field === 'where' ? null : language }];
  });
  return {
    key: { seq, paragraph: null },
    ...{ sourceIndex: source, moduleId: module, type: 'speech', timeStart: at, timeEnd: at + lasts, texts, place },
    moment: short.moment ?? new Date('2026-11-20T07:00:00Z'),
  };
}
