import { AditError } from '@adit/contracts';

/** A list of a known but unsupported tool. */
export interface RefusedList {
  what: string;
  instead: string;
}

const COCO = 'export COCO with its pictures';
const REFUSED = {
  'CVAT for video': 'export CVAT for images 1.1 or COCO 1.0 with its pictures',
  'a backup of CVAT': 'export the task or project as COCO 1.0 with its pictures',
  Datumaro: 'export COCO 1.0 with its pictures',
  Supervisely: COCO,
  'VGG Image Annotator': COCO,
  FiftyOne: 'export fiftyone.types.COCODetectionDataset, or ImageClassificationDirectoryTree',
  'TensorFlow (TFRecord)': COCO,
  'Hugging Face (Parquet, Arrow)': 'save a folder for each class, or metadata.csv with file_name and label',
  'JSON Lines': `${COCO}, or a CSV with filename and label`,
  'Open Images': COCO,
  'MOT (tracks)': 'export CVAT for images 1.1 or COCO 1.0 with its pictures',
  KITTI: COCO,
  'masks (segmentation)': `${COCO}, or Pascal VOC`,
  'WIDER FACE': COCO,
  'Market-1501': 'make a folder for each person',
  Cityscapes: COCO,
} as const;

export function refusedAs(what: keyof typeof REFUSED): RefusedList {
  return { what, instead: REFUSED[what] };
}

const BY_PATH: readonly [RegExp, keyof typeof REFUSED][] = [
  [/\.(tfrecords?|record)$|\.tfrecord-\d+-of-\d+$/i, 'TensorFlow (TFRecord)'],
  [/(^|\/)gt\/gt\.txt$/i, 'MOT (tracks)'],
  [/(^|\/)label_2\/[^/]+\.txt$/i, 'KITTI'],
  [/(^|\/)segmentationclass\/[^/]+$/i, 'masks (segmentation)'],
  [/(^|\/)wider_face_(split\/|\w*bbx_gt)/i, 'WIDER FACE'],
  [/(^|\/)bounding_box_(train|test)\//i, 'Market-1501'],
  [/(^|\/)gtfine\//i, 'Cityscapes'],
];
/** Lists that may also accompany folders of classes. */
const PLAIN: readonly [RegExp, keyof typeof REFUSED][] = [
  [/\.(jsonl|ndjson)$/i, 'JSON Lines'],
  [/\.(parquet|arrow|feather)$/i, 'Hugging Face (Parquet, Arrow)'],
];

/** Recognises a list by its path alone. */
export function refusedByPath(path: string): RefusedList | null {
  const what = BY_PATH.find(([pattern]) => pattern.test(path))?.[1];
  return what === undefined ? null : refusedAs(what);
}

/** Recognises a list that may accompany folders of classes, which take precedence. */
export function unreadByPath(path: string): RefusedList | null {
  const what = PLAIN.find(([pattern]) => pattern.test(path))?.[1];
  return what === undefined ? null : refusedAs(what);
}

export function refusal(path: string, { what, instead }: RefusedList): AditError {
  return new AditError('MEDIA_INVALID', `${path} is a list of ${what}, which is not read here: ${instead}.`);
}
