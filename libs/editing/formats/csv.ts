import { CSV, writeCsv } from '@adit/csv';
import type { EditFormat } from '../edit-format.js';
import type { EditEvent } from '../edit-list.js';
import { LOG_COLUMNS, logRow } from '../log-rows.js';

/** A log of events for spreadsheets. */
export const csv: EditFormat<'csv'> = {
  ...CSV,
  layout: 'listed',
  mixesRates: true,
  needsSource: false,
  passes: 1,
  write: ({ events }) => writeCsv(LOG_COLUMNS, rowsOf(events())),
};

async function* rowsOf(events: AsyncIterable<EditEvent>): AsyncGenerator<(string | number)[]> {
  for await (const event of events) yield logRow(event);
}
