import { ImageInput, Similarity, TextInput, TextOutput } from '@adit/contracts';
import { z } from 'zod';
import type { ExporterHints, Shape } from './graph.js';
import type { Answer, Read, ReadAs } from './reading.js';

/** What the shape of a graph says about it. */
export interface Finding {
  /** How the outputs are read, where a family knows several ways: `yolov8`, `yolox`, `ssd`, … */
  decoding: string | null;
  /** Classes that the outputs have room for. */
  classes: number | null;
  /** Length of an embedding. */
  dimensions: number | null;
  /** How text becomes its tensors, as far as the graph says. */
  text?: { tensor: string; mask: string | null; length: number | null };
  /** It writes text, which its `tokenizer.json` makes words. */
  writes?: true;
  /** What speaks for it, for a person to read. */
  because: string;
  /** What jobs leave out of what it says, in a sentence. */
  note?: string;
  /** Why no job can use it, whatever else is said of it. */
  refusal?: string;
  /** How its pictures are made where its outputs tell; before what its exporter says. */
  pixels?: Partial<Pick<ExporterHints, 'resize' | 'filter' | 'pad' | 'colour' | 'mean' | 'std'>>;
}

/**
 * What models of one kind have in common: how pictures go in and what the outputs mean. A family is the default export of
 * `family.ts` in a folder of its name.
 */
export interface FamilyDefinition {
  /** As model.yaml says it in `family`; also the folder's name. */
  name: string;
  /** What its models do, as model.yaml says it in `task`. */
  task: string;
  /** Ways in which the outputs are written down; the first is taken where nothing says. */
  decodings: readonly string[];
  /** Modules that use its models, each with the analysis that looks with one that a job names; null: never named itself. */
  uses: readonly { module: string; analysis: string | null }[];
  /** Fields of model.yaml without which its models cannot be used; their descriptions say what they are. */
  needs: z.ZodObject;
  /** Where it needs `maxDistance`: what two pictures are of whose embeddings are no further from each other. */
  alike?: string;
  /** Families of a higher one are asked first: what is particular goes before what many graphs look like. */
  precedence: number;
  /** Says whether a graph is one of the family; null when it is not. */
  recognise(shape: Shape): Finding | null;
  /**
   * What outputs of one picture say, from a score on, where jobs read them by themselves. Throws RangeError or VALIDATION for outputs that
   * are not those of a network of that kind.
   */
  read?(answer: Answer, as: ReadAs, minScore: number): Read[];
  /** The number of a class beyond its labels that outputs name; null where they name none. */
  strangeKind?(answer: Answer, as: ReadAs): number | null;
  /** Classes that have no label, such as CTC's blank; none without. */
  spareClasses?: number;
  /** The labels of the outputs, so many where that is known, of a list that may name something else besides, or not all. */
  labelsOf?(labels: string[], decoding: string, outputs: number | null): string[];
  /** How a picture becomes its input where graph and exporter leave that open; without, it is asked for. */
  usual?: Partial<Pick<ImageInput, 'width' | 'height' | 'openWidth' | 'resize'>>;
}

/** Types a family; found by scanning, never by a list. */
export function defineFamily(definition: FamilyDefinition): FamilyDefinition {
  return definition;
}

/** How pictures become its tensor, as families of pictures need it. */
export const PIXELS = ImageInput.describe('input (how pictures become its tensor)');
export const LABELS = z.array(z.string()).describe('labels (the names of its classes)');
export const TEXT = TextInput.describe('text (how texts become its tensors)');
export const WRITING = TextOutput.describe('writing (which tokens open and end its texts, and how long they are)');
export const SIMILARITY = Similarity.describe('similarity (what cosines are multiplied by, and what is added)');
export const MAX_DISTANCE = z
  .number()
  .describe('maxDistance (up to which distance two embeddings of length 1 are of one person, or place)');
export const DIMENSIONS = z.int().positive().describe('dimensions (how many numbers come out)');
