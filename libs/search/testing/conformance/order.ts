import { inTransaction } from '@adit/database';
import { expect, it } from '@jest/globals';
import type { FoundDocument, Question } from '../../port.js';
import { document, type SearchWorld, type Short } from './search-world.js';

/** The order of results, over pages, and their number. */
export function orderConformance(world: SearchWorld): void {
  const { archive, asked, write } = world;

  it('orders by how exact, how short and how new, and keeps the order over pages', async () => {
    const day = (n: number) => new Date(Date.UTC(2026, 10, n));
    const found: Short[] = Array.from({ length: 23 }, (_, at) => ({
      said: `budget ${'word '.repeat(at % 3)}`,
      moment: day(1 + (at % 5)),
    }));
    const { workspaceId, job } = await archive(...found, { said: 'haushaltsbudget' }, { said: 'budgetplan' });
    const question = asked(workspaceId, 'budget');
    const { documents: all } = await world.index.find(question, { after: null, limit: 100 });
    expect(all).toHaveLength(world.isFuzzy ? 25 : 23);
    const keys = all.map(({ isExact, key }) => {
      const { said = '', moment } = found[key.seq ?? 0] ?? {};
      return [isExact ? 0 : 1, isExact ? said.split(' ').length : 0, isExact ? -Number(moment) : 0];
    });
    expect(keys).toEqual(keys.toSorted((a, b) => a[0]! - b[0]! || a[1]! - b[1]! || a[2]! - b[2]!));
    const paged: FoundDocument[] = [];
    for (let after: string | null = null; ;) {
      const { documents: page } = await world.index.find(question, { after, limit: 4 });
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
    const { documents: first } = await world.index.find(question, { after: null, limit: 2 });
    const { documents: rest } = await world.index.find(question, { after: first.at(-1)?.place ?? null, limit: 2 });
    expect([...first, ...rest].map(({ key }) => key.seq)).toEqual([1, 0, 2]);
    expect(await world.index.count({ ...question, together: 5 })).toEqual({
      total: 3,
      isExact: true,
      isComplete: true,
    });
  });

  it('refuses places of other lists', async () => {
    const { workspaceId } = await archive({ said: 'budget' });
    for (const after of ['x', '[]', '["true"]', '["maybe","1","1","1"]', '["true","1","1","x"]']) {
      await expect(world.index.find(asked(workspaceId, 'budget'), { after, limit: 1 })).rejects.toMatchObject({
        code: 'VALIDATION',
      });
    }
  });

  it('goes on where a page ends, among many results alike in length and time', async () => {
    const found = Array.from({ length: 60 }, (_, at) => ({ said: `word ${'more '.repeat(at % 2)}` }));
    const { workspaceId, job } = await archive(...found);
    const question = asked(workspaceId, 'word', { fuzzy: false });
    const { documents: all } = await world.index.find(question, { after: null, limit: 100 });
    expect(all).toHaveLength(60);
    for (const at of [0, 13, 28, 29, 30, 45, 58]) {
      const { documents } = await world.index.find(question, { after: all[at]?.place ?? null, limit: 7 });
      expect(documents).toEqual(all.slice(at + 1, at + 8));
    }
    // The place stays where it is when what stood there goes.
    await inTransaction(world.database.dataSource, (manager) =>
      world.index.replace(manager, job, [], { from: 0, to: 30 }),
    );
    const left = all.filter(({ key }) => (key.seq ?? 0) >= 30);
    const at = all.findIndex(({ key }) => key.seq === 10);
    const { documents } = await world.index.find(question, { after: all[at]?.place ?? null, limit: 100 });
    expect(documents).toEqual(left.filter((one) => all.indexOf(one) > at));
  });

  it('counts results and their facets', async () => {
    const { workspaceId, job } = await archive(
      { said: 'budget', language: 'en' },
      { said: 'budget', language: 'en' },
      { written: 'budget', module: 'lower_third_recognition' },
    );
    expect(await world.index.count(asked(workspaceId, 'budget'))).toEqual({
      total: 3,
      isExact: true,
      isComplete: true,
    });
    expect(await world.index.count(asked(workspaceId, 'nothing'))).toEqual({
      total: 0,
      isExact: true,
      isComplete: true,
    });
    expect(await world.index.facets(asked(workspaceId, 'budget'))).toEqual({
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
}
