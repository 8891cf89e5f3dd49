import { describe, expect, it } from '@jest/globals';
import { DataSource } from 'typeorm';
import { ENTITIES, SnakeNaming } from './index.js';
import { JobEntity } from './job.js';
import { columnsOf, recordColumns } from './table-columns.js';

describe('the columns of an entity', () => {
  it('are those that TypeORM has, for every entity', async () => {
    // The decorators are read without a connection, so any driver will do.
    const options = { type: 'postgres', driver: {}, entities: ENTITIES, namingStrategy: new SnakeNaming() } as const;
    const source = new DataSource(options);
    await (source as unknown as { buildMetadatas(): Promise<void> }).buildMetadatas();
    for (const entity of ENTITIES) {
      const { columns } = source.getMetadata(entity);
      const read = columns.filter(({ isSelect }) => isSelect);
      expect(
        columnsOf<object>(entity).map(({ property, name, type }) => `${property} ${name} ${String(type)}`),
      ).toEqual(read.map(({ propertyName, databaseName, type }) => `${propertyName} ${databaseName} ${String(type)}`));
    }
  });

  it('are chosen by their properties', () => {
    expect(recordColumns(columnsOf(JobEntity, ['timeCreated', 'summary']))).toBe(
      '"timeCreated" timestamptz, "summary" jsonb',
    );
    expect(() => columnsOf(JobEntity, ['state', 'colour' as 'tag'])).toThrow('JobEntity has no column colour.');
  });
});
