import { counter } from '@adit/runtime';

export const removedRows = counter('adit_swept_total', 'What outlived its time and was removed', ['kind']);
