import { readFile, stat } from 'node:fs/promises';
import { AditError } from '@adit/contracts';
import { z } from 'zod';
import type { LabelledBox, LabelledPicture } from './labelled-set.js';

/**
 * Limit of a list's bytes; that of COCO's 118,000 pictures, with outlines, has 450 MB, that of its 5,000 for validation
 * 20.
 */
export const MAX_LIST_BYTES = 256 * 1024 ** 2;
export const MAX_BOXES = 1_000_000;

/** Some exporters write ids as text. */
const Id = z.union([z.int(), z.string().max(200)]).transform(String);
const Side = z.number().positive().max(1e6);
const Coordinate = z.number().min(-1e6).max(1e6);
const CocoList = z.object({
  categories: z.array(z.object({ id: Id, name: z.string().min(1).max(255) })),
  images: z.array(
    z.object({ id: Id, file_name: z.string().min(1).max(1024), width: Side.optional(), height: Side.optional() }),
  ),
  annotations: z
    .array(
      z.object({
        image_id: Id,
        category_id: Id,
        bbox: z.tuple([Coordinate, Coordinate, Coordinate, Coordinate]).optional(),
        iscrowd: z.union([z.boolean(), z.int()]).default(0),
      }),
    )
    .max(MAX_BOXES),
});

/** A picture of a list, before it is located. */
export type ListedPicture = Omit<LabelledPicture, 'place'>;

/**
 * Reads a list in COCO's format (https://cocodataset.org/#format-data); null for another file. Throws MEDIA_INVALID
 * with the place of an error, TOO_LARGE.
 */
export async function readCocoList(path: string): Promise<{ pictures: ListedPicture[]; labels: string[] } | null> {
  const { size } = await stat(path);
  if (size > MAX_LIST_BYTES) {
    throw new AditError('TOO_LARGE', `${path} has ${size} bytes; lists of at most ${MAX_LIST_BYTES} are read.`);
  }
  const given = parsed(await readFile(path, 'utf8'), path);
  const members = typeof given === 'object' && given !== null ? Object.keys(given) : [];
  if (!['categories', 'images', 'annotations'].every((name) => members.includes(name))) return null;
  const { success, data, error } = CocoList.safeParse(given);
  if (!success) {
    const [issue] = error.issues;
    throw new AditError('MEDIA_INVALID', `${path}: ${issue?.path.join('.')}: ${issue?.message ?? 'not as expected'}.`);
  }
  const names = new Map(data.categories.map(({ id, name }) => [id, name]));
  const boxes = new Map<string, { label: string; box: LabelledBox | null }[]>();
  for (const [at, { image_id: image, category_id: category, bbox, iscrowd }] of data.annotations.entries()) {
    const label = names.get(category);
    if (label === undefined) {
      throw new AditError('MEDIA_INVALID', `${path}: annotations.${at}: there is no category ${category}.`);
    }
    const known = boxes.get(image) ?? [];
    boxes.set(image, known);
    known.push({ label, box: bbox === undefined ? null : { label, bbox, isCrowd: Boolean(iscrowd) } });
  }
  // Without any boxes, pictures are labelled as a whole; a picture without annotations then has no label.
  const hasBoxes = data.annotations.some(({ bbox }) => bbox !== undefined);
  const pictures = data.images.map(({ id, file_name: name, width, height }) => {
    const there = boxes.get(id) ?? [];
    return {
      name,
      labels: [...new Set(there.map(({ label }) => label))],
      boxes: hasBoxes ? there.flatMap(({ box }) => box ?? []) : null,
      size: width === undefined || height === undefined ? null : { width, height },
    };
  });
  return { pictures, labels: [...new Set(names.values())] };
}

function parsed(text: string, path: string): unknown {
  try {
    // Some editors write a byte order mark.
    return JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    throw new AditError('MEDIA_INVALID', `${path} is no JSON: ${error instanceof Error ? error.message : 'damaged'}.`);
  }
}
