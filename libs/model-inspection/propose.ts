import type { ImageInput, ResizeFilter } from '@adit/contracts';
import {
  MODEL_FAMILIES,
  pictureInputs,
  sideParts,
  type ExporterHints,
  type FamilyDefinition,
  type Finding,
  type GraphValue,
  type PictureInput,
  type Shape,
  type Tried,
} from '@adit/inference/families';
import type { OnnxOutline } from './onnx-outline.js';
import { shown as shownName } from './refusal.js';

/** A property that neither the graph nor its exporter states. */
export interface Question {
  /** Option that answers it. */
  flag: string;
  question: string;
}

/** Presumed family of a model, and its pre-processing; null is unknown. */
export interface Proposal {
  /** One of MODEL_FAMILIES. */
  family: string | null;
  decoding: string | null;
  because: string;
  /** Outputs that jobs ignore. */
  note: string | null;
  /** Reason why no job can use it, whatever the answers. */
  refusal: string | null;
  input: {
    tensor: string;
    also: NonNullable<ImageInput['also']>;
    /** Unknown inputs beside the picture. */
    unknown: string[];
    layout: 'nchw' | 'nhwc';
    colour: 'rgb' | 'bgr' | 'grey' | null;
    width: number | null;
    height: number | null;
    openWidth: boolean;
    /** True when the graph takes a batch axis. */
    isBatched: boolean;
    mean: number[] | null;
    std: number[] | null;
    resize: 'stretch' | 'letterbox' | 'crop' | null;
    shorterSide: number | null;
    floorCrop: boolean;
    filter: ResizeFilter | null;
    pad: ImageInput['pad'] | null;
  } | null;
  /** Text input of a text encoder. */
  text: { tensor: string; mask: string | null; length: number | null; pad: number | 'end' | null } | null;
  /** Token hints of a text decoder; null is unknown. */
  writing: ExporterHints['writing'] | null;
  /** Rows per run: 1 for a graph that takes one, null for any number. */
  maxBatch: number | null;
  labels: string[] | null;
  classes: number | null;
  dimensions: number | null;
  /** Pixels of the trial pictures, and dimensions of the answer to one; null without a trial, or without pictures. */
  seen: { width: number; height: number; dims: Record<string, readonly number[]> } | null;
  questions: Question[];
}

export function maxDistanceQuestion({ alike = 'one thing' }: FamilyDefinition): string {
  return `Up to which distance of two embeddings of length 1 are they of ${alike}? --max-distance 1.1 is a cosine of 0.4.`;
}

/** Result of a trial run: the picture input, and the answers. */
export interface Shown {
  picture: PictureInput | null;
  tried: Tried | null;
  /** By the name of the output, with the batch. */
  dims: ReadonlyMap<string, readonly number[]>;
}

/** Identifies a graph by its shape and answers, and collects questions about the rest. */
export function propose(outline: OnnxOutline, said: ExporterHints, shown: Shown | null = null): Proposal {
  const picture = shown === null ? (pictureInputs(outline)[0] ?? null) : shown.picture;
  const seen = shown === null ? outline : asSeen(outline, shown.dims);
  const { family, finding } = takenFor({
    outline: picture?.isBatched === false ? ofOne(seen) : seen,
    hints: said,
    picture,
    tried: shown?.tried ?? null,
  });
  const hints = { ...said, ...finding?.pixels };
  const labels = labelsFor(family, finding, hints);
  const refusal = finding?.refusal ?? noPicture(outline, picture, finding) ?? fixedBatch(picture);
  const writing = finding?.writes === true ? hints.writing : null;
  const input = picture === null ? null : inputOf(picture, hints, outline);
  const questions = [
    ...(finding === null && refusal === null ? [FAMILY_QUESTION] : []),
    ...questionsAboutFamily(family, finding, { found: hints.labels, usable: labels }),
    ...questionsAboutText(finding, hints.textLength, writing),
    ...(input === null || family === null ? [] : questionsAboutInput(input, family.usual ?? {})),
  ];
  return {
    family: family?.name ?? null,
    decoding: finding?.decoding ?? null,
    because: finding?.because ?? 'nothing in its shape or its metadata says what it is',
    note: finding?.note ?? null,
    refusal,
    input,
    text: textOf(finding, hints),
    writing,
    maxBatch: picture === null || picture.batch !== null || measuresItsRanges(outline) ? 1 : hints.maxBatch,
    labels,
    classes: finding?.classes ?? null,
    dimensions: finding?.dimensions ?? null,
    seen: seenOf(shown?.tried ?? null),
    questions,
  };
}

