/**
 * Program of `training-process.ts`: it reads a dataset's images as they come, keeps their vectors, trains a head and
 * writes its files. It imports only the modules for that, since their memory is taken from the images.
 */
import { join } from 'node:path';
import { AditError } from '@adit/contracts/errors';
import { elementAt } from '@adit/contracts/lists';
import { FaceHead } from '@adit/datasets/face-head';
import type { Head, HeadInMaking, TrainedImage } from '@adit/datasets/head';
import { PlaceHead } from '@adit/datasets/place-head';
import { embeddingHeadGraph } from '@adit/inference/embedding-head';
import { writeDurably } from '@adit/inference/model-writer';
import { writeGalleryFiles } from '@adit/modules/galleries/gallery-writer';
import { FACE_GALLERY, LANDMARK_MODEL, type GalleryKind } from '@adit/modules/galleries/kinds';
import type { DatasetType, Landmark } from '@adit/contracts';
import {
  GRAPH_FILE,
  type PackedImages,
  type TrainingAnswer,
  type TrainingOrder,
  type WrittenHead,
} from './training-orders.js';

const HEADS: Record<DatasetType, { make: () => HeadInMaking; kind: GalleryKind }> = {
  face: { make: () => new FaceHead(), kind: FACE_GALLERY },
  landmark: { make: () => new PlaceHead(), kind: LANDMARK_MODEL },
};

let type: DatasetType = 'face';
let making: HeadInMaking = HEADS[type].make();
/** Classes whose images are still coming. */
let open: { id: string; label: string; images: TrainedImage[] }[] = [];
const landmarks = new Map<string, Landmark>();

async function obey(order: TrainingOrder): Promise<TrainingAnswer> {
  if ('begin' in order) {
    type = order.begin;
    making = HEADS[type].make();
  } else if ('open' in order) {
    endClasses();
    for (const { landmark, ...one } of order.open) {
      open.push({ ...one, images: [] });
      if (landmark !== undefined) landmarks.set(one.id, landmark);
    }
  } else if ('images' in order) take(order.images);
  else {
    endClasses();
    const head = making.head((progress) => send({ progress }));
    return { written: head === null ? null : await write(head, order.write) };
  }
  return {};
}

function endClasses(): void {
  for (const { images, ...one } of open) making.add(one, images);
  open = [];
}

function take({ images, vectors }: PackedImages): void {
  const dimensions = vectors.length / images.filter(({ fault }) => fault === null).length;
  // Vectors received by the channel lie within the buffer of their message.
  const own = vectors.slice();
  let at = 0;
  for (const { of, fault, ...image } of images) {
    const seen = fault ?? own.subarray(at, (at += dimensions));
    elementAt(open, of).images.push({ ...image, seen });
  }
}

async function write(
  { classes, report }: Head,
  { folder, name, description, network }: Extract<TrainingOrder, { write: object }>['write'],
): Promise<WrittenHead> {
  const dimensions = elementAt(elementAt(classes, 0).centres, 0).length;
  const known = classes.map(({ id, label, centres }) => {
    const landmark = landmarks.get(id);
    return { id, label, embeddings: centres, ...(landmark === undefined ? {} : { landmark }) };
  });
  const manifest = await writeGalleryFiles(folder, name, known, {
    ...{ kind: HEADS[type].kind, embedding: network, dimensions, description, origin: 'a training of a dataset' },
    maxDistance: report.threshold,
  });
  const threshold = 1 - report.threshold ** 2 / 2;
  await writeDurably(join(folder, GRAPH_FILE), embeddingHeadGraph({ dimensions, classes, threshold }));
  return { manifest, report };
}

function send(answer: TrainingAnswer): void {
  process.send?.(answer);
}

// A terminal's signals go to all its processes: the parent decides when this one ends.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => undefined);
process.on('message', (order: TrainingOrder) => {
  void obey(order)
    .catch((error: unknown) => {
      const { code, message } = AditError.from(error);
      return { error: { code, message } };
    })
    .then(send);
});
