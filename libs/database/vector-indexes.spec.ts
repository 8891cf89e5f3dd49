import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openDatabase, type Database } from './database.js';
import { prepareVectorIndexes, vectorSupport } from './vector-indexes.js';

describe('indexes over embeddings', () => {
  let database: Database;
  beforeAll(async () => {
    database = await openDatabase({ driver: 'pglite', directory: null });
  });
  afterAll(() => database?.close());

  const indexes = async (): Promise<string[]> => {
    const rows: { name: string }[] = await database.dataSource.query(
      `SELECT indexname AS name FROM pg_indexes WHERE tablename = 'index_identities' AND indexdef LIKE '%USING hnsw%' ORDER BY 1`,
    );
    return rows.map(({ name }) => name);
  };
  const prepare = async (): Promise<void> => {
    const runner = database.dataSource.createQueryRunner();
    await prepareVectorIndexes(runner);
    await runner.release();
  };

  it('are over the signs of the usual size from the start, and of every size there is', async () => {
    expect(await indexes()).toEqual(['index_identities_signs_512']);
    await database.dataSource.query(
      `INSERT INTO index_collections (id, workspace_id, name, dimensions) VALUES (gen_random_uuid(), gen_random_uuid(), 'other', 8192)`,
    );
    await prepare();
    expect(await indexes()).toEqual(['index_identities_signs_512', 'index_identities_signs_8192']);
    expect((await vectorSupport(database.dataSource)).dimensions.sort()).toEqual([512, 8192]);
  });

  it('replace those over half floats, also where an earlier build has made one again', async () => {
    await database.dataSource.query(
      `CREATE INDEX index_identities_hnsw_512 ON index_identities USING hnsw ((centroid::halfvec(512)) halfvec_l2_ops)
        WHERE cardinality(centroid) = 512`,
    );
    await prepare();
    expect(await indexes()).toEqual(['index_identities_signs_512', 'index_identities_signs_8192']);
  });
});
