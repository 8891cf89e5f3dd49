import { z } from 'zod';

const Sha256 = z.string().regex(/^[0-9a-f]{64}$/);
const Name = z.string().regex(/^[a-z0-9][a-z0-9._-]{0,62}$/i);

/**
 * Filter that resizes a picture for a network; `libs/inference/picture/resize.ts` names the library that each of them
 * follows.
 */
export const ResizeFilter = z.enum(['nearest', 'bilinear', 'antialiased', 'bicubic']);
export type ResizeFilter = z.infer<typeof ResizeFilter>;

/** An input of a graph beside its picture: the input's width and height in pixels, or ones. */
export const SidePart = z.enum(['size', 'ones']);
export type SidePart = z.infer<typeof SidePart>;

/**
 * Conversion of pixels to the model's input tensor: `(value − mean) / std` per channel on 0..255 values, in the given
 * order.
 */
export const ImageInput = z.strictObject({
  tensor: z.string().describe("Name of the graph's input"),
  width: z.int().positive().describe('In pixels'),
  height: z.int().positive().describe('In pixels'),
  also: z
    .record(z.string(), SidePart)
    .optional()
    .describe(
      'Its other inputs by name, as D-FINE has `orig_target_sizes` and DETR `pixel_mask`, and what each is given',
    ),
  openWidth: z
    .boolean()
    .optional()
    .describe('The graph takes any width, and callers give each row its own; `width` is then what it is tried with'),
  layout: z
    .enum(['nchw', 'nhwc'])
    .default('nchw')
    .describe('Order of the dimensions: channels before height and width, or behind them; default `nchw`'),
  batch: z
    .boolean()
    .optional()
    .describe(
      'False: its graph takes one picture of three dimensions, and gives what it says of it, without that of a batch',
    ),
  colour: z.enum(['rgb', 'bgr', 'grey']).default('rgb').describe('Order of the colours; default `rgb`'),
  mean: z
    .array(z.number())
    .min(1)
    .max(3)
    .default([0, 0, 0])
    .describe('Subtracted from values of 0..255, one for all channels or one for each'),
  std: z
    .array(z.number().positive())
    .min(1)
    .max(3)
    .default([1, 1, 1])
    .describe('Divisor of the difference, one for all channels or one for each'),
  resize: z
    .enum(['letterbox', 'stretch', 'crop'])
    .optional()
    .describe(
      "How a picture gets the input's shape: bars beside it (`letterbox`, as without), pulled to it (`stretch`), or what is beyond it cut off (`crop`)",
    ),
  shorterSide: z
    .int()
    .positive()
    .max(16_384)
    .optional()
    .describe(
      "With `crop`: pixels of the picture's shorter side before its middle is cut out; the input's longer side without",
    ),
  floorCrop: z
    .boolean()
    .optional()
    .describe(
      "With `crop`: what is cut out begins at the pixel before where its middle is between two, as Hugging Face's own code has it; without, at the even one, as torchvision",
    ),
  filter: ResizeFilter.optional().describe(
    "Whose resizing the network was trained with. With it photos are looked at as they are and every pixel is as the exporter's code makes it; without, shrunk to the mean of samples, from frames that other networks share",
  ),
  pad: z
    .strictObject({
      value: z.number().min(0).max(255).describe('Brightness of the bars, 0 to 255'),
      at: z.enum(['centre', 'corner']).default('centre').describe('Position of the picture; default `centre`'),
    })
    .optional()
    .describe(
      'With `letterbox`: what the bars are filled with, black without, and whether the picture is in the centre or top left',
    ),
});
export type ImageInput = z.infer<typeof ImageInput>;

/**
 * Pixels of the shorter side that frames of films need for a network that resizes as its exporter does; null for one that does
 * not, which is shown what others are.
 */
export function frameSide({ width, height, shorterSide = 0, filter }: ImageInput): number | null {
  return filter === undefined ? null : Math.max(FRAME_SIDE, shorterSide, Math.min(width, height));
}

