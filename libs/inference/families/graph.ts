import type { ImageInput, ResizeFilter } from '@adit/contracts';
import type { FloatTensor } from '../tensor.js';

/** An axis: its length, the name of an open one (`batch`), or null for an unnamed open one. */
export type Axis = number | string | null;

/** Input or output of a graph. */
export interface GraphValue {
  name: string;
  /** `float32`, `int64`, …; null for a value that is no tensor, such as a sequence. */
  type: string | null;
  /** Null when the graph does not state the number of axes. */
  axes: Axis[] | null;
}

/** Hints that exporters write beside a model's graph. Null means that none is given. */
export interface ExporterHints {
  /** Source of the hints: `Ultralytics`, `Hugging Face`, `timm`, `PaddleOCR`; null without any. */
  exporter: string | null;
  /** Task in the exporter's terms: `detect`, `DetrForObjectDetection`, … */
  task: string | null;
  /** Ultralytics' name of the network's head. */
  head: string | null;
  labels: string[] | null;
  /** Several labels may be right at once. */
  multiLabel: boolean;
  width: number | null;
  height: number | null;
  colour: 'rgb' | 'bgr' | null;
  /** Scale of values of 0..255, one per channel. */
  mean: number[] | null;
  std: number[] | null;
  resize: 'stretch' | 'letterbox' | 'crop' | null;
  /** With `crop`: pixels of the shorter side before the centre is cut out. */
  shorterSide: number | null;
  /** With `crop`: rounds as Hugging Face's code, not as torchvision's. */
  floorCrop: boolean;
  filter: ResizeFilter | null;
  /** With `letterbox`: the colour of the bars, and the picture's position. */
  pad: ImageInput['pad'] | null;
  /** Rows per run, where the graph takes any number. */
  maxBatch: number | null;
  /** Longest text in tokens, and the padding token. */
  textLength: number | null;
  textPad: number | null;
  /** Text decoder: the start token, the end tokens, and the longest text in tokens. */
  writing: { start: number | null; end: number[] | null; length: number | null };
}

/** View of a graph for recognition by families. */
export interface Shape {
  outline: { inputs: readonly GraphValue[]; outputs: readonly GraphValue[] };
  hints: ExporterHints;
  /** The input that takes a picture, when one does. */
  picture: PictureInput | null;
  /** Answers of a trial run; null before. The outline then has the lengths of outputs that were seen. */
  tried: Tried | null;
}

/** Answers of a graph to pictures of noise. */
export interface Tried {
  /** Pixels of the pictures. */
  width: number;
  height: number;
  /** Outputs of each by name, without the batch, as a job reads them. */
  answers: readonly Readonly<Record<string, FloatTensor>>[];
}

export interface PictureInput {
  value: GraphValue;
  layout: 'nchw' | 'nhwc';
  channels: number;
  /** Null where the axis is open. */
  height: number | null;
  width: number | null;
  /** Null where the batch is open; 1 without one. */
  batch: number | null;
  /** True when the first axis is a batch. */
  isBatched: boolean;
}

/** Shortest side of a picture where only three axes suggest one. */
const MIN_SIDE = 16;

/**
 * Returns the inputs that may take a picture, the likeliest first: one with four axes of which one has length 1 or 3
 * (colours), before or behind the sides; or one with such a name; or the only one, of unknown shape.
 */
export function pictureInputs(outline: Shape['outline']): PictureInput[] {
  const stated = statedInput(outline);
  if (stated !== null) return [stated];
  const [value, ...others] = outline.inputs;
  const isOpen = value?.axes?.length === 4 && value.axes.slice(1).every((axis) => fixed(axis) === null);
  if (value === undefined || others.length > 0 || !isOpen || !/^(float(16|32)|uint8)$/.test(value.type ?? ''))
    return [];
  const open = { value, channels: 3, height: null, width: null, batch: fixed(value.axes?.[0]), isBatched: true };
  return [
    { ...open, layout: 'nchw' },
    { ...open, layout: 'nhwc' },
  ];
}

function statedInput({ inputs }: Shape['outline']): PictureInput | null {
  for (const value of inputs) {
    const { axes } = value;
    if (axes?.length !== 4) continue;
    const [batch, second, third, last] = axes;
    for (const [layout, channels, height, width] of [
      ['nchw', second, third, last],
      ['nhwc', last, second, third],
    ] as const) {
      if (channels !== 3 && channels !== 1) continue;
      return {
        value,
        layout,
        channels,
        height: fixed(height),
        width: fixed(width),
        batch: fixed(batch),
        isBatched: true,
      };
    }
    // Hugging Face's exporter leaves the number of colours open too; the networks take three.
    if (value.name === 'pixel_values' && value.type?.startsWith('float') === true && fixed(second) === null) {
      const sides = { height: fixed(third), width: fixed(last) };
      return { value, layout: 'nchw', channels: 3, ...sides, batch: fixed(batch), isBatched: true };
    }
  }
  return onePicture(inputs);
}

/**
 * Recognises an input of three axes: three colours before two sides, as torchvision's detectors have it, or behind
 * fixed sides.
 */
function onePicture(inputs: readonly GraphValue[]): PictureInput | null {
  for (const value of inputs) {
    const { axes } = value;
    if (axes?.length !== 3 || value.type === null || /^(int|bool)/.test(value.type)) continue;
    const [first, second, third] = axes;
    const whole = { value, channels: 3, batch: 1, isBatched: false };
    const sides = [first === 3 ? second : first, first === 3 ? third : second].map(fixed);
    const [height = null, width = null] = sides;
    if (sides.some((side) => side !== null && side < MIN_SIDE)) continue;
    if (first === 3) return { ...whole, layout: 'nchw', height, width };
    if (third === 3 && height !== null && width !== null) return { ...whole, layout: 'nhwc', height, width };
  }
  return null;
}

function fixed(axis: Axis | undefined): number | null {
  return typeof axis === 'number' ? axis : null;
}

/** Returns the lengths of the output's axes behind the batch, null for open ones; null for another number of axes. */
export function axesBehindBatch(value: GraphValue | undefined, count: number): (number | null)[] | null {
  if (value?.axes?.length !== count + 1) return null;
  return value.axes.slice(1).map(fixed);
}

/** Returns the known extra inputs of a network: the size for boxes, and the mask of valid pixels. */
export function sideParts({ inputs }: Shape['outline'], picture: PictureInput): NonNullable<ImageInput['also']> {
  const parts: NonNullable<ImageInput['also']> = {};
  for (const { name, axes, type } of inputs) {
    if (name === picture.value.name || !/^(int(32|64)|float32|bool)$/.test(type ?? '')) continue;
    if (/^(orig|original|target|image)_?(target_?)?sizes?$/.test(name) && axes?.at(-1) === 2) parts[name] = 'size';
    if (name === 'pixel_mask' && axes?.length === 3) parts[name] = 'ones';
  }
  return parts;
}

export function outputNamed({ outline }: Shape, pattern: RegExp): GraphValue | undefined {
  return outline.outputs.find(({ name }) => pattern.test(name));
}

/** Returns the total number of cells of grids at several strides. */
export function cells(width: number, height: number, strides: readonly number[]): number {
  return strides.reduce((sum, stride) => sum + Math.ceil(width / stride) * Math.ceil(height / stride), 0);
}

/** Least length of an embedding; shorter outputs are classes or measures. */
export const MIN_EMBEDDING_LENGTH = 64;
