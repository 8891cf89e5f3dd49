import { z } from 'zod';
import type { ListReader } from '../list-reader.js';
import { LabelledNames } from '../labelled.js';
import type { Manifest } from '../manifest.js';
import { LabelStudioRow } from './label-studio.js';

const Fields = z.record(z.string(), z.unknown());
const Result = z.object({ value: Fields.optional() });
const Annotation = z.object({ was_cancelled: z.boolean().nullish(), result: z.array(Result) });
/** Earlier versions have completions. */
const Task = z.object({
  data: Fields,
  annotations: z.array(Annotation).optional(),
  completions: z.array(Annotation).optional(),
});

/** Label Studio's JSON (https://labelstud.io/guide/export): tasks with all annotations. */
export function* readLabelStudio(list: ListReader): Generator<void, Manifest> {
  const names = new LabelledNames();
  yield* list.all(Task, [], ({ data, annotations = [], completions = [] }) => {
    const valid = [...annotations, ...completions].filter((one) => one.was_cancelled !== true);
    const row = new LabelStudioRow(data);
    const labels = valid.flatMap(({ result }) =>
      result.flatMap(({ value }) => (value === undefined ? [] : row.labelsOf(value))),
    );
    names.add(row.picture(), labels);
  });
  return { type: null, classes: [], images: names.images };
}

/** Label Studio's JSON-MIN: tasks with their fields and answers side by side. */
export function* readLabelStudioMin(list: ListReader): Generator<void, Manifest> {
  const names = new LabelledNames();
  yield* list.all(Fields, [], (fields) => {
    const row = new LabelStudioRow(fields);
    names.add(row.picture(), row.labels());
  });
  return { type: null, classes: [], images: names.images };
}

const Named = z.object({ image: z.string(), annotations: z.array(z.object({ label: z.string() })) });

/** CreateML's JSON: pictures with the labels of their boxes. */
export function* readCreateMl(list: ListReader): Generator<void, Manifest> {
  const names = new LabelledNames();
  yield* list.all(Named, [], ({ image, annotations }) =>
    names.add(
      image,
      annotations.map(({ label }) => label),
    ),
  );
  return { type: null, classes: [], images: names.images };
}

const Shapes = z.array(z.object({ label: z.string() }));

/** labelme's JSON beside each picture. */
export function* readLabelme(list: ListReader): Generator<void, Manifest> {
  const names = new LabelledNames();
  let name = '';
  const labels = new Set<string>();
  for (const member of list.json.members()) {
    if (member === 'imagePath') name = list.read(z.string(), member);
    else if (member === 'shapes') for (const { label } of list.read(Shapes, member)) labels.add(label);
    else yield* list.json.pass();
    yield;
  }
  names.add(name, labels);
  return { type: null, classes: [], images: names.images };
}
