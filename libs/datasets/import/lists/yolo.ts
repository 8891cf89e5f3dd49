import { dirname, extname } from 'node:path/posix';
import { AditError } from '@adit/contracts';
import type { TreeFile } from '../file-tree.js';
import { Labels } from '../labelled.js';
import type { Manifest } from '../manifest.js';
import { refuseLongLists, withoutMark } from './text-list.js';
import { isYoloNames, yoloNames } from './yolo-names.js';

/** Limit of bytes of one picture's boxes, and of a file of names. */
const MAX_BYTES = 1 << 20;
/** Limit of files of names: one per part of a dataset. */
const MAX_NAME_FILES = 100;

/** Recognises a YOLO dataset by names alone: a text per picture, beside it or in `labels` beside `images`. */
export class YoloFiles {
  private readonly texts = new Map<string, TreeFile>();
  private readonly names: TreeFile[] = [];

  note(file: TreeFile): void {
    if (isYoloNames(file.path)) this.names.push(file);
    else if (extname(file.path) === '.txt') this.texts.set(file.path, file);
  }

  /** Returns pictures with their texts; null where that is no YOLO dataset. */
  async pairs(pictures: Iterable<string>): Promise<[picture: string, text: TreeFile][] | null> {
    const pairs: [string, TreeFile][] = [];
    for (const picture of pictures) {
      const text = this.textOf(picture);
      if (text !== undefined) pairs.push([picture, text]);
    }
    refuseLongLists(pairs.map(([, { size }]) => size));
    // Captions and notes are texts too: the first non-empty one decides.
    for (const [, text] of pairs) {
      const [line] = linesOf(await text.read(MAX_BYTES));
      if (line !== undefined) return classOf(line) === null ? null : pairs;
    }
    return null;
  }

  /** Returns the statements of the texts by picture path. Throws MEDIA_INVALID where the classes have no names. */
  async read(pairs: readonly [picture: string, text: TreeFile][]): Promise<Manifest> {
    const names = await this.namesByFolder();
    const labels = new Labels();
    const images: Manifest['images'] = new Map();
    for (const [picture, text] of pairs) {
      const named = closestTo(text.path, names);
      const numbers = new Set<string>();
      for (const line of linesOf(await text.read(MAX_BYTES))) {
        const number = classOf(line);
        if (number === null)
          throw new AditError('MEDIA_INVALID', `${text.path}: ${line.slice(0, 80)}: no box of YOLO.`);
        const label = named?.get(number);
        if (label !== undefined) numbers.add(label);
        else throw unnamed(text.path, number);
      }
      images.set(picture, labels.said(numbers));
    }
    return { type: null, classes: [], images };
  }

  private textOf(picture: string): TreeFile | undefined {
    const stem = picture.slice(0, picture.length - extname(picture).length);
    return this.texts.get(`${stem}.txt`) ?? this.texts.get(`${stem.replace(/(^|.*\/)images\//, '$1labels/')}.txt`);
  }

  private async namesByFolder(): Promise<[folder: string, names: Map<number, string>][]> {
    const found: [string, Map<number, string>][] = [];
    if (this.names.length > MAX_NAME_FILES) {
      throw new AditError(
        'TOO_LARGE',
        `More than ${MAX_NAME_FILES} files may name the classes of YOLO: import it in parts.`,
      );
    }
    for (const file of this.names) {
      const text = withoutMark(file.path, await file.read(MAX_BYTES)).toString();
      const names = yoloNames(file.path, text);
      if (names !== null) found.push([dirname(file.path), names]);
    }
    return found;
  }
}

/** Returns the names in the nearest folder around a file; a single file counts wherever it is. */
function closestTo(path: string, names: readonly [string, Map<number, string>][]): Map<number, string> | undefined {
  const around = names.filter(([folder]) => folder === '.' || path.startsWith(`${folder}/`));
  const [closest] = around.sort(([one], [other]) => other.length - one.length);
  return closest?.[1] ?? (names.length === 1 ? names[0]?.[1] : undefined);
}

function unnamed(path: string, number: number): AditError {
  return new AditError(
    'MEDIA_INVALID',
    `${path} is a list of YOLO, and nothing says how its class ${number} is called: put data.yaml, classes.txt or obj.names into the archive.`,
  );
}

/** Returns the class number before a box, a polygon or points, and possibly a confidence; null for another line. */
function classOf(line: string): number | null {
  const parts = line.split(/\s+/);
  const [first = ''] = parts;
  return parts.length >= 5 && /^\d{1,6}$/.test(first) && parts.every((part) => Number.isFinite(Number(part)))
    ? Number(first)
    : null;
}

function linesOf(bytes: Buffer): string[] {
  return bytes
    .toString()
    .split(/\r\n|\r|\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '');
}
