import { rowsOfWorkspace, type RowsOfWorkspace } from '@adit/database';

/** Rows erased with their workspace. */
export const INDEX_ROWS: readonly RowsOfWorkspace[] = [
  rowsOfWorkspace('index_identities', { kind: 'identities' }),
  rowsOfWorkspace('index_collections', { kind: 'index_collections' }),
];
