import { AditError, isoTime, type IndexedIdentity, type PageQuery } from '@adit/contracts';
import { behind, containing, exactTime, inTransaction, placeIn, placeOf, returned, type SortKey } from '@adit/database';
import { forgetPeople, noteNames } from '@adit/search';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { collectionOf } from './collections.js';
import { NEXT_REVISION } from './revisions.js';

interface Row {
  indexId: string;
  label: string;
  mergedInto: string | null;
}

/** SQL: number of identities in a collection, from its stored size and the few merged ones. */
const UNMERGED = `
  SELECT c.size - (SELECT count(*)::int FROM index_identities i
                    WHERE i.merged_into IS NOT NULL AND i.collection_id = c.id) AS total
    FROM index_collections c WHERE c.id = $1`;

/** SQL: number of those with a label. Only the labelled are read, which are few: by an index of their own. */
const NAMED = `
  SELECT count(*)::int AS total FROM index_identities i
   WHERE i.collection_id = $1 AND i.label <> '' AND i.merged_into IS NULL`;

/**
 * SQL: shown identities of collection $1; all for an empty $2, which $3 matches as part of a label; created from $4 on
 * and before $5, and with a label or without one by $6, where given.
 */
const LISTED = `i.collection_id = $1 AND i.merged_into IS NULL AND ($2 = '' OR i.label ILIKE $3 OR i.index_id = $2
  OR i.index_id = (SELECT merged_into FROM index_identities WHERE index_id = $2))
  AND ($4::timestamptz IS NULL OR i.time_created >= $4) AND ($5::timestamptz IS NULL OR i.time_created < $5)
  AND ($6::boolean IS NULL OR (i.label <> '') = $6)`;
const ORDER: readonly SortKey[] = [
  { by: 'i.time_created', kind: 'time' },
  { by: 'i.index_id', kind: 'text' },
];

/** SQL: number of identities with a label, of those without one, or of all, without reading all of them. */
function countedBy(named: boolean | undefined): string {
  if (named === undefined) return UNMERGED;
  return named ? NAMED : `SELECT (${UNMERGED}) - (${NAMED}) AS total`;
}

/** Filter of an identity list. */
interface IdentityFilter extends Pick<PageQuery, 'time_created_from' | 'time_created_to'> {
  /** Part of a label, or an id, also of a merged identity. */
  search?: string | undefined;
  /** Whether they have a label. */
  named?: boolean | undefined;
}

function listed(collectionId: string, { search = '', named, ...times }: IdentityFilter): unknown[] {
  const { time_created_from: from = null, time_created_to: to } = times;
  const before = to === undefined ? null : new Date(to.getTime() + 1);
  return [collectionId, search, containing(search), from, before, named ?? null];
}

/** Position of an identity in the list of its collection. */
export interface PlaceInList {
  indexId: string;
  /** In microseconds, the precision of the database. */
  time: string;
}

/** Identities of a collection. Merged ones appear as the one they were merged into. */
@Injectable()
export class IndexedIdentities {
  constructor(@Inject(DataSource) private readonly db: DataSource) {}

  /** Lists the oldest first. Throws NOT_FOUND; VALIDATION for a cursor of another list. */
  async list(
    workspaceId: string,
    name: string,
    page: PageQuery & IdentityFilter,
  ): Promise<{ total: number; identities: IndexedIdentity[]; next: string | null }> {
    const { id } = await collectionOf(this.db.manager, workspaceId, name);
    const { offset, limit, cursor } = page;
    const place = cursor === undefined ? null : placeIn(cursor, ['time', 'text']);
    const [time, indexId] = place ?? [];
    const after = time === undefined || indexId === undefined ? null : { time, indexId };
    // One more row tells whether there is a next page.
    const asked = { ...page, limit: limit + 1, offset: after === null ? offset : 0 };
    const rows = await this.placesOf(id, after, asked);
    const last = rows.length > limit ? rows[limit - 1] : undefined;
    return {
      total: await this.count(id, page),
      identities: await this.at(workspaceId, rows.slice(0, limit)),
      next: last === undefined ? null : placeOf([last.time, last.indexId]),
    };
  }

