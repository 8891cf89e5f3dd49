import { ImageInput, Similarity, TextInput, TextOutput } from '@adit/contracts';
import { z } from 'zod';
import type { ExporterHints, Shape } from './graph.js';
import type { Answer, Read, ReadAs } from './reading.js';

/** Properties derived from the shape of a graph. */
export interface Finding {
  /** Output format, where a family knows several: `yolov8`, `yolox`, `ssd`, … */
  decoding: string | null;
  /** Number of classes that the outputs hold. */
  classes: number | null;
  /** Length of an embedding. */
  dimensions: number | null;
  /** Tensors of the text input, as far as the graph states them. */
  text?: { tensor: string; mask: string | null; length: number | null };
  /** The model writes text, whose tokens its `tokenizer.json` decodes. */
  writes?: true;
  /** Evidence for the finding, for people to read. */
  because: string;
  /** Outputs that jobs ignore, in a sentence. */
  note?: string;
  /** Reason why no job can use it, whatever else is known of it. */
  refusal?: string;
  /** Pre-processing that follows from the outputs; takes precedence over the exporter's hints. */
  pixels?: Partial<Pick<ExporterHints, 'resize' | 'filter' | 'pad' | 'colour' | 'mean' | 'std'>>;
}

/**
 * Common properties of one kind of models: pre-processing and the meaning of outputs. A family is the default export of
 * `family.ts` in a folder of its name.
 */
export interface FamilyDefinition {
  /** Value of `family` in model.yaml; also the folder's name. */
  name: string;
  /** Value of `task` in model.yaml. */
  task: string;
  /** Output formats; the first one is the default. */
  decodings: readonly string[];
  /**
   * Modules that use its models, each with the analysis that runs a model named by a job; null: jobs name it
   * indirectly.
   */
  uses: readonly { module: string; analysis: string | null }[];
  /** Fields of model.yaml that its models require; their descriptions explain them. */
  needs: z.ZodObject;
  /** Subject of two pictures whose embeddings are within `maxDistance`, where that is required. */
  alike?: string;
  /** Families with a higher value are asked first: specific shapes precede general ones. */
  precedence: number;
  /** Recognises a graph of the family; null for other graphs. */
  recognise(shape: Shape): Finding | null;
  /**
   * Reads the outputs of one picture, from a score on, where jobs use them directly. Throws RangeError or VALIDATION
   * for outputs of another kind of network.
   */
  read?(answer: Answer, as: ReadAs, minScore: number): Read[];
  /** Returns a class number beyond the labels that outputs contain; null where there is none. */
  strangeKind?(answer: Answer, as: ReadAs): number | null;
  /** Number of classes without a label, such as CTC's blank; 0 when absent. */
  spareClasses?: number;
  /**
   * Returns the labels of the outputs, as many as `outputs` where known, from a list that may contain others or lack
   * some.
   */
  labelsOf?(labels: string[], decoding: string, outputs: number | null): string[];
  /** Default pre-processing where graph and exporter leave it open; without it, the user is asked. */
  usual?: Partial<Pick<ImageInput, 'width' | 'height' | 'openWidth' | 'resize'>>;
}

/** Types a family definition; families are found by scanning folders. */
export function defineFamily(definition: FamilyDefinition): FamilyDefinition {
  return definition;
}

/** Field descriptions of model.yaml for families of pictures. */
export const PIXELS = ImageInput.describe('input (how pictures become its tensor)');
export const LABELS = z.array(z.string()).describe('labels (the names of its classes)');
export const TEXT = TextInput.describe('text (how texts become its tensors)');
export const WRITING = TextOutput.describe('writing (which tokens open and end its texts, and how long they are)');
export const SIMILARITY = Similarity.describe('similarity (what cosines are multiplied by, and what is added)');
export const MAX_DISTANCE = z
  .number()
  .describe('maxDistance (up to which distance two embeddings of length 1 are of one person, or place)');
export const DIMENSIONS = z.int().positive().describe('dimensions (how many numbers come out)');
