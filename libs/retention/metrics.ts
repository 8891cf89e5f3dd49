import { counter } from '@adit/runtime';

export const removedRows = counter('adit_swept_total', 'Expired rows and objects that were removed', ['kind']);
