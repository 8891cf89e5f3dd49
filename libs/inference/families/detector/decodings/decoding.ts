import type { FloatTensor } from '../../../tensor.js';
import type { ScoredBox } from '../../../picture/box.js';

/** Box in pixels of the network's input, of class `kind` (an index into the network's labels), score 0..1. */
export interface FoundObject extends ScoredBox {
  kind: number;
}

/** Properties of a network that decoding needs. */
export interface DetectorShape {
  /** Pixels of the input. */
  width: number;
  height: number;
  /** Number of labels. */
  kinds: number;
}

/** Outputs of one picture by name, without the batch. */
export type Outputs = Readonly<Record<string, FloatTensor>>;

/** An output format of detectors. */
export interface Decoding {
  /**
   * Returns the boxes of at least `minScore` before suppression, limited to the surest (`SurestBoxes`). Throws
   * RangeError when the outputs do not fit the shape.
   */
  decode(outputs: Outputs, shape: DetectorShape, minScore: number): FoundObject[];
  /** Overlap above which two boxes of a class are one object; null where the graph suppresses them itself. */
  maxOverlap: number | null;
}

/**
 * Returns the single output, which has rows of `columns` numbers or is of that many rows. Throws RangeError when there
 * are several.
 */
export function onlyOutput(outputs: Outputs): FloatTensor {
  const [output, ...others] = Object.values(outputs);
  if (output === undefined || others.length > 0) {
    throw new RangeError(`The network has the outputs ${Object.keys(outputs).join(', ') || 'none'}; expected is one.`);
  }
  return output;
}

/** Returns an output by name. Throws RangeError when it is missing. */
export function outputOf(outputs: Outputs, ...names: string[]): FloatTensor {
  for (const name of names) {
    const output = outputs[name];
    if (output !== undefined) return output;
  }
  throw new RangeError(`The network has the outputs ${Object.keys(outputs).join(', ')}, and no ${names.join(' or ')}.`);
}

/** Makes a box from its corners. */
export function boxOfCorners(
  left: number,
  top: number,
  right: number,
  bottom: number,
): { x: number; y: number; w: number; h: number } {
  return { x: left, y: top, w: right - left, h: bottom - top };
}

/** Makes a box from its centre and size. */
export function boxAround(x: number, y: number, w: number, h: number): { x: number; y: number; w: number; h: number } {
  return { x: x - w / 2, y: y - h / 2, w, h };
}

/** Tests whether a class number has a label. */
export function isKind(kind: number, kinds: number): boolean {
  return Number.isInteger(kind) && kind >= 0 && kind < kinds;
}

/** Error for an output that a decoding cannot read. */
export function unlike({ dims }: FloatTensor, wanted: string): RangeError {
  return new RangeError(`The network's output has the shape [${dims.join(', ')}]; expected is ${wanted}.`);
}
