/** Statements that write the table `saved_searches`. */
import { AditError, type PageQuery, type SearchQuestion } from '@adit/contracts';
import {
  inTransaction,
  isUuid,
  readPage,
  refuseBeyond,
  rowsOfWorkspace,
  SavedSearchEntity,
  type Beside,
  type FoundPage,
} from '@adit/database';
import type { DataSource, EntityManager } from 'typeorm';

/** Saved searches of a workspace: each is asked of every new result. */
export const MAX_SAVED_SEARCHES = 100;

/** What a client sets. */
export type SavedSearchFields = Pick<SavedSearchEntity, 'name' | 'question' | 'alert'>;

/** The oldest first. */
export function savedSearches(
  manager: EntityManager,
  workspaceId: string,
  page: Partial<PageQuery>,
): Promise<FoundPage<SavedSearchEntity>> {
  const found = manager.createQueryBuilder(SavedSearchEntity, 's').where({ workspaceId });
  return readPage(found, page, [
    { by: 's.timeCreated', kind: 'time' },
    { by: 's.id', kind: 'uuid' },
  ]);
}

/** Throws NOT_FOUND, also for another workspace's. */
export async function savedSearch(manager: EntityManager, workspaceId: string, id: string): Promise<SavedSearchEntity> {
  const row = isUuid(id) ? await manager.findOneBy(SavedSearchEntity, { id, workspaceId }) : null;
  if (row === null) throw new AditError('NOT_FOUND', `There is no saved search ${id}.`);
  return row;
}

/** Throws CONFLICT when the workspace has as many as it may. */
export function saveSearch(
  db: DataSource,
  { id, workspaceId }: Pick<SavedSearchEntity, 'id' | 'workspaceId'>,
  { fields, beside }: { fields: SavedSearchFields; beside: Beside },
): Promise<SavedSearchEntity> {
  return inTransaction(db, async (manager) => {
    await beside(manager);
    await refuseBeyond(manager, {
      kind: 'saved_searches',
      ownerId: workspaceId,
      most: MAX_SAVED_SEARCHES,
      rows: 'SELECT 1 FROM saved_searches WHERE workspace_id = $1',
      message: `A workspace has at most ${MAX_SAVED_SEARCHES} saved searches: delete one first.`,
    });
    await manager.insert(SavedSearchEntity, { id, workspaceId, ...fields });
    return savedSearch(manager, workspaceId, id);
  });
}

/** Throws NOT_FOUND. */
export async function replaceSearch(
  manager: EntityManager,
  { id, workspaceId }: Pick<SavedSearchEntity, 'id' | 'workspaceId'>,
  fields: SavedSearchFields,
): Promise<SavedSearchEntity> {
  const before = await savedSearch(manager, workspaceId, id);
  await manager.update(SavedSearchEntity, { id: before.id, workspaceId }, { ...fields });
  return savedSearch(manager, workspaceId, id);
}

/** Throws NOT_FOUND. */
export async function removeSearch(manager: EntityManager, workspaceId: string, id: string): Promise<void> {
  const { id: found } = await savedSearch(manager, workspaceId, id);
  await manager.delete(SavedSearchEntity, { id: found, workspaceId });
}

/** A saved search that is asked of new results. */
export interface AlertingSearch {
  id: string;
  name: string;
  question: SearchQuestion;
}

export function alertingSearches(
  manager: Pick<EntityManager, 'query'>,
  workspaceId: string,
): Promise<AlertingSearch[]> {
  return manager.query(
    'SELECT id, name, question FROM saved_searches WHERE workspace_id = $1 AND alert ORDER BY time_created, id',
    [workspaceId],
  );
}

/** SQL: a workspace has saved searches to ask of new results. */
export function hasAlertingSearches(workspaceId: string): string {
  return `EXISTS (SELECT 1 FROM saved_searches w WHERE w.workspace_id = ${workspaceId} AND w.alert)`;
}

/** Rows that go with their workspace. */
export const SAVED_SEARCH_ROWS = rowsOfWorkspace('saved_searches', { kind: 'saved_searches' });
