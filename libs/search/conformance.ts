import { openDatabase, type Database } from '@adit/database';
import { afterAll, beforeAll, describe } from '@jest/globals';
import { changesConformance } from './testing/conformance/changes.js';
import { matchingConformance } from './testing/conformance/matching.js';
import { orderConformance } from './testing/conformance/order.js';
import { photosConformance } from './testing/conformance/photos.js';
import { SearchWorld } from './testing/conformance/search-world.js';
import { togetherConformance } from './testing/conformance/together.js';
import { wordsConformance } from './testing/conformance/words.js';
import type { SearchIndex } from './port.js';

type Settings = Parameters<typeof openDatabase>[0];

/**
 * Conformance tests of every search index, beside a database that has jobs. `fuzzy` says whether parts of words and
 * misspelt words have to be found; without it whatever the index says of itself holds. `comparesFaces`: it can search by a
 * photo.
 */
export function searchIndexConformance(
  name: string,
  settings: () => Promise<Settings>,
  open: (database: Database) => SearchIndex,
  { fuzzy, comparesFaces = true }: { fuzzy?: boolean; comparesFaces?: boolean } = {},
): void {
  describe(`a search index: ${name}`, () => {
    const world = new SearchWorld();
    let database: Database;

    beforeAll(async () => {
      database = await openDatabase(await settings());
      const index = open(database);
      world.open({ database, index, isFuzzy: fuzzy ?? (await index.isFuzzy()) });
    }, 120_000);
    afterAll(() => database?.close());

    wordsConformance(world);
    orderConformance(world);
    togetherConformance(world);
    matchingConformance(world);
    changesConformance(world);
    if (comparesFaces) photosConformance(world);
  });
}
