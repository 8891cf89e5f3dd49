import type { EntityManager } from 'typeorm';
import { FACETS, MOST_VALUES, type Facets } from '../port.js';
import type { Conditions, MatchKind } from './conditions.js';

/** Facets of the first results in no particular order, at `most` so many. */
export async function countedFacets(
  manager: EntityManager,
  { kind, sql, most }: { kind: MatchKind; sql: Conditions; most: number },
): Promise<Facets> {
  const columns = FACETS.map((name) => `d.${name === 'module' ? 'module_id' : name}::text AS ${name}`);
  const counted = FACETS.map(
    (name) => `(SELECT '${name}' AS facet, ${name} AS value, count(*)::int AS count FROM found
                 WHERE ${name} <> '' GROUP BY ${name} ORDER BY count DESC, value LIMIT ${MOST_VALUES})`,
  );
  const rows: { facet: string; value: string; count: number }[] = await manager.query(
    `WITH found AS MATERIALIZED (
       SELECT ${columns.join(', ')} FROM ${sql.documents()}
        WHERE ${sql[kind]()} AND ${sql.filter()} LIMIT ${most})
     ${counted.join(' UNION ALL ')}`,
    sql.values,
  );
  const of = (name: string) => rows.filter(({ facet }) => facet === name).map(({ value, count }) => ({ value, count }));
  return {
    module: of('module'),
    type: of('type'),
    language: of('language'),
    tag: of('tag'),
    batch_id: of('batch_id'),
    job_id: of('job_id'),
  };
}