/**
 * Returns why no job can use a graph that takes rows of numbers, such as a tabular model, or sound of no known family.
 */
function noPicture({ inputs }: Shape['outline'], picture: PictureInput | null, finding: Finding | null): string | null {
  if (picture !== null || finding !== null) return null;
  const taken = inputs.map(
    ({ name, axes }) => `${shownName(name)} [${(axes ?? ['any']).map((axis) => axis ?? '?').join(', ')}]`,
  );
  return `None of its inputs takes a picture: it takes ${taken.join(' and ') || 'nothing'}. Jobs use models of pictures, and encoders and decoders of text that belong to one.`;
}

/** A graph may run one picture at a time, or any number. */
function fixedBatch(picture: PictureInput | null): string | null {
  if (picture === null || picture.batch === null || picture.batch === 1) return null;
  return `It takes exactly ${picture.batch} pictures at once: export it with a batch of 1, or one that is left open.`;
}

/**
 * Tests for dynamic quantisation, whose ranges are those of the whole batch, so that an answer depends on the other
 * rows.
 */
function measuresItsRanges({ operators }: OnnxOutline): boolean {
  return Object.keys(operators).some((name) => /(^|:)DynamicQuantize/.test(name));
}

function seenOf(tried: Tried | null): Proposal['seen'] {
  const [answer] = tried?.answers ?? [];
  if (tried === null || answer === undefined) return null;
  const dims = Object.fromEntries(Object.entries(answer).map(([name, output]) => [name, output.dims]));
  return { width: tried.width, height: tried.height, dims };
}

/** Replaces announced lengths, which may be open or wrong, by seen ones; the batch stays as announced. */
function asSeen({ inputs, outputs }: Shape['outline'], dims: Shown['dims']): Shape['outline'] {
  const axesOf = ({ name, axes }: GraphValue): GraphValue['axes'] => {
    const [batch, ...others] = dims.get(name) ?? [];
    if (batch === undefined) return dims.has(name) ? [] : axes;
    return [axes?.length === others.length + 1 ? (axes[0] ?? null) : batch, ...others];
  };
  return { inputs, outputs: outputs.map((output) => ({ ...output, axes: axesOf(output) })) };
}

/** Adds a batch of 1 to the outputs of a graph without one, since families expect it. */
function ofOne({ inputs, outputs }: Shape['outline']): Shape['outline'] {
  return { inputs, outputs: outputs.map((output) => ({ ...output, axes: output.axes && [1, ...output.axes] })) };
}

/** Returns the first family that recognises the graph. */
function takenFor(shape: Shape): { family: FamilyDefinition; finding: Finding } | { family: null; finding: null } {
  for (const family of MODEL_FAMILIES.all()) {
    const finding = family.recognise(shape);
    if (finding !== null) return { family, finding };
  }
  return { family: null, finding: null };
}

/** Uses labels when their number matches the outputs, or that is unknown. */
function labelsFor(
  family: FamilyDefinition | null,
  finding: Finding | null,
  { labels }: ExporterHints,
): string[] | null {
  if (family === null || finding === null || labels === null) return labels;
  const named = family.labelsOf?.(labels, finding.decoding ?? '', finding.classes) ?? labels;
  if (named.length === finding.classes) return labels;
  const missing = finding.classes === null ? 0 : finding.classes - labels.length;
  return missing >= 0 && missing <= (family.spareClasses ?? 0) ? labels : null;
}

/** SigLIP was trained on padded texts; CLIP ignores tokens after a text's end, where its graph needs them. */
function textOf(finding: Finding | null, { task, textLength, textPad }: ExporterHints): Proposal['text'] {
  if (finding?.text === undefined) return null;
  const { tensor, mask, length } = finding.text;
  const pad = /^Siglip/.test(task ?? '') ? (textPad ?? SIGLIP_PAD) : length === null ? null : 'end';
  return { tensor, mask, length: length ?? textLength, pad };
}

