import { z } from 'zod';

const Sha256 = z.string().regex(/^[0-9a-f]{64}$/);
const Name = z.string().regex(/^[a-z0-9][a-z0-9._-]{0,62}$/i);

/** How a picture is brought to a network's size; `libs/inference/resize.ts` says whose code each of them is like. */
export const ResizeFilter = z.enum(['nearest', 'bilinear', 'antialiased', 'bicubic']);
export type ResizeFilter = z.infer<typeof ResizeFilter>;

/** How pixels become the model's input tensor: `(value − mean) / std` per channel on 0..255 values, in the given order. */
export const ImageInput = z.strictObject({
  /** Name of the graph's input. */
  tensor: z.string(),
  width: z.int().positive(),
  height: z.int().positive(),
  /** The graph takes any width, and callers give each row its own; `width` is then what it is tried with. */
  openWidth: z.boolean().optional(),
  layout: z.enum(['nchw', 'nhwc']).default('nchw'),
  colour: z.enum(['rgb', 'bgr', 'grey']).default('rgb'),
  mean: z.array(z.number()).min(1).max(3).default([0, 0, 0]),
  std: z.array(z.number().positive()).min(1).max(3).default([1, 1, 1]),
  /**
   * How a picture gets the input's shape: bars beside it (`letterbox`, as without), pulled to it (`stretch`), or what is beyond
   * it cut off (`crop`).
   */
  resize: z.enum(['letterbox', 'stretch', 'crop']).optional(),
  /** With `crop`: pixels of the picture's shorter side before its middle is cut out; the input's longer side without. */
  shorterSide: z.int().positive().max(16_384).optional(),
  /**
   * Whose resizing the network was trained with. With it photos are looked at as they are and every pixel is as the exporter's
   * code makes it; without, shrunk to the mean of samples, from frames that other networks share.
   */
  filter: ResizeFilter.optional(),
  /** With `letterbox`: what the bars are filled with, black without, and whether the picture is in the centre or top left. */
  pad: z
    .strictObject({ value: z.number().min(0).max(255), at: z.enum(['centre', 'corner']).default('centre') })
    .optional(),
});
export type ImageInput = z.infer<typeof ImageInput>;

/**
 * Pixels of the shorter side that frames of films need for a network that resizes as its exporter does; null for one that does
 * not, which is shown what others are.
 */
export function frameSide({ width, height, shorterSide = 0, filter }: ImageInput): number | null {
  return filter === undefined ? null : Math.max(FRAME_SIDE, shorterSide, Math.min(width, height));
}

/** What analyses of films ask for together, so that one pack of frames serves them all. */
export const FRAME_SIDE = 600;

/** Ways in which detectors write down what they found; `libs/analyses/objects/decodings` reads them. */
export const DetectorDecoding = z.enum([
  'nanodet',
  'yolov5',
  'yolov8',
  'yolox',
  'boxes',
  'end2end',
  'detr',
  'rt-detr',
  'ssd',
  'torchvision',
]);
export type DetectorDecoding = z.infer<typeof DetectorDecoding>;

/**
 * What a classifier's value for each label is: of labels of which one is right (`softmax`, unless the values are shares of 1
 * already), of labels that are right or wrong each for itself (`sigmoid`), or a score of 0..1 as it is (`scores`).
 */
export const ClassifierDecoding = z.enum(['softmax', 'sigmoid', 'scores']);
export type ClassifierDecoding = z.infer<typeof ClassifierDecoding>;

/** Networks that jobs may name: what each family does, and how its outputs may be read. */
export const MODEL_FAMILIES = {
  detector: { task: 'object-detection', decodings: DetectorDecoding.options },
  classifier: { task: 'image-classification', decodings: ClassifierDecoding.options },
} as const satisfies Record<string, { task: string; decodings: readonly string[] }>;
export type ModelFamily = keyof typeof MODEL_FAMILIES;
export const ModelFamily = z.enum(Object.keys(MODEL_FAMILIES) as [ModelFamily, ...ModelFamily[]]);

/**
 * `model.yaml`: what a data scientist writes beside `<version>/model.onnx`. A `network` belongs to an analysis; a
 * `gallery` is a head: labelled embeddings matched when results are folded.
 */
export const ModelManifest = z.strictObject({
  name: Name,
  kind: z.enum(['network', 'gallery']),
  /** What the model does, e.g. `face-detection`, `face-embedding`, `face-gallery`. */
  task: z.string(),
  description: z.string().default(''),
  /** Of a network that jobs may name: what it does and how its outputs are read. Others belong to an analysis by name. */
  family: ModelFamily.optional(),
  decoding: z.enum([...DetectorDecoding.options, ...ClassifierDecoding.options]).optional(),
  /** The version served when a request names none; the highest installed number otherwise. */
  defaultVersion: z.int().positive().optional(),
  /** Rows of one run; 1 when the graph's batch dimension is fixed. */
  maxBatch: z.int().positive().default(1),
  input: ImageInput.optional(),
  /** Length of the embedding, for embedding networks and galleries. */
  dimensions: z.int().positive().optional(),
  /** For a gallery: name of the network whose embeddings it holds. */
  embedding: Name.optional(),
  /** The digest of that network by version of the gallery: what another network makes cannot be compared with it. */
  embeddedWith: z.record(z.string(), z.string()).optional(),
  labels: z.array(z.string()).optional(),
  licence: z.string(),
  origin: z.string(),
  /** Modules that may name this model in a request. */
  modules: z.array(z.string()).default([]),
  isDefault: z.boolean().default(false),
  /** SHA-256 of each version's weights file, by version number. */
  sha256: z.record(z.string(), Sha256).default({}),
});
export type ModelManifest = z.infer<typeof ModelManifest>;

/** A model name resolved when a job is posted; kept with the job and used by digest ever after. */
export const ModelPin = z.strictObject({ name: Name, version: z.int().positive(), digest: Sha256 });
export type ModelPin = z.infer<typeof ModelPin>;
