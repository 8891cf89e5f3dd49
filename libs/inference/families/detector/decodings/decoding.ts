import type { FloatTensor } from '../../../tensor.js';
import type { ScoredBox } from '../../../picture/box.js';

/** A box in pixels of the network's input, of class `kind` (its place in the network's labels), score 0..1. */
export interface FoundObject extends ScoredBox {
  kind: number;
}

/** What a decoding must know of a network. */
export interface DetectorShape {
  /** Pixels of the input. */
  width: number;
  height: number;
  /** How many labels it has. */
  kinds: number;
}

/** Outputs of one picture by name, without the batch. */
export type Outputs = Readonly<Record<string, FloatTensor>>;

/** A way in which detectors write down boxes. */
export interface Decoding {
  /**
   * Every box of at least `minScore` before suppression, of too many the surest (`SurestBoxes`). Throws RangeError when the
   * outputs are not of a network of that shape.
   */
  decode(outputs: Outputs, shape: DetectorShape, minScore: number): FoundObject[];
  /** Two boxes of one class that overlap more than this are one object; null where the graph has seen to that. */
  maxOverlap: number | null;
}

/** The one output, which has rows of `columns` numbers or is of that many rows. Throws RangeError when there are several. */
export function onlyOutput(outputs: Outputs): FloatTensor {
  const [output, ...others] = Object.values(outputs);
  if (output === undefined || others.length > 0) {
    throw new RangeError(`The network has the outputs ${Object.keys(outputs).join(', ') || 'none'}; expected is one.`);
  }
  return output;
}

/** An output by name. Throws RangeError when it is missing. */
export function outputOf(outputs: Outputs, ...names: string[]): FloatTensor {
  for (const name of names) {
    const output = outputs[name];
    if (output !== undefined) return output;
  }
  throw new RangeError(`The network has the outputs ${Object.keys(outputs).join(', ')}, and no ${names.join(' or ')}.`);
}

/** A box by its corners. */
export function boxOfCorners(
  left: number,
  top: number,
  right: number,
  bottom: number,
): { x: number; y: number; w: number; h: number } {
  return { x: left, y: top, w: right - left, h: bottom - top };
}

/** A box by its centre and size. */
export function boxAround(x: number, y: number, w: number, h: number): { x: number; y: number; w: number; h: number } {
  return { x: x - w / 2, y: y - h / 2, w, h };
}

/** Whether a number of a class is one of a class that has a label. */
export function isKind(kind: number, kinds: number): boolean {
  return Number.isInteger(kind) && kind >= 0 && kind < kinds;
}

/** An output that is not what a decoding reads, in a sentence. */
export function unlike({ dims }: FloatTensor, wanted: string): RangeError {
  return new RangeError(`The network's output has the shape [${dims.join(', ')}]; expected is ${wanted}.`);
}