/** Default of SiglipTextConfig, which config.json omits. */
const SIGLIP_PAD = 1;

function inputOf(
  picture: PictureInput,
  hints: ExporterHints,
  outline: Shape['outline'],
): NonNullable<Proposal['input']> {
  const also = sideParts(outline, picture);
  const others = outline.inputs.map(({ name }) => name).filter((name) => name !== picture.value.name);
  return {
    tensor: picture.value.name,
    also,
    unknown: others.filter((name) => also[name] === undefined),
    layout: picture.layout,
    colour: picture.channels === 1 ? 'grey' : hints.colour,
    width: picture.width ?? hints.width,
    height: picture.height ?? hints.height,
    openWidth: picture.width === null && (picture.height !== null || hints.task === 'text-recognition'),
    isBatched: picture.isBatched,
    mean: hints.mean,
    std: hints.std,
    resize: hints.resize,
    shorterSide: hints.shorterSide,
    floorCrop: hints.floorCrop,
    filter: hints.filter,
    pad: hints.pad,
  };
}

const FAMILY_QUESTION: Question = {
  flag: '--family',
  question: 'What is it? Its inputs and outputs are those of no family that is known.',
};

/** Asks for the family's own properties. Found labels may be unusable, because their number is wrong. */
function questionsAboutFamily(
  family: FamilyDefinition | null,
  finding: Finding | null,
  labels: { found: string[] | null; usable: string[] | null },
): Question[] {
  const questions: Question[] = [];
  if (finding?.classes != null && labels.usable === null) {
    const wrong = labels.found === null ? '' : ` (${labels.found.length} were found)`;
    questions.push({
      flag: '--labels',
      question: `What are its ${finding.classes} classes called${wrong}? A file with one label a line.`,
    });
  }
  if (family?.needs.shape['similarity'] !== undefined) {
    questions.push({
      flag: '--logit-scale',
      question: `What is a cosine multiplied by? exp(model.logit_scale): 100 with CLIP as OpenAI trained it. With SigLIP --logit-bias too.`,
    });
  }
  if (family?.needs.shape['maxDistance'] !== undefined) {
    questions.push({ flag: '--max-distance', question: maxDistanceQuestion(family) });
  }
  return questions;
}

function questionsAboutText(
  finding: Finding | null,
  textLength: number | null,
  writing: Proposal['writing'],
): Question[] {
  const questions: Question[] = [];
  if (finding?.text?.length === null && textLength === null) {
    questions.push({
      flag: '--text-length',
      question: 'How many tokens has a text at most? 77 with CLIP, 64 with SigLIP.',
    });
  }
  if (writing?.start === null) {
    questions.push({
      flag: '--start-token',
      question: 'Which token opens a text? decoder_start_token_id of its config.',
    });
  }
  if (writing?.end === null) {
    questions.push({ flag: '--end-token', question: 'Which token ends a text? eos_token_id of its config.' });
  }
  return questions;
}

function questionsAboutInput(
  { colour, width, height, mean, resize }: NonNullable<Proposal['input']>,
  usual: NonNullable<FamilyDefinition['usual']>,
): Question[] {
  const questions: Question[] = [];
  if ((height ?? usual.height) === undefined || (width ?? usual.width) === undefined) {
    questions.push({ flag: '--size', question: 'At which size was it trained? Its graph takes any, such as 640x640.' });
  }
  if (colour === null)
    questions.push({ flag: '--colour', question: 'Are its pictures rgb, as most are, or bgr, as with OpenCV?' });
  if (mean === null) {
    questions.push({
      flag: '--mean and --std',
      question: 'What is subtracted from values of 0..255, and what are they divided by? 0 and 255 give 0..1.',
    });
  }
  if (resize === null && usual.resize === undefined) {
    questions.push({ flag: '--resize', question: 'How is a picture brought to its size: stretch, letterbox or crop?' });
  }
  return questions;
}