  /** Returns the positions after a given one, null for the first, in the order of `list`. Throws NOT_FOUND. */
  async behind(
    workspaceId: string,
    name: string,
    after: PlaceInList | null,
    filter: IdentityFilter & { limit: number },
  ): Promise<PlaceInList[]> {
    const { id } = await collectionOf(this.db.manager, workspaceId, name);
    return this.placesOf(id, after, { ...filter, offset: 0 });
  }

  private async count(collectionId: string, filter: IdentityFilter): Promise<number> {
    const { search = '', named, time_created_from: from, time_created_to: to } = filter;
    const isOfAll = search === '' && from === undefined && to === undefined;
    const sql = isOfAll ? countedBy(named) : `SELECT count(*)::int AS total FROM index_identities i WHERE ${LISTED}`;
    const [{ total }]: [{ total: number }] = await this.db.query(
      sql,
      isOfAll ? [collectionId] : listed(collectionId, filter),
    );
    return total;
  }

  private placesOf(
    collectionId: string,
    after: PlaceInList | null,
    { offset, limit, ...filter }: IdentityFilter & { offset: number; limit: number },
  ): Promise<PlaceInList[]> {
    const further = after === null ? '' : `AND ${behind(ORDER, (at) => `$${9 + at}`)}`;
    return this.db.query<PlaceInList[]>(
      `SELECT i.index_id AS "indexId", ${exactTime('i.time_created')} AS time FROM index_identities i
        WHERE ${LISTED} ${further} ORDER BY i.time_created, i.index_id OFFSET $7 LIMIT $8`,
      [...listed(collectionId, filter), offset, limit, ...(after === null ? [] : [after.time, after.indexId])],
    );
  }

  /** Returns the identities at these positions that still exist. */
  async at(workspaceId: string, places: readonly PlaceInList[]): Promise<IndexedIdentity[]> {
    const ids = places.map(({ indexId }) => indexId);
    const shown = await shownIdentities(this.db.manager, workspaceId, ids);
    return ids.flatMap((indexId) => shown.get(indexId) ?? []);
  }

  /** Returns an identity, or the one it was merged into. Throws NOT_FOUND. */
  async get(workspaceId: string, name: string, indexId: string): Promise<IndexedIdentity> {
    const { name: own } = await collectionOf(this.db.manager, workspaceId, name);
    const found = (await shownIdentities(this.db.manager, workspaceId, [indexId])).get(indexId);
    if (found?.collection_name !== own) throw unknownIdentity(indexId, name);
    return found;
  }

  /**
   * Names an identity. When another one of the collection has the name, both are merged under that one's id; a merged
   * one with a new name, or with none, is separated again. An empty name removes it. Throws NOT_FOUND.
   */
  async label(workspaceId: string, name: string, indexId: string, label: string): Promise<IndexedIdentity> {
    await inTransaction(this.db, async (manager) => {
      const { id: collectionId } = await collectionOf(manager, workspaceId, name, true);
      const row = await rowOf(manager, collectionId, indexId);
      if (row === null) throw unknownIdentity(indexId, name);
      if (row.mergedInto !== null && row.label === label && label !== '') return;
      const [namesake]: { indexId: string }[] =
        label === ''
          ? []
          : await manager.query(
              `SELECT index_id AS "indexId" FROM index_identities
                WHERE collection_id = $1 AND label = $2 AND merged_into IS NULL AND index_id <> $3
                ORDER BY time_created, index_id LIMIT 1`,
              [collectionId, label, indexId],
            );
      // Identities merged into it follow.
      const renamed = returned<{ id: string }>(
        await manager.query(
          `UPDATE index_identities SET label = $2, merged_into = coalesce($3, CASE WHEN index_id = $1 THEN NULL ELSE $1 END),
                  time_updated = now()
            WHERE index_id = $1 OR merged_into = $1
           RETURNING index_id AS id`,
          [indexId, label, namesake?.indexId ?? null],
        ),
      );
      await noteNames(
        manager,
        renamed.map(({ id }) => id),
      );
    });
    return this.get(workspaceId, name, indexId);
  }
}

/** An identity and those that were merged into it. */
async function shownAs(manager: EntityManager, indexId: string): Promise<string[]> {
  const rows: { id: string }[] = await manager.query(
    'SELECT index_id AS id FROM index_identities WHERE index_id = $1 OR merged_into = $1',
    [indexId],
  );
  return rows.map(({ id }) => id);
}

