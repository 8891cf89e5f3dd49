import { basename } from 'node:path/posix';
import { AditError } from '@adit/contracts';
import { cellOf, CSV_FAULTS, csvRows, headerOf, textPieces, type CsvRow } from '@adit/csv';
import { LabelledNames } from '../labelled.js';
import type { Manifest } from '../manifest.js';
import { LabelStudioRow } from './label-studio.js';
import { refusedAs, type RefusedList } from './refused-lists.js';

/** Columns for a picture and its class; the first existing one counts. */
const PICTURE = ['filename', 'file_name', 'image', 'image_name', 'image_path', 'img', 'file', 'filepath', 'file_path', 'path', 'picture', 'photo']; // prettier-ignore
const PEOPLE = ['person', 'identity', 'name', 'subject', 'landmark'];
const CLASS = [...PEOPLE, 'class', 'class_name', 'label', 'category'];

type TableKind = 'label studio' | 'several' | 'plain';

/** Recognises a table of pictures by its header; null for an unknown one. */
export function tableOf(path: string, bytes: Buffer): Table | RefusedList | null {
  const isNamed = (columns: ReadonlySet<string>, names: readonly string[]) => names.some((name) => columns.has(name));
  const found = headerOf(bytes, (columns) => isNamed(columns, [...PICTURE, 'imageid']) && columns.size > 1);
  if (found === null) return null;
  const columns = new Set(found.columns);
  if (columns.has('region_attributes') || columns.has('file_attributes')) return refusedAs('VGG Image Annotator');
  if (columns.has('imageid') && columns.has('labelname')) return refusedAs('Open Images');
  const [picture] = PICTURE.filter((name) => columns.has(name));
  if (picture === undefined) return null;
  const kind = kindOfTable(path, columns);
  if (kind === null) return null;
  const [label = ''] = CLASS.filter((name) => columns.has(name));
  return new Table(path, bytes, { ...found, kind, picture, label });
}

function kindOfTable(path: string, columns: ReadonlySet<string>): TableKind | null {
  if (columns.has('annotation_id')) return 'label studio';
  if (basename(path).toLowerCase() === '_classes.csv') return 'several';
  return CLASS.some((name) => columns.has(name)) ? 'plain' : null;
}

interface Header {
  separator: string;
  columns: string[];
  kind: TableKind;
  picture: string;
  label: string;
}

export class Table {
  constructor(
    private readonly path: string,
    private readonly bytes: Buffer,
    private readonly header: Header,
  ) {}

  /** Throws MEDIA_INVALID for a wrong line, and where classes are numbers with names elsewhere. */
  *read(): Generator<void, Manifest> {
    const { columns, separator, picture, label, kind } = this.header;
    const names = new LabelledNames();
    const at = columns.indexOf(picture);
    let written: string[] | null = null;
    let isNumbered = kind === 'plain' && !PEOPLE.includes(label);
    for (const row of csvRows(textPieces(this.bytes), separator)) {
      yield;
      if (row === null) continue;
      if (row.fault !== null) throw this.fault(row, CSV_FAULTS[row.fault]);
      if (written === null) {
        written = row.cells.map((cell) => cell.trim());
        continue;
      }
      const name = cellOf(row, at);
      if (name === '') throw this.fault(row, `${picture} is missing.`);
      const labels = this.labelsOf(row, written);
      isNumbered &&= labels.every((one) => /^\d+$/.test(one));
      names.add(name, labels);
    }
    if (isNumbered && names.images.size > 0) {
      throw new AditError(
        'MEDIA_INVALID',
        `${this.path} says classes as numbers in ${label}: write the names of the classes there.`,
      );
    }
    return { type: null, classes: [], images: names.images };
  }

  private labelsOf(row: CsvRow, written: readonly string[]): string[] {
    const { columns, kind, picture, label } = this.header;
    if (kind === 'several') return written.filter((_, at) => columns[at] !== picture && cellOf(row, at) === '1');
    if (kind === 'label studio') {
      const fields = columns.map((name, at): [string, unknown] => [name, cellOf(row, at)]);
      return new LabelStudioRow(Object.fromEntries(fields)).labels();
    }
    const value = cellOf(row, columns.indexOf(label));
    return value === '' ? [] : [value];
  }

  private fault({ line }: CsvRow, why: string): AditError {
    return new AditError('MEDIA_INVALID', `${this.path}, line ${line}: ${why}`);
  }
}
