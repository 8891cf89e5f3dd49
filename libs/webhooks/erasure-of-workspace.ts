import { rowsOfWorkspace, type RowsOfWorkspace } from '@adit/database';

/** Rows erased with their workspace. Deliveries are erased before (`removeDeliveriesOfWorkspace`). */
export const WEBHOOK_ROWS: readonly RowsOfWorkspace[] = [
  rowsOfWorkspace('webhooks', { kind: 'webhooks' }),
  rowsOfWorkspace('workspace_events'),
  rowsOfWorkspace('workspace_event_heads'),
];
