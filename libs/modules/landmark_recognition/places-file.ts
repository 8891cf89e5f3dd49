import { isUtf8 } from 'node:buffer';
import { AditError, landmarkOf, landmarkProblem } from '@adit/contracts';
import type { ErrorDetail, Landmark, LandmarkText } from '@adit/contracts';
import { cellOf, columnName, CSV_FAULTS, csvRows, separatorOf, textPieces, type CsvRow } from '@adit/csv';
import { inTimeSlices } from '@adit/runtime';

/** A line of a file of places. */
export interface PlaceRow {
  /** Counted from 1. */
  line: number;
  name: string;
  landmark: Landmark;
}

const COLUMNS = ['name', 'type', 'latitude', 'longitude', 'location'] as const;
type Column = (typeof COLUMNS)[number];

/** Limits of bytes and places per file. */
const MAX_BYTES = 64 << 20;
const MAX_PLACES = 500_000;
/** Number of reported lines with errors. */
const MAX_PROBLEMS = 50;

/**
 * Reads places from CSV in UTF-8 with a header: `name` and any of `type`, `latitude`, `longitude`, `location`; other
 * columns are ignored. `type` and `location` are lists, split at `|`, else at `;` and `,`. Latitudes and longitudes are
 * decimal degrees, given together or not at all. Runs in time slices. Throws VALIDATION with a pointer `/csv/lines/N`
 * for each wrong line, and for more than MAX_BYTES or MAX_PLACES.
 */
export function readPlaces(bytes: Buffer): Promise<PlaceRow[]> {
  return inTimeSlices(readingPlaces(bytes));
}

function* readingPlaces(bytes: Buffer): Generator<void, PlaceRow[]> {
  checkPlacesSize(bytes.length);
  if (!isUtf8(bytes)) throw wrong([{ line: null, message: 'The file is not UTF-8; save it as UTF-8.' }]);
  const problems: Problem[] = [];
  const places: PlaceRow[] = [];
  const lineOf = new Map<string, number>();
  let names: string[] | null = null;
  for (const row of csvRows(textPieces(bytes), separatorOf(bytes, ['name']) ?? ',')) {
    if (row === null) {
      yield;
      continue;
    }
    if (names === null) {
      names = row.cells.map(columnName);
      if (!names.includes('name')) throw wrong([headless(row.line)]);
      continue;
    }
    const columns = names;
    const cell = (column: Column): string => cellOf(row, columns.indexOf(column));
    const name = cell('name').normalize('NFC');
    const before = lineOf.get(name);
    const message =
      problemOf(row, cell, columns.length) ??
      (before === undefined ? null : `${name} stands in line ${before} already.`);
    if (message !== null) problems.push({ line: row.line, message });
    if (problems.length === MAX_PROBLEMS) break;
    lineOf.set(name, before ?? row.line);
    if (places.length === MAX_PLACES)
      throw wrong([{ line: row.line, message: `a file has at most ${MAX_PLACES} places.` }]);
    places.push({ line: row.line, name, landmark: landmarkOf(textOf(cell)) });
  }
  if (names === null) throw wrong([headless(1)]);
  if (problems.length > 0) throw wrong(problems);
  if (places.length === 0) throw wrong([{ line: null, message: 'The file names no place.' }]);
  return places;
}

function headless(line: number): Problem {
  return { line, message: `the header has to name the column name, beside ${COLUMNS.slice(1).join(', ')}.` };
}

/** Throws VALIDATION for a file that is too large, when its size is known before its bytes. */
export function checkPlacesSize(size: number): void {
  if (size <= MAX_BYTES) return;
  throw wrong([{ line: null, message: `The file has ${size} bytes; at most ${MAX_BYTES} are read.` }]);
}

function problemOf(row: CsvRow, cell: (column: Column) => string, width: number): string | null {
  if (row.fault !== null) return CSV_FAULTS[row.fault];
  if (row.cells.length > width)
    return `it has ${row.cells.length} fields where the header has ${width}: quote fields that hold the separator.`;
  if (cell('name') === '') return 'name is missing.';
  return landmarkProblem(textOf(cell));
}

function textOf(cell: (column: Column) => string): LandmarkText {
  return { type: cell('type'), latitude: cell('latitude'), longitude: cell('longitude'), location: cell('location') };
}

interface Problem {
  line: number | null;
  message: string;
}

function wrong(problems: Problem[]): AditError {
  const errors = problems.map(({ line, message }): ErrorDetail => ({
    pointer: line === null ? '/csv' : `/csv/lines/${line}`,
    code: 'invalid_place',
    message: line === null ? message : `Line ${line}: ${message}`,
  }));
  return new AditError('VALIDATION', errors.map(({ message }) => message).join(' '), { errors });
}
