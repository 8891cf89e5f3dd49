import { hangsOn, rowsOfWorkspace, type RowsOfWorkspace } from '@adit/database';

/** Rows erased with their workspace, in this order: referencing rows before referenced ones. */
export const EXPORT_ROWS: readonly RowsOfWorkspace[] = [
  rowsOfWorkspace('report_items', { where: hangsOn('report_id', 'reports') }),
  rowsOfWorkspace('clips'),
  rowsOfWorkspace('artifacts', { where: hangsOn('export_id', 'exports') }),
  rowsOfWorkspace('reports', { kind: 'reports' }),
  rowsOfWorkspace('exports', { kind: 'exports', folder: 'exports/' }),
];
