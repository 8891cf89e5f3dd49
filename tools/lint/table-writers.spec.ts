import { describe, expect, it } from '@jest/globals';
import { entitiesIn, tableWriters, writesIn } from './table-writers.mjs';

describe('who writes a table', () => {
  const { writers, unknown } = tableWriters();

  it('is one package', () => {
    const shared = [...writers].filter(([, packages]) => packages.size > 1);
    expect(shared.map(([table, packages]) => [table, [...packages.keys()].toSorted()])).toEqual([]);
  });

  it('can be seen everywhere', () => {
    expect(unknown).toEqual([]);
    expect(writers.size).toBeGreaterThan(50);
  });

  it('is found by entities, builders and SQL', () => {
    const text = [
      `await manager.insert(FilmEntity, { id });`,
      `await db.createQueryBuilder().insert().into(FilmEntity).execute();`,
      `await db.createQueryBuilder().delete().from(FilmEntity).execute();`,
      'await db.query(`WITH gone AS (DELETE FROM films WHERE id = $1 RETURNING 1) UPDATE reels SET n = 1`);',
      `await db.query('INSERT INTO films (id) VALUES ($1) ON CONFLICT (id) DO UPDATE SET n = 1');`,
    ];
    const [films, reels] = ['films', 'reels'];
    expect(found(text)).toEqual([`${films} 1`, `${films} 2`, `${films} 3`, `${films} 4`, `${reels} 4`, `${films} 5`]);
  });

  it('is not whoever reads it, locks it or speaks of it', () => {
    const text = [
      `await manager.findBy(FilmEntity, { id });`,
      `await db.query('SELECT 1 FROM films WHERE id = $1 FOR UPDATE');`,
      'await db.query(`SELECT 1 FROM films f JOIN reels r ON true FOR NO KEY UPDATE OF f`);',
      `// DELETE FROM films, later`,
      `this.films.delete(id); films.add(FilmEntity); createQueryBuilder().select().from(FilmEntity, 'f');`,
    ];
    expect(found(text)).toEqual([]);
  });

  it('is who names it, where a statement is made for several', () => {
    const text = [
      "for (const table of ['films', 'reels']) await db.query(`DELETE FROM ${table} WHERE id = $1`);",
      `const rows = rowsOfJob('others');`,
    ];
    expect(found(text)).toEqual(['others 2', 'films 1', 'reels 1']);
    expect(found([`const FILMS = rowsOfJob('films');`])).toEqual(['films 1']);
    expect(found([`const ROWS = ['films', 'reels'].map(rowsOfJob);`])).toEqual(['films 1', 'reels 1']);
  });

  it('has to be said', () => {
    const unsaid = ['await db.query(`UPDATE ${table} SET n = 1`);', `await this.db.manager.save(row);`];
    expect(writesIn('libs/x/a.ts', unsaid.join('\n'), entities)).toEqual({ writes: [], unknown: [2, 1] });
  });

  it('is asked of the tables that entities name', () => {
    const text = [
      `@Entity('films')\n@Index(['a'])\nexport class FilmEntity {}`,
      `@Entity({ name: 'reels' })\nexport class ReelEntity extends FilmEntity {}`,
      `export class NoEntity {}`,
    ];
    expect([...entitiesIn('a.ts', text.join('\n'))]).toEqual([
      ['FilmEntity', 'films'],
      ['ReelEntity', 'reels'],
    ]);
  });
});

const entities = new Map([
  ['FilmEntity', 'films'],
  ['ReelEntity', 'reels'],
]);

/** `table line`, in the order in which they are found. */
function found(lines: readonly string[]): string[] {
  return writesIn('libs/x/a.ts', lines.join('\n'), entities).writes.map(({ table, line }) => `${table} ${line}`);
}
