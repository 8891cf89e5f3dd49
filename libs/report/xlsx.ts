import { Readable } from 'node:stream';
import type { Cell } from '@adit/csv';
import {
  contentTypes,
  RELATIONSHIPS,
  relationships,
  writePackage,
  XML_HEADER,
  xmlText,
  type ZipEntry,
} from '@adit/ooxml';

const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const SHEET_TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml';

/** Rows of a sheet, its header among them, and characters of a cell: what Excel takes. */
const MAX_ROWS = 1_048_576;
const MAX_CELL_LENGTH = 32_767;

/** The form of workbooks; `name` is what clients ask for. */
export const XLSX = { name: 'xlsx', mimeType: `${SHEET_TYPE}.sheet`, extension: 'xlsx' } as const;

/** One table. Beyond what a sheet holds it goes on in a sheet of the same name with a number. */
export interface Sheet {
  name: string;
  columns: string[];
  rows: AsyncIterable<Cell[]> | Iterable<Cell[]>;
  /** Number of rows there will be, at the most. */
  count: number;
}

interface Part {
  name: string;
  rows: () => AsyncGenerator<Buffer>;
}

/**
 * A workbook (ECMA-376, Office Open XML) as a stream that holds a row at a time. Text is stored as text, never as a
 * formula. An error of an iterable destroys the stream.
 *
 * @param mostRows of one sheet, its header among them.
 */
export function writeXlsx(sheets: Sheet[], mostRows = MAX_ROWS): Readable {
  return writePackage(files(sheets.flatMap((sheet) => partsOf(sheet, mostRows))));
}

function* files(parts: Part[]): Generator<ZipEntry> {
  const file = (path: string, xml: string): ZipEntry => ({ path, body: Buffer.from(xml) });
  yield file('[Content_Types].xml', contentTypes(typesOf(parts)));
  yield file('_rels/.rels', relationships([['officeDocument', 'xl/workbook.xml']]));
  yield file('xl/workbook.xml', workbook(parts));
  const ofWorkbook = parts.map((_, at): [string, string] => ['worksheet', `worksheets/sheet${at + 1}.xml`]);
  yield file('xl/_rels/workbook.xml.rels', relationships(ofWorkbook));
  // Each is opened when its turn has come: the parts of a sheet share one iterator.
  for (const [at, { rows }] of parts.entries()) {
    yield { path: `xl/worksheets/sheet${at + 1}.xml`, body: Readable.from(rows(), { objectMode: false }) };
  }
}

function partsOf({ name, columns, rows, count }: Sheet, mostRows: number): Part[] {
  const iterator = toAsync(rows);
  const number = Math.max(1, Math.ceil(count / (mostRows - 1)));
  return Array.from({ length: number }, (_, at) => ({
    name: at === 0 ? name : `${name} ${at + 1}`,
    rows: () => sheetXml(columns, iterator, mostRows),
  }));
}

async function* toAsync<T>(rows: AsyncIterable<T> | Iterable<T>): AsyncGenerator<T> {
  yield* rows;
}

async function* sheetXml(columns: string[], rows: AsyncGenerator<Cell[]>, mostRows: number): AsyncGenerator<Buffer> {
  yield Buffer.from(
    `${XML_HEADER}<worksheet xmlns="${MAIN}"><sheetViews><sheetView workbookViewId="0">` +
      `<pane ySplit="1" topLeftCell="A2" state="frozen"/></sheetView></sheetViews><sheetData>${row(columns)}`,
  );
  for (let written = 1; written < mostRows; written += 1) {
    // Not for await, which would end the iterator with this part.
    const { done, value } = await rows.next();
    if (done === true) break;
    yield Buffer.from(row(value));
  }
  yield Buffer.from('</sheetData></worksheet>');
}

function row(cells: Cell[]): string {
  return `<row>${cells.map(cell).join('')}</row>`;
}

function cell(value: Cell): string {
  if (value === null || (typeof value === 'number' && !Number.isFinite(value))) return '<c/>';
  if (typeof value === 'number') return `<c><v>${value}</v></c>`;
  const text = xmlText(value.slice(0, MAX_CELL_LENGTH));
  return `<c t="inlineStr"><is><t xml:space="preserve">${text}</t></is></c>`;
}

function typesOf(parts: Part[]): [path: string, type: string][] {
  return [
    ['xl/workbook.xml', `${SHEET_TYPE}.sheet.main+xml`],
    ...parts.map((_, at): [string, string] => [`xl/worksheets/sheet${at + 1}.xml`, `${SHEET_TYPE}.worksheet+xml`]),
  ];
}

function workbook(parts: Part[]): string {
  const sheets = parts.map(
    ({ name }, at) => `<sheet name="${xmlText(name)}" sheetId="${at + 1}" r:id="rId${at + 1}"/>`,
  );
  return `${XML_HEADER}<workbook xmlns="${MAIN}" xmlns:r="${RELATIONSHIPS}"><sheets>${sheets.join('')}</sheets></workbook>`;
}
