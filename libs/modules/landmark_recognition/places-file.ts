import { isUtf8 } from 'node:buffer';
import { AditError } from '@adit/contracts';
import type { ErrorDetail } from '@adit/contracts';
import { csvRows, type CsvRow } from '@adit/mining';
import type { Landmark } from '../galleries/gallery.js';

/** A line of a file of places. */
export interface PlaceRow {
  /** From 1. */
  line: number;
  name: string;
  landmark: Landmark;
}

const COLUMNS = ['name', 'type', 'latitude', 'longitude', 'location'] as const;
type Column = (typeof COLUMNS)[number];
const SEPARATORS = [',', ';', '\t'];

/**
 * Reads places from CSV in UTF-8 with a header: `name` and any of `type`, `latitude`, `longitude`, `location`; other
 * columns are passed over. `type` and `location` are lists, split at `|`, else at `;` and `,`. Latitudes and longitudes
 * are decimal degrees, given together or not at all. Throws VALIDATION with a pointer `/csv/lines/N` for each wrong line.
 */
export function readPlaces(bytes: Buffer): PlaceRow[] {
  if (!isUtf8(bytes)) throw wrong([{ line: null, message: 'The file is not UTF-8; save it as UTF-8.' }]);
  const text = bytes.toString('utf8').replace(/^\uFEFF/, '');
  const headLine = text.split(/\r|\n/).find((line) => line.trim() !== '') ?? '';
  const separator = SEPARATORS.find((one) => headLine.split(one).map(columnOf).includes('name')) ?? ',';
  const [head, ...rows] = csvRows(text, separator);
  const names = (head?.cells ?? []).map(columnOf);
  if (!names.includes('name')) {
    throw wrong([
      {
        line: head?.line ?? 1,
        message: `the header has to name the column name, beside ${COLUMNS.slice(1).join(', ')}.`,
      },
    ]);
  }
  const problems: Problem[] = [];
  const places: PlaceRow[] = [];
  const lineOf = new Map<string, number>();
  for (const row of rows) {
    const cell = (column: Column): string => row.cells[names.indexOf(column)]?.trim() ?? '';
    const found = problemOf(row, cell, names.length);
    const name = cell('name').normalize('NFC');
    const before = lineOf.get(name);
    if (found !== null) problems.push({ line: row.line, message: found });
    else if (before !== undefined)
      problems.push({ line: row.line, message: `${name} stands in line ${before} already.` });
    lineOf.set(name, before ?? row.line);
    places.push({ line: row.line, name, landmark: landmarkOf(cell) });
  }
  if (problems.length > 0) throw wrong(problems);
  if (places.length === 0) throw wrong([{ line: null, message: 'The file names no place.' }]);
  return places;
}

function problemOf(row: CsvRow, cell: (column: Column) => string, width: number): string | null {
  if (row.unclosed) return 'a quoted field begins here and never ends.';
  if (row.cells.length > width)
    return `it has ${row.cells.length} fields where the header has ${width}: quote fields that hold the separator.`;
  if (cell('name') === '') return 'name is missing.';
  const degrees = [
    ['latitude', 90],
    ['longitude', 180],
  ] as const;
  for (const [column, limit] of degrees) {
    const text = cell(column);
    if (text === '') continue;
    const isDegrees = /^[+-]?\d+(\.\d+)?$/.test(text) && Math.abs(Number(text)) <= limit;
    if (!isDegrees) return `${column} ${JSON.stringify(text)} is no number of degrees from -${limit} to ${limit}.`;
  }
  const [latitude, longitude] = degrees.map(([column]) => cell(column));
  if ((latitude === '') !== (longitude === '')) return 'latitude and longitude belong together.';
  return null;
}

function landmarkOf(cell: (column: Column) => string): Landmark {
  const types = listOf(cell('type'));
  return {
    type: types.length === 0 ? null : types,
    latitude: cell('latitude') || null,
    longitude: cell('longitude') || null,
    location: listOf(cell('location')),
  };
}

function listOf(text: string): string[] {
  return text
    .split(text.includes('|') ? '|' : /[;,]/)
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

function columnOf(cell: string): string {
  return cell
    .trim()
    .replace(/^"(.*)"$/, '$1')
    .trim()
    .toLowerCase();
}

interface Problem {
  line: number | null;
  message: string;
}

function wrong(problems: Problem[]): AditError {
  const errors = problems.slice(0, 50).map(({ line, message }): ErrorDetail => ({
    pointer: line === null ? '/csv' : `/csv/lines/${line}`,
    code: 'invalid_place',
    message: line === null ? message : `Line ${line}: ${message}`,
  }));
  return new AditError('VALIDATION', errors.map(({ message }) => message).join(' '), { errors });
}
