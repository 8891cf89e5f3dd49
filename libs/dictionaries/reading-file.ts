import { isUtf8 } from 'node:buffer';
import type { DictionaryType, ErrorDetail } from '@adit/contracts';
import { cellOf, columnName, CSV_FAULTS, csvRows, separatorOf, textPieces, type CsvRow } from '@adit/csv';
import type { DictionaryEntry } from './dictionary.js';
import { foldText } from './fold-text.js';

/** Longest entry in characters: labels and names, not texts. */
export const MAX_ENTRY_LENGTH = 1_000;
export const MAX_ENTRIES = 500_000;
/** Number of reported errors; a file with more is of another kind. */
const MAX_ERRORS = 50;

/** Lines per time slice. */
const LINES_PER_SLICE = 500;

/** Column names of a map's file. */
export const COLUMNS = ['source', 'target'] as const;

/** Errors of a file, line by line. */
export class WrongFile extends Error {
  constructor(readonly errors: ErrorDetail[]) {
    super('lines of the file are wrong');
  }
}

/**
 * Reads the entries of a dictionary's file in order, in short steps. Throws WrongFile with a pointer `/file/lines/N`
 * for each wrong line: text that is not UTF-8, control characters, a CSV without its columns, missing values, one
 * source with two targets.
 */
export function* readingDictionary(bytes: Buffer, type: DictionaryType): Generator<void, DictionaryEntry[]> {
  if (!isUtf8(bytes)) yield* refuseEncoding(bytes);
  const problems = new Problems();
  const entries = yield* type === 'simple' ? readLines(bytes, problems) : readMap(bytes, problems);
  problems.throwIfAny();
  if (entries.length === 0) problems.add(null, 'empty', 'The file has no entries.');
  problems.throwIfAny();
  return entries;
}

/** Throws WrongFile with the lines that are not UTF-8. */
function* refuseEncoding(bytes: Buffer): Generator<void, never> {
  const problems = new Problems();
  const mark = bytes.subarray(0, 2).toString('hex');
  if (mark === 'fffe' || mark === 'feff') {
    problems.add(1, 'not_utf8', 'The file is UTF-16; save it as UTF-8.');
  } else {
    let line = 1;
    for (let from = 0; from < bytes.length; line += 1) {
      if (line % LINES_PER_SLICE === 0) yield;
      const end = bytes.indexOf(10, from);
      const until = end === -1 ? bytes.length : end;
      if (!isUtf8(bytes.subarray(from, until))) problems.add(line, 'not_utf8', 'it is not UTF-8.');
      from = until + 1;
    }
  }
  problems.throwIfAny();
  throw new WrongFile([{ pointer: '/file', code: 'not_utf8', message: 'The file is not UTF-8.' }]);
}

function* readLines(bytes: Buffer, problems: Problems): Generator<void, DictionaryEntry[]> {
  const entries: DictionaryEntry[] = [];
  const seen = new Set<string>();
  for (const row of csvRows(textPieces(bytes), '')) {
    if (row === null) {
      yield;
      continue;
    }
    const source = cellOf(row, 0);
    if (!problems.checkText(row.line, source)) continue;
    if (seen.has(source)) continue;
    seen.add(source);
    if (!problems.checkCount(entries.length, row.line)) break;
    entries.push({ source, target: null });
  }
  return entries;
}

function* readMap(bytes: Buffer, problems: Problems): Generator<void, DictionaryEntry[]> {
  const entries: DictionaryEntry[] = [];
  const known = new Map<string, { line: number; target: string }>();
  let columns: Record<(typeof COLUMNS)[number], number> | null = null;
  for (const row of csvRows(textPieces(bytes), separatorOf(bytes, COLUMNS) ?? ',')) {
    if (row === null) {
      yield;
      continue;
    }
    if (columns === null) {
      columns = columnsOf(row, problems);
      continue;
    }
    const entry = mapEntry(row, columns, problems);
    if (entry === null) continue;
    const folded = foldText(entry.source);
    const before = known.get(folded);
    if (before !== undefined && before.target !== entry.target) {
      const where = `line ${before.line} replaces it by ${JSON.stringify(before.target)}`;
      problems.add(row.line, 'source_twice', `${JSON.stringify(entry.source)} has another target already: ${where}.`);
    }
    if (before !== undefined) continue;
    if (!problems.checkCount(entries.length, row.line)) break;
    known.set(folded, { line: row.line, target: entry.target });
    entries.push(entry);
  }
  return entries;
}

/** Returns the positions of the columns. Throws WrongFile when one is missing. */
function columnsOf({ line, cells }: CsvRow, problems: Problems) {
  const names = cells.map(columnName);
  const missing = COLUMNS.filter((column) => !names.includes(column));
  if (missing.length > 0) {
    problems.add(line, 'missing_column', `the header has to name the column ${missing.join(' and ')}.`);
    problems.throwIfAny();
  }
  return { source: names.indexOf('source'), target: names.indexOf('target') };
}

function mapEntry(row: CsvRow, columns: { source: number; target: number }, problems: Problems) {
  if (row.fault !== null) {
    problems.add(row.line, row.fault, CSV_FAULTS[row.fault]);
    return null;
  }
  const [source, target] = [cellOf(row, columns.source), cellOf(row, columns.target)];
  for (const [name, value] of Object.entries({ source, target })) {
    if (value === '') {
      problems.add(row.line, 'missing_value', `${name} is missing.`);
      return null;
    }
    if (!problems.checkText(row.line, value)) return null;
  }
  return { source, target };
}

class Problems {
  private readonly errors: ErrorDetail[] = [];

  add(line: number | null, code: string, message: string): void {
    if (this.errors.length >= MAX_ERRORS) return;
    const pointer = line === null ? '/file' : `/file/lines/${line}`;
    this.errors.push({ pointer, code, message: line === null ? message : `Line ${line}: ${message}` });
  }

  checkText(line: number, text: string): boolean {
    if (text.length > MAX_ENTRY_LENGTH) {
      this.add(line, 'too_long', `an entry has at most ${MAX_ENTRY_LENGTH} characters.`);
      return false;
    }
    if (/[\p{Cc}\p{Cs}]/u.test(text)) {
      this.add(line, 'control_character', 'it holds a control character.');
      return false;
    }
    return true;
  }

  checkCount(entries: number, line: number): boolean {
    if (entries < MAX_ENTRIES) return true;
    this.add(line, 'too_many', `a dictionary has at most ${MAX_ENTRIES} entries.`);
    return false;
  }

  throwIfAny(): void {
    if (this.errors.length === 0) return;
    throw new WrongFile(this.errors);
  }
}