/** A removed person. */
interface ErasedPerson {
  collection: string;
  /** Identities that were merged into it; a merged one is removed alone. */
  merged: string[];
  /** Number of removed pictures. */
  thumbnails: number;
}

/** Removes a person and the identities merged into it, in the caller's transaction. Null when the id does not exist. */
export async function erasePerson(
  manager: EntityManager,
  workspaceId: string,
  indexId: string,
): Promise<ErasedPerson | null> {
  const [collection]: { id: string; name: string }[] = await manager.query(
    `SELECT c.id, c.name FROM index_collections c JOIN index_identities i ON i.collection_id = c.id
      WHERE i.index_id = $1 AND i.workspace_id = $2 AND c.time_deleted IS NULL FOR UPDATE OF c`,
    [indexId, workspaceId],
  );
  if (collection === undefined) return null;
  await forgetPeople(manager, await shownAs(manager, indexId));
  const gone = returned<{ index_id: string; pictured: boolean }>(
    await manager.query(
      `DELETE FROM index_identities WHERE collection_id = $1 AND (index_id = $2 OR merged_into = $2)
       RETURNING index_id, thumbnail IS NOT NULL AS pictured`,
      [collection.id, indexId],
    ),
  );
  // Removed concurrently.
  if (gone.length === 0) return null;
  await manager.query(
    `UPDATE index_collections SET size = size - $2, (revision, shrunk) = (SELECT next, next FROM (SELECT ${NEXT_REVISION} AS next) n),
            time_updated = now()
      WHERE id = $1`,
    [collection.id, gone.length],
  );
  return {
    collection: collection.name,
    merged: gone.flatMap((row) => (row.index_id === indexId ? [] : [row.index_id])),
    thumbnails: gone.filter(({ pictured }) => pictured).length,
  };
}

async function rowOf(manager: EntityManager, collectionId: string, indexId: string): Promise<Row | null> {
  const [row]: Row[] = await manager.query(
    `SELECT index_id AS "indexId", label, merged_into AS "mergedInto" FROM index_identities
      WHERE collection_id = $1 AND index_id = $2`,
    [collectionId, indexId],
  );
  return row ?? null;
}

interface ShownRow {
  asked: string;
  indexId: string;
  label: string;
  collection: string;
  thumbnail: Buffer | null;
  width: number | null;
  height: number | null;
  merged: string[];
  timeCreated: Date;
  timeUpdated: Date;
}

/** Returns the current identities by requested id, following merges; removed ones are missing. */
export async function shownIdentities(
  manager: EntityManager,
  workspaceId: string,
  ids: readonly string[],
  { pictures = true } = {},
): Promise<Map<string, IndexedIdentity>> {
  if (ids.length === 0) return new Map();
  const rows: ShownRow[] = await manager.query(
    `SELECT a.index_id AS asked, i.index_id AS "indexId", i.label, c.name AS collection,
            ${pictures ? 'i.thumbnail' : 'NULL::bytea AS thumbnail'}, i.thumbnail_width AS width, i.thumbnail_height AS height,
            ARRAY(SELECT m.index_id FROM index_identities m WHERE m.merged_into = i.index_id ORDER BY m.time_created, m.index_id) AS merged,
            i.time_created AS "timeCreated", i.time_updated AS "timeUpdated"
       FROM index_identities a JOIN index_identities i ON i.index_id = coalesce(a.merged_into, a.index_id)
       JOIN index_collections c ON c.id = i.collection_id AND c.time_deleted IS NULL
      WHERE a.index_id = ANY($1::text[]) AND a.workspace_id = $2`,
    [[...new Set(ids)], workspaceId],
  );
  return new Map(rows.map((row) => [row.asked, presentIdentity(row)]));
}

function presentIdentity({ thumbnail, width, height, ...row }: ShownRow): IndexedIdentity {
  return {
    index_id: row.indexId,
    label: row.label,
    collection_name: row.collection,
    thumbnail: thumbnail === null ? null : { image: thumbnail.toString('base64'), meta: { width, height } },
    merged: row.merged,
    time_created: isoTime(row.timeCreated),
    time_updated: isoTime(row.timeUpdated),
  };
}

function unknownIdentity(indexId: string, collection: string): AditError {
  return new AditError('NOT_FOUND', `There is no identity ${indexId} in the index collection ${collection}.`);
}
