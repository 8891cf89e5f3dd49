import { rowsOfWorkspace, type RowsOfWorkspace } from '@adit/database';

/** What goes with its workspace; deliveries go before it (`removeDeliveriesOfWorkspace`). */
export const WEBHOOK_ROWS: readonly RowsOfWorkspace[] = [
  rowsOfWorkspace('webhooks', { kind: 'webhooks' }),
  rowsOfWorkspace('workspace_events'),
  rowsOfWorkspace('workspace_event_heads'),
];