/** Frame size that all analyses of films request, so that one pack of frames serves them all. */
export const FRAME_SIDE = 600;

/**
 * Conversion of a text to the tensors of a text encoder, after the version's `tokenizer.json` has turned it into
 * numbers.
 */
export const TextInput = z.strictObject({
  /** Name of the graph's input that takes the tokens. */
  tensor: z.string(),
  /** Name of the input that says which of them are text, where there is one. */
  mask: z.string().optional(),
  /** Most tokens of a text, those that begin and end it among them; what is beyond is left out. */
  length: z.int().min(4).max(1024),
  /** Padding of shorter texts: a token, or the last one of the text (`end`). Without it they stay short. */
  pad: z.union([z.int().nonnegative(), z.literal('end')]).optional(),
  /** Sentence around a label, at `{}`. */
  template: z.string().max(255).includes('{}', { error: 'has no {} for the label' }).default('{}'),
});
export type TextInput = z.infer<typeof TextInput>;

/** Decoding of text, token by token; the version's `tokenizer.json` turns tokens into words. */
export const TextOutput = z.strictObject({
  /** The token that opens every text, and those that end one. */
  start: z.int().nonnegative(),
  end: z.array(z.int().nonnegative()).min(1).max(16),
  /** Most tokens of a text, with that which opens it. */
  length: z.int().min(2).max(448),
});
export type TextOutput = z.infer<typeof TextOutput>;

/** Conversion of the cosine of a picture and a text to a logit: `scale × cosine + bias`. */
export const Similarity = z.strictObject({ scale: z.number().positive(), bias: z.number().default(0) });
export type Similarity = z.infer<typeof Similarity>;

/**
 * `model.yaml`: what a data scientist writes beside `<version>/model.onnx`. A `network` belongs to an analysis; a
 * `gallery` is a head: labelled embeddings matched when results are folded.
 */
export const ModelManifest = z.strictObject({
  name: Name,
  kind: z.enum(['network', 'gallery']),
  /** Task of the model, e.g. `face-detection`, `face-embedding`, `face-gallery`. */
  task: z.string(),
  description: z.string().default(''),
  /**
   * Kind of a network that jobs may name, which decides how its outputs are read. Others belong to an analysis by name.
   */
  family: z.string().optional(),
  decoding: z.string().optional(),
  /** The version served when a request names none; the highest installed number otherwise. */
  defaultVersion: z.int().positive().optional(),
  /** Rows of one run; 1 when the graph's batch dimension is fixed. */
  maxBatch: z.int().positive().default(1),
  input: ImageInput.optional(),
  text: TextInput.optional(),
  similarity: Similarity.optional(),
  writing: TextOutput.optional(),
  /** Length of the embedding, for embedding networks and galleries. */
  dimensions: z.int().positive().optional(),
  /** Name of the network whose embeddings a gallery holds. */
  embedding: Name.optional(),
  /**
   * The digest of that network by version of the gallery: what another network makes cannot be compared with it. A version in the store has
   * a manifest of its own, which says it under 1.
   */
  embeddedWith: z.record(z.string(), z.string()).optional(),
  /**
   * Distance of two embeddings of length 1, ‖a − b‖, up to which one person is meant: of a gallery as its training found, or as the
   * network of somebody's own says that it was made with. Jobs use it unless they are told another.
   */
  maxDistance: z.number().min(0).max(2).optional(),
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

/** Precision that a network calculates in. */
export type Precision = 'float32' | 'float16';

/** A model name resolved when a job is posted; kept with the job and used by digest ever after. */
export const ModelPin = z.strictObject({
  name: Name.describe('Name of the model'),
  version: z.int().positive().describe('Number of its version'),
  digest: Sha256.describe('SHA-256 of its files and of what decides how they are used'),
  precision: z
    .literal('float16')
    .optional()
    .describe('Only where it is asked to calculate in float16, as far as its graph can; left out for float32'),
});
export type ModelPin = z.infer<typeof ModelPin>;
