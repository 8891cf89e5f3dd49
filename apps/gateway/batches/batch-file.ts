import { isUtf8 } from 'node:buffer';
import { AditError, JobRequest } from '@adit/contracts';
import { cellOf, columnName, CSV_FAULTS, csvRows, separatorOf, textPieces, type CsvRow } from '@adit/csv';
import { inTimeSlices } from '@adit/runtime';
import { boundedJson } from '../http/bodies/bounded-json.js';
import { cut } from '../http/cut.js';
import { detailsOf } from '../http/validation.js';

/** One job of a batch file. */
interface BatchLine {
  line: number;
  request: JobRequest;
}

const COLUMNS = ['source', 'tag', 'modules'] as const;
export const MAX_LINES = 10_000;

/** Collects the faults of a file's lines. The named lines are enough to correct it. */
export class LineFaults {
  private static readonly MAX_COUNT = 20;
  private static readonly MAX_LENGTH = 500;
  private readonly faults: string[] = [];
  private count = 0;

  add(line: number, message: string): void {
    this.count += 1;
    if (this.count > LineFaults.MAX_COUNT) return;
    this.faults.push(`Line ${line}: ${cut(message, LineFaults.MAX_LENGTH)}`);
  }

  get any(): boolean {
    return this.count > 0;
  }

  toString(): string {
    const more = this.count - LineFaults.MAX_COUNT;
    return [...this.faults, ...(more > 0 ? [`… and ${more} more.`] : [])].join('\n');
  }
}

/**
 * The jobs of a batch file: CSV in UTF-8 with the header `source,tag,modules`, columns in any order, split by commas,
 * semicolons or tabs. Others have their turns meanwhile. Rejects with VALIDATION when it is no such file; wrong lines are noted
 * in `faults` and left out.
 */
export function readBatchFile(bytes: Buffer, faults: LineFaults): Promise<BatchLine[]> {
  return inTimeSlices(readingBatchFile(bytes, faults));
}

function* readingBatchFile(bytes: Buffer, faults: LineFaults): Generator<void, BatchLine[]> {
  if (!isUtf8(bytes)) throw new AditError('VALIDATION', 'The file is not UTF-8.');
  if (bytes.includes(0)) throw new AditError('VALIDATION', 'The file is no text.');
  const separator = separatorOf(bytes, ['source', 'modules']);
  if (separator === null) throw new AditError('VALIDATION', 'Line 1: the header has to name source,tag,modules.');
  const lines: BatchLine[] = [];
  let header: string[] | null = null;
  let count = 0;
  for (const row of csvRows(textPieces(bytes), separator)) {
    // Checking a job takes longer than reading its line.
    yield;
    if (row === null) continue;
    if (header === null) {
      header = row.cells.map(columnName);
      continue;
    }
    if (++count > MAX_LINES) throw new AditError('VALIDATION', `A file has at most ${MAX_LINES} jobs.`);
    const request = requestOf(row, header, faults);
    if (request !== null) lines.push({ line: row.line, request });
  }
  if (count === 0) throw new AditError('VALIDATION', 'The file has no jobs.');
  return lines;
}

function requestOf(row: CsvRow, header: string[], faults: LineFaults): JobRequest | null {
  const { line, cells } = row;
  if (row.fault !== null) return fault(faults, line, CSV_FAULTS[row.fault]);
  if (cells.length > header.length)
    return fault(faults, line, `it has ${cells.length} columns, the header ${header.length}.`);
  const [source, tag, modules] = COLUMNS.map((name) => cellOf(row, header.indexOf(name)));
  if (!source) return fault(faults, line, 'source is missing.');
  if (!modules) return fault(faults, line, 'modules is missing.');
  const parsed = modulesOf(modules);
  if (parsed === null) return fault(faults, line, 'modules is neither JSON nor module ids split by ";".');
  const checked = JobRequest.safeParse({ sources: [source], tag, modules: parsed });
  if (checked.success) return checked.data;
  const [issue] = checked.error.issues.flatMap((each) => detailsOf({ ...each, path: ['body', ...each.path] }));
  return fault(faults, line, issue?.message ?? 'it is no job.');
}

/** `{"face_recognition":{}}` or `face_recognition;object_recognition`; null when it is neither. */
function modulesOf(text: string): unknown {
  if (text.startsWith('{')) {
    try {
      return boundedJson(text);
    } catch {
      // eslint-disable-next-line adit/no-lost-errors -- only the text itself can be wrong
      return null;
    }
  }
  const ids = text.split(';').map((id) => id.trim());
  return ids.every((id) => /^[a-z][a-z0-9_]*$/.test(id)) ? Object.fromEntries(ids.map((id) => [id, {}])) : null;
}

function fault(faults: LineFaults, line: number, message: string): null {
  faults.add(line, message);
  return null;
}
