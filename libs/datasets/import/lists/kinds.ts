import { basename, extname } from 'node:path/posix';
import { AditError } from '@adit/contracts';
import { inTimeSlices } from '@adit/runtime';
import { readCoco } from '../coco.js';
import { JsonReader } from '../json-reader.js';
import { ListReader } from '../list-reader.js';
import { MANIFEST_FILE, readDataset, type Manifest } from '../manifest.js';
import { readCreateMl, readLabelme, readLabelStudio, readLabelStudioMin } from './annotation-json.js';
import { readCvatImages, readVoc } from './annotation-xml.js';
import { refusal, refusedAs, type RefusedList } from './refused-lists.js';
import { tableOf } from './table.js';
import { withoutMark } from './text-list.js';
import { xmlTags } from './xml-tags.js';

/** Supported kinds of lists, in order of precedence where an archive has several. */
export const KINDS = ['adit', 'coco', 'cvat', 'label studio', 'createml', 'voc', 'labelme', 'table'] as const;
export type ListKind = (typeof KINDS)[number];

/** Display names. */
const NAMES: Record<ListKind, string> = {
  adit: 'an exported dataset',
  coco: 'COCO',
  cvat: 'CVAT for images',
  'label studio': 'Label Studio',
  createml: 'CreateML',
  voc: 'Pascal VOC',
  labelme: 'labelme',
  table: 'pictures',
};

/** Returns the error for a list that is imported by itself; null for another table. */
export async function listAlone(path: string, content: Buffer, end: string): Promise<string | null> {
  const list = await openList(path, content, end);
  if ('unknown' in list && end === '.csv') return null;
  if ('refused' in list) return refusal(path, list.refused).message;
  const what = 'kind' in list ? ` of ${NAMES[list.kind]}` : '';
  return `${path} is a list${what} without its pictures: put both into one zip archive.`;
}

/** An opened list: of a supported kind, of a refused one, or unknown. */
export type OpenedList =
  | { kind: ListKind; read: () => Generator<void, Manifest> }
  | { refused: RefusedList }
  | { unknown: string | null };

const UNKNOWN: OpenedList = { unknown: null };

/** Identifies a list by its content, in time slices. */
export async function openList(path: string, content: Buffer, end = extname(path).toLowerCase()): Promise<OpenedList> {
  try {
    const bytes = withoutMark(path, content);
    if (end === '.json') return await inTimeSlices(openJson(path, bytes));
    if (end === '.xml') return await inTimeSlices(openXml(path, bytes));
    return end === '.csv' || end === '.tsv' ? openTable(path, bytes) : UNKNOWN;
  } catch (error) {
    if (error instanceof AditError && !error.retryable) return { unknown: error.message };
    throw error;
  }
}

function* openJson(path: string, bytes: Buffer): Generator<void, OpenedList> {
  const json = new JsonReader(path, bytes);
  const as = (kind: ListKind, read: (list: ListReader) => Generator<void, Manifest>): OpenedList => ({
    kind,
    read: () => finished(new ListReader(path, bytes), read),
  });
  if (json.isAtList) {
    const entry = firstOf(json);
    const names = new Set(entry !== null && typeof entry === 'object' ? Object.keys(entry) : []);
    const has = (...wanted: string[]) => wanted.every((name) => names.has(name));
    if (has('data') && (has('annotations') || has('completions'))) return as('label studio', readLabelStudio);
    if (has('annotation_id')) return as('label studio', readLabelStudioMin);
    if (has('image', 'annotations')) return as('createml', readCreateMl);
    return has('shapes', 'tracks') ? { refused: refusedAs('a backup of CVAT') } : UNKNOWN;
  }
  const names = new Set<string>();
  try {
    for (const name of json.members()) {
      names.add(name);
      yield* json.pass();
    }
    json.finish();
  } catch (error) {
    // The reader reports where it is broken.
    if (basename(path) === MANIFEST_FILE) return as('adit', readDataset);
    throw error;
  }
  const has = (...wanted: string[]) => wanted.every((name) => names.has(name));
  if (has('images', 'categories')) return as('coco', readCoco);
  if (has('classes') && (has('dataset') || basename(path) === MANIFEST_FILE)) return as('adit', readDataset);
  if (has('shapes', 'imagePath')) return as('labelme', readLabelme);
  if (has('items', 'categories')) return { refused: refusedAs('Datumaro') };
  if (has('size', 'objects', 'tags')) return { refused: refusedAs('Supervisely') };
  if (has('_via_img_metadata')) return { refused: refusedAs('VGG Image Annotator') };
  if (has('samples')) return { refused: refusedAs('FiftyOne') };
  return basename(path) === MANIFEST_FILE ? as('adit', readDataset) : UNKNOWN;
}

function firstOf(json: JsonReader): unknown {
  for (const _ of json.elements()) return json.value();
  return null;
}

/** Fails when anything follows the list. */
function* finished(list: ListReader, read: (list: ListReader) => Generator<void, Manifest>): Generator<void, Manifest> {
  const manifest = yield* read(list);
  list.json.finish();
  return manifest;
}

function* openXml(path: string, bytes: Buffer): Generator<void, OpenedList> {
  const xml = bytes.toString();
  let root: string | null = null;
  let hasTracks = false;
  for (const { name, opens } of xmlTags(path, xml)) {
    yield;
    if (!opens) continue;
    root ??= name;
    if (root === 'annotation') return { kind: 'voc', read: () => readVoc(path, xml) };
    if (root !== 'annotations') return UNKNOWN;
    if (name === 'image') return { kind: 'cvat', read: () => readCvatImages(path, xml) };
    hasTracks ||= name === 'track';
  }
  return hasTracks ? { refused: refusedAs('CVAT for video') } : UNKNOWN;
}

function openTable(path: string, bytes: Buffer): OpenedList {
  const table = tableOf(path, bytes);
  if (table === null) return UNKNOWN;
  return 'what' in table ? { refused: table } : { kind: 'table', read: () => table.read() };
}
