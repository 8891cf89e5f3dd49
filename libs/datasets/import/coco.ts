import { ClassRequest } from '@adit/contracts';
import { z } from 'zod';
import type { ListReader } from './list-reader.js';
import { namedClass, PLAIN_IMAGE, type ImportedClass, type ImportedImage } from './import-item.js';
import { imageOf, ManifestImage, type Manifest } from './manifest.js';

/** The list of an archive in the format of COCO (https://cocodataset.org/#format-data). */
export const COCO_FILE = 'annotations.json';

const id = z.int();
/** Fields of ours are those that `coco_export` wrote; the lists of others have none. */
const Category = z.object({ id, name: ClassRequest.shape.label, adit: z.object(ClassRequest.shape).optional() });
const Image = z.object({
  id,
  file_name: z.string().max(1024),
  adit: ManifestImage.omit({ file: true }).optional(),
});
const Annotation = z.object({ image_id: id, category_id: id });

/** A picture belongs to the class of its first annotation; one without any is not listed. Stops after each entry, whatever it is. */
export function* readCoco(list: ListReader): Generator<void, Manifest> {
  const classes = new Map<number, ImportedClass>();
  const pictures: { id: number; file: string; image: ImportedImage }[] = [];
  const categoryOf = new Map<number, number>();
  const there = new Set<string>();
  for (const name of list.json.members()) {
    there.add(name);
    if (name === 'categories') {
      yield* list.all(Category, [name], ({ id: category, name: label, adit }) =>
        classes.set(category, adit === undefined ? namedClass(label) : { ...adit, reference: adit.reference ?? null }),
      );
    } else if (name === 'images') {
      yield* list.all(Image, [name], ({ id: picture, file_name: file, adit }) =>
        pictures.push({ id: picture, file, image: adit === undefined ? PLAIN_IMAGE : imageOf(adit) }),
      );
    } else if (name === 'annotations') {
      yield* list.all(Annotation, [name], ({ image_id: image, category_id: category }) => {
        if (!categoryOf.has(image)) categoryOf.set(image, category);
      });
    } else list.json.skip();
    yield;
  }
  list.refuseMissing(['categories', 'images', 'annotations'], there);
  const images: Manifest['images'] = new Map();
  for (const { id: picture, file, image } of pictures) {
    const one = classes.get(categoryOf.get(picture) ?? NaN);
    if (one !== undefined) images.set(file, { class: one, image });
    yield;
  }
  return { type: null, classes: [...classes.values()], images };
}
