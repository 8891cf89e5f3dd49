import { ClassRequest } from '@adit/contracts';
import { z } from 'zod';
import type { ListReader } from './list-reader.js';
import { namedClass, PLAIN_IMAGE, type ImportedClass, type ImportedImage, type Said } from './import-item.js';
import { saidTwice, severalClasses, unclassed } from './labelled.js';
import { imageOf, ManifestImage, type Manifest } from './manifest.js';

/**
 * Name of the list of an archive in COCO's format (https://cocodataset.org/#format-data), as `coco_export` writes it.
 */
export const COCO_FILE = 'annotations.json';

/** Some tools write text. */
const id = z.union([z.int(), z.string().max(200)]).transform(String);
/** Custom fields as `coco_export` writes them; other tools' lists have none. */
const Category = z.object({ id, name: ClassRequest.shape.label, adit: z.object(ClassRequest.shape).optional() });
const Image = z.object({
  id,
  file_name: z.string().max(1024),
  adit: ManifestImage.omit({ file: true }).optional(),
});
const Annotation = z.object({ image_id: id, category_id: id });

/**
 * A picture belongs to the class of its annotations. Unused categories of other tools are ignored, since some add
 * groups. Yields after each entry.
 */
export function* readCoco(list: ListReader): Generator<void, Manifest> {
  const classes = new Map<string, ImportedClass>();
  const kept: ImportedClass[] = [];
  const pictures: { id: string; file: string; image: ImportedImage }[] = [];
  /** Two categories of a picture are enough to know that there are several. */
  const categoriesOf = new Map<string, string[]>();
  const there = new Set<string>();
  for (const name of list.json.members()) {
    there.add(name);
    if (name === 'categories') {
      yield* list.all(Category, [name], ({ id: category, name: label, adit }) => {
        const one = adit === undefined ? namedClass(label) : { ...adit, reference: adit.reference ?? null };
        classes.set(category, one);
        if (adit !== undefined) kept.push(one);
      });
    } else if (name === 'images') {
      yield* list.all(Image, [name], ({ id: picture, file_name: file, adit }) =>
        pictures.push({ id: picture, file, image: adit === undefined ? PLAIN_IMAGE : imageOf(adit) }),
      );
    } else if (name === 'annotations') {
      yield* list.all(Annotation, [name], ({ image_id: image, category_id: category }) => {
        const before = categoriesOf.get(image);
        if (before === undefined) categoriesOf.set(image, [category]);
        else if (before.length < 2 && !before.includes(category)) before.push(category);
      });
    } else list.json.skip();
    yield;
  }
  list.refuseMissing(['categories', 'images', 'annotations'], there);
  const images: Manifest['images'] = new Map();
  for (const { id: picture, file, image } of pictures) {
    const found = (categoriesOf.get(picture) ?? []).flatMap((category) => classes.get(category) ?? []);
    images.set(file, saidTwice(images.get(file), saidOf(found, image)));
    yield;
  }
  return { type: null, classes: kept, images };
}

function saidOf([one, another]: readonly ImportedClass[], image: ImportedImage): Said {
  if (one === undefined) return unclassed();
  if (another !== undefined && another.label !== one.label) return severalClasses(one.label, another.label);
  return { class: one, image };
}
