import { hangsOn, rowsOfWorkspace, type RowsOfWorkspace } from '@adit/database';

/** What goes with its workspace, in this order: what hangs on others goes before them. */
export const EXPORT_ROWS: readonly RowsOfWorkspace[] = [
  rowsOfWorkspace('report_items', { where: hangsOn('report_id', 'reports') }),
  rowsOfWorkspace('artifacts', { where: hangsOn('export_id', 'exports') }),
  rowsOfWorkspace('reports', { kind: 'reports' }),
  rowsOfWorkspace('exports', { kind: 'exports', folder: 'exports/' }),
];
