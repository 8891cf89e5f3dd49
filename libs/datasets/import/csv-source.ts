import { AditError, ClassRequest, ImageRequest, storable } from '@adit/contracts';
import { cellOf, columnName, csvRows, CSV_FAULTS, separatorOf, textPieces, type CsvRow } from '@adit/csv';
import { z } from 'zod';
import { MAX_FILES, namedClass, PLAIN_IMAGE, type ImportItem, type ImportSource } from './import-item.js';
import { storageKeyOf } from './storage-uri.js';

/** Limit of a list's bytes. */
export const MAX_CSV_BYTES = 32 * 1024 ** 2;
const NEEDED = ['file_uri', 'label'] as const;
const COLUMNS = [...NEEDED, 'reference', 'notes', 'active'] as const;
type Column = (typeof COLUMNS)[number];

/** Tests whether a file is a list of references, by its first line. */
export function isReferenceList(bytes: Uint8Array): boolean {
  return separatorOf(bytes, NEEDED) !== null;
}

/**
 * Pictures of the storage listed in a CSV, one per line: `file_uri` and the `label` of its class, optionally the
 * `reference` of the class, `notes` and `active`. Throws MEDIA_INVALID for a list without those columns, TOO_LARGE for
 * a long one.
 */
export async function csvSource(bytes: Buffer): Promise<ImportSource> {
  const separator = separatorOf(bytes, NEEDED);
  if (separator === null) throw new AditError('MEDIA_INVALID', `The first line has to name ${NEEDED.join(' and ')}.`);
  let files = -1;
  const counted = rowsOf(bytes, separator);
  while ((await counted.next()).done !== true) files += 1;
  if (files > MAX_FILES) throw new AditError('TOO_LARGE', `The list has more than ${MAX_FILES} lines.`);
  const items = (cursor: string | null) => itemsOf(rowsOf(bytes, separator), Number(cursor ?? 0));
  return { files, classes: [], type: null, items };
}

/** Yields to the event loop. */
async function* rowsOf(bytes: Buffer, separator: string): AsyncGenerator<CsvRow> {
  for (const row of csvRows(textPieces(bytes), separator)) {
    if (row === null) await new Promise(setImmediate);
    else yield row;
  }
}

/** A cursor is the line at which a record begins. */
async function* itemsOf(rows: AsyncIterable<CsvRow>, after: number): AsyncGenerator<ImportItem> {
  let places: Map<Column, number> | null = null;
  for await (const row of rows) {
    if (places === null) {
      const names = row.cells.map(columnName);
      places = new Map(COLUMNS.map((column) => [column, names.indexOf(column)]));
    } else if (row.line > after) {
      yield { cursor: String(row.line), name: `line ${row.line}`, what: whatOf(row, places) };
    }
  }
}

const Line = z
  .object({
    file_uri: ImageRequest.shape.file_uri,
    label: ClassRequest.shape.label,
    reference: ClassRequest.shape.reference,
    notes: ImageRequest.shape.notes,
    active: z
      .string()
      .toLowerCase()
      .pipe(z.enum(['true', 'false', '1', '0', 'yes', 'no']))
      .transform((said) => ['true', '1', 'yes'].includes(said))
      .default(true),
  })
  .check(storable);

function whatOf(row: CsvRow, places: ReadonlyMap<Column, number>): ImportItem['what'] {
  if (row.fault !== null) return { fault: { code: row.fault, message: `Here ${CSV_FAULTS[row.fault]}` } };
  const cells = COLUMNS.map((column): [Column, string | undefined] => [
    column,
    cellOf(row, places.get(column) ?? -1) || undefined,
  ]);
  const { success, data, error } = Line.safeParse(Object.fromEntries(cells));
  if (!success) {
    const message = error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`).join('; ');
    return { fault: { code: 'invalid_line', message } };
  }
  const storageKey = storageKeyOf(data.file_uri);
  if (storageKey === null) {
    const message = `${data.file_uri.slice(0, 200)} is no address of an uploaded file (storage://…).`;
    return { fault: { code: 'source_refused', message } };
  }
  return {
    class: { ...namedClass(data.label), reference: data.reference ?? null },
    image: { ...PLAIN_IMAGE, notes: data.notes, active: data.active },
    file: { storageKey },
  };
}
