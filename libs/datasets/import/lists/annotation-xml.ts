import { basename, extname } from 'node:path/posix';
import { LabelledNames } from '../labelled.js';
import type { Manifest } from '../manifest.js';
import { xmlTags } from './xml-tags.js';

/** Elements per step. */
const TAGS_PER_STEP = 100;

/**
 * CVAT for images 1.1 (https://docs.cvat.ai/docs/manual/advanced/formats/format-cvat/): an `image` with a `name`, whose
 * shapes and tags each have a `label`. Yields after some tags.
 */
export function* readCvatImages(path: string, xml: string): Generator<void, Manifest> {
  const names = new LabelledNames();
  let depth = 0;
  let image: { name: string; depth: number; labels: Set<string> } | null = null;
  let count = 0;
  for (const tag of xmlTags(path, xml)) {
    if (tag.opens) {
      depth += 1;
      if (tag.name === 'image') image = { name: tag.attribute('name') ?? '', depth, labels: new Set() };
      // Below them are attributes and the points of a skeleton.
      else if (image !== null && depth === image.depth + 1) image.labels.add(tag.attribute('label') ?? '');
    }
    if (tag.closes) {
      if (image?.depth === depth) {
        names.add(image.name, image.labels);
        image = null;
      }
      depth -= 1;
    }
    count += 1;
    if (count % TAGS_PER_STEP === 0) yield;
  }
  return { type: null, classes: [], images: names.images };
}

/**
 * Pascal VOC (http://host.robots.ox.ac.uk/pascal/VOC/), and LabelMe's XML, which marks deleted objects: the `name` of
 * each `object` of one picture, which has the file's name where the list has none.
 */
export function* readVoc(path: string, xml: string): Generator<void, Manifest> {
  const names = new LabelledNames();
  const labels = new Set<string>();
  const open: string[] = [];
  let file = '';
  let label: string | null = null;
  let isDeleted = false;
  let count = 0;
  for (const tag of xmlTags(path, xml)) {
    if (tag.opens) open.push(tag.name);
    if (tag.closes) {
      const at = open.join('/');
      const text = tag.opens ? '' : tag.text.trim();
      if (at === 'annotation/filename') file = text;
      else if (at === 'annotation/object/name') label = text;
      else if (at === 'annotation/object/deleted') isDeleted = text === '1';
      else if (at === 'annotation/object') {
        if (label !== null && !isDeleted) labels.add(label);
        label = null;
        isDeleted = false;
      }
      open.pop();
    }
    count += 1;
    if (count % TAGS_PER_STEP === 0) yield;
  }
  names.add(file === '' ? basename(path, extname(path)) : file, labels);
  return { type: null, classes: [], images: names.images };
}
