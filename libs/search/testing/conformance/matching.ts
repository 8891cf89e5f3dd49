import { randomUUID } from 'node:crypto';
import { inTransaction } from '@adit/database';
import { expect, it } from '@jest/globals';
import type { Question } from '../../port.js';
import { document, type SearchWorld } from './search-world.js';

/** Questions that are asked of new documents. */
export function matchingConformance(world: SearchWorld): void {
  const { archive, asked } = world;

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
    const matched = await inTransaction(world.database.dataSource, (manager) =>
      world.index.match(manager, job, { documents, questions, languages: [] }),
    );
    const expected: unknown[] = [];
    for (const [at, question] of questions.entries()) {
      const { documents: found } = await world.index.find(question, { after: null, limit: 100 });
      const seqs = found.map(({ key, isExact }) => ({ question: at, document: key.seq, isExact }));
      expected.push(...seqs.toSorted((a, b) => Number(a.document) - Number(b.document)));
    }
    expect(matched).toEqual({ found: expected, tooLong: [] });
    expect(matched.found.length).toBeGreaterThan(18);
    const none = { documents, questions: [], languages: [] };
    expect(await inTransaction(world.database.dataSource, (manager) => world.index.match(manager, job, none))).toEqual({
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
    const matched = await inTransaction(world.database.dataSource, (manager) =>
      world.index.match(manager, job, matching),
    );
    expect(matched.found).toEqual([{ question: 0, document: 0, isExact: true }]);
  });
}
