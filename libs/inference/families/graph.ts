import type { ImageInput, ResizeFilter } from '@adit/contracts';
import type { FloatTensor } from '../tensor.js';

/** An axis: its length, the name of one that is open (`batch`), or null for one that says nothing. */
export type Axis = number | string | null;

/** An input or an output of a graph. */
export interface GraphValue {
  name: string;
  /** `float32`, `int64`, …; null for what is no tensor, such as a sequence. */
  type: string | null;
  /** Null when the graph does not say how many axes there are. */
  axes: Axis[] | null;
}

/** What exporters write about a model beside its graph. Null is what none of them says. */
export interface ExporterHints {
  /** Who said it: `Ultralytics`, `Hugging Face`, `timm`, `PaddleOCR`; null when nobody did. */
  exporter: string | null;
  /** In that exporter's words: `detect`, `DetrForObjectDetection`, … */
  task: string | null;
  /** What Ultralytics calls the part of a network that its outputs come from. */
  head: string | null;
  labels: string[] | null;
  /** Several labels may be right at once. */
  multiLabel: boolean;
  width: number | null;
  height: number | null;
  colour: 'rgb' | 'bgr' | null;
  /** On values of 0..255, one for each channel. */
  mean: number[] | null;
  std: number[] | null;
  resize: 'stretch' | 'letterbox' | 'crop' | null;
  /** With `crop`: pixels of the shorter side before the middle is cut out. */
  shorterSide: number | null;
  /** With `crop`: as Hugging Face's own code cuts, not as torchvision. */
  floorCrop: boolean;
  filter: ResizeFilter | null;
  /** With `letterbox`: what the bars are filled with, and where the picture lies. */
  pad: ImageInput['pad'] | null;
  /** Rows of one run, where its graph takes any number. */
  maxBatch: number | null;
  /** Most tokens of a text, and what shorter ones are filled up with. */
  textLength: number | null;
  textPad: number | null;
  /** Of a decoder of text: the token that opens one, those that end one, and most tokens. */
  writing: { start: number | null; end: number[] | null; length: number | null };
}

/** A graph as the families look at it. */
export interface Shape {
  outline: { inputs: readonly GraphValue[]; outputs: readonly GraphValue[] };
  hints: ExporterHints;
  /** The input that takes a picture, when one does. */
  picture: PictureInput | null;
  /** What it answered when it was run; null before. The lengths of outputs in the outline are then those that were seen. */
  tried: Tried | null;
}

/** What a graph answered to pictures of noise. */
export interface Tried {
  /** Pixels of the pictures. */
  width: number;
  height: number;
  /** The outputs of each by name, without the batch, as a job reads them. */
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
  /** Whether it has the axis of a batch, before all others. */
  isBatched: boolean;
}

/** A side that is shorter is no picture's where nothing but three axes speaks for one. */
const SHORTEST_SIDE = 16;

/**
 * The inputs that may take a picture, the likeliest first: one with four axes of which one is that of colours, 1 or 3, before or behind
 * the picture's sides; or it is called so; or it is the only one and says nothing.
 */
export function pictureInputs(outline: Shape['outline']): PictureInput[] {
  const told = toldInput(outline);
  if (told !== null) return [told];
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

function toldInput({ inputs }: Shape['outline']): PictureInput | null {
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

/** An input of three axes: three colours before two sides, as torchvision's detectors are exported, or behind sides that are said. */
function onePicture(inputs: readonly GraphValue[]): PictureInput | null {
  for (const value of inputs) {
    const { axes } = value;
    if (axes?.length !== 3 || value.type === null || /^(int|bool)/.test(value.type)) continue;
    const [first, second, third] = axes;
    const whole = { value, channels: 3, batch: 1, isBatched: false };
    const sides = [first === 3 ? second : first, first === 3 ? third : second].map(fixed);
    const [height = null, width = null] = sides;
    if (sides.some((side) => side !== null && side < SHORTEST_SIDE)) continue;
    if (first === 3) return { ...whole, layout: 'nchw', height, width };
    if (third === 3 && height !== null && width !== null) return { ...whole, layout: 'nhwc', height, width };
  }
  return null;
}

function fixed(axis: Axis | undefined): number | null {
  return typeof axis === 'number' ? axis : null;
}

/** The lengths of the output's axes behind the batch, with null for open ones; null when it has another number of axes. */
export function axesBehindBatch(value: GraphValue | undefined, count: number): (number | null)[] | null {
  if (value?.axes?.length !== count + 1) return null;
  return value.axes.slice(1).map(fixed);
}

/** Where a network's other inputs are known: the size that boxes are to be in, and which pixels are the picture's. */
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

/** Cells of grids at several strides over a picture, together. */
export function cells(width: number, height: number, strides: readonly number[]): number {
  return strides.reduce((sum, stride) => sum + Math.ceil(width / stride) * Math.ceil(height / stride), 0);
}

/** An embedding has at least so many numbers; below it, outputs are classes or measures. */
export const SHORTEST_EMBEDDING = 64;
