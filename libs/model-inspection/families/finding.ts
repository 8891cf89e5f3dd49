import type { ExporterHints } from '../exporter-hints.js';
import type { Axis, GraphValue, OnnxOutline } from '../onnx-outline.js';

/** What a family of models has in common is how pictures go in and what the outputs mean. */
export type Family =
  | 'captioning'
  | 'classifier'
  | 'detector'
  | 'embedding'
  | 'face-detector'
  | 'face-embedding'
  | 'image-text'
  | 'speech'
  | 'text-detection'
  | 'text-recognition';

/** What the shape of a graph says about it. */
export interface Finding {
  family: Family;
  /** How the outputs are read, where a family knows several ways: `yolov8`, `yolox`, `ssd`, … */
  decoding: string | null;
  /** Classes that the outputs have room for. */
  classes: number | null;
  /** Length of an embedding. */
  dimensions: number | null;
  /** What speaks for it, for a person to read. */
  because: string;
}

/** A graph as the families look at it. */
export interface Shape {
  outline: OnnxOutline;
  hints: ExporterHints;
  /** The input that takes a picture, when one does. */
  picture: PictureInput | null;
}

export interface PictureInput {
  value: GraphValue;
  layout: 'nchw' | 'nhwc';
  channels: number;
  /** Null where the axis is open. */
  height: number | null;
  width: number | null;
  /** Null where the batch is open. */
  batch: number | null;
}

/** Says whether a graph is one of its family; null when it is not. */
export type Recogniser = (shape: Shape) => Finding | null;

/** The input with four axes of which one is that of colours: 1 or 3, before or behind the picture's sides. */
export function pictureInput({ inputs }: OnnxOutline): PictureInput | null {
  for (const value of inputs) {
    const { axes } = value;
    if (axes?.length !== 4) continue;
    const [batch, second, third, last] = axes;
    for (const [layout, channels, height, width] of [
      ['nchw', second, third, last],
      ['nhwc', last, second, third],
    ] as const) {
      if (channels !== 3 && channels !== 1) continue;
      return { value, layout, channels, height: fixed(height), width: fixed(width), batch: fixed(batch) };
    }
  }
  return null;
}

export function fixed(axis: Axis | undefined): number | null {
  return typeof axis === 'number' ? axis : null;
}

/** The lengths of the output's axes behind the batch, with null for open ones; null when it has another number of axes. */
export function axesBehindBatch(value: GraphValue | undefined, count: number): (number | null)[] | null {
  if (value?.axes?.length !== count + 1) return null;
  return value.axes.slice(1).map(fixed);
}

export function outputNamed({ outline }: Shape, pattern: RegExp): GraphValue | undefined {
  return outline.outputs.find(({ name }) => pattern.test(name));
}

/** Cells of grids at several strides over a picture, together. */
export function cells(width: number, height: number, strides: readonly number[]): number {
  return strides.reduce((sum, stride) => sum + Math.ceil(width / stride) * Math.ceil(height / stride), 0);
}
