import { counter } from '@adit/runtime';

/** Look into `<topic>.dead-letters`. */
export const unsendable = counter('adit_outbox_unsendable_total', 'Messages that the bus can never take.', ['topic']);
