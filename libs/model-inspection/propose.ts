import type { ImageInput, ResizeFilter } from '@adit/contracts';
import type { ExporterHints } from './exporter-hints.js';
import { detector } from './families/detector.js';
import { faceDetector, faceEmbedding, named } from './families/faces.js';
import { pictureInput, type Family, type Finding, type PictureInput, type Recogniser } from './families/finding.js';
import { classifier, embedding, textDetection, textRecognition } from './families/whole-picture.js';
import type { OnnxOutline } from './onnx-outline.js';

/** Something that neither the graph nor its exporter says. */
export interface Question {
  /** The option that answers it. */
  flag: string;
  question: string;
}

/** What a model is taken for, and how pictures become its input; null is what is not known. */
export interface Proposal {
  family: Family | null;
  decoding: string | null;
  because: string;
  input: {
    tensor: string;
    layout: 'nchw' | 'nhwc';
    colour: 'rgb' | 'bgr' | 'grey' | null;
    width: number | null;
    height: number | null;
    openWidth: boolean;
    mean: number[] | null;
    std: number[] | null;
    resize: 'stretch' | 'letterbox' | 'crop' | null;
    shorterSide: number | null;
    filter: ResizeFilter | null;
    pad: ImageInput['pad'] | null;
  } | null;
  /** Rows of one run: 1 for a graph that takes one, null for any number. */
  maxBatch: number | null;
  labels: string[] | null;
  classes: number | null;
  dimensions: number | null;
  questions: Question[];
}

/** The most particular first. */
const RECOGNISERS: readonly Recogniser[] = [
  named,
  faceDetector,
  detector,
  faceEmbedding,
  textRecognition,
  textDetection,
  classifier,
  embedding,
];

/** Takes a graph for what it looks like, and asks for what it cannot know. */
export function propose(outline: OnnxOutline, hints: ExporterHints): Proposal {
  const picture = pictureInput(outline);
  const finding = RECOGNISERS.reduce<Finding | null>(
    (found, recognise) => found ?? recognise({ outline, hints, picture }),
    null,
  );
  const labels = labelsFor(finding, hints);
  const questions: Question[] = [];
  if (finding === null) {
    questions.push({
      flag: '--family',
      question: 'What is it? Its inputs and outputs are those of no family that is known.',
    });
  }
  if (finding?.classes != null && labels === null) {
    const wrong = hints.labels === null ? '' : ` (${hints.labels.length} were found)`;
    questions.push({
      flag: '--labels',
      question: `What are its ${finding.classes} classes called${wrong}? A file with one label a line.`,
    });
  }
  const input = picture === null ? null : inputOf(picture, hints);
  if (input !== null && finding !== null) questions.push(...questionsAbout(input));
  return {
    family: finding?.family ?? null,
    decoding: finding?.decoding ?? null,
    because: finding?.because ?? 'nothing in its shape or its metadata says what it is',
    input,
    maxBatch: picture === null || picture.batch !== null ? 1 : null,
    labels,
    classes: finding?.classes ?? null,
    dimensions: finding?.dimensions ?? null,
    questions,
  };
}

/** Labels are taken when there are as many as the outputs have room for. */
function labelsFor(finding: Finding | null, { labels }: ExporterHints): string[] | null {
  if (finding === null || labels === null) return null;
  // The blank of CTC, and often a space, stand beside the characters that are listed.
  const spare = finding.family === 'text-recognition' ? 2 : 0;
  const missing = finding.classes === null ? 0 : finding.classes - labels.length;
  return missing >= 0 && missing <= spare ? labels : null;
}

function inputOf(picture: PictureInput, hints: ExporterHints): NonNullable<Proposal['input']> {
  return {
    tensor: picture.value.name,
    layout: picture.layout,
    colour: picture.channels === 1 ? 'grey' : hints.colour,
    width: picture.width ?? hints.width,
    height: picture.height ?? hints.height,
    openWidth: picture.width === null && picture.height !== null,
    mean: hints.mean,
    std: hints.std,
    resize: hints.resize,
    shorterSide: hints.shorterSide,
    filter: hints.filter,
    pad: hints.pad,
  };
}

function questionsAbout({
  colour,
  width,
  height,
  openWidth,
  mean,
  resize,
}: NonNullable<Proposal['input']>): Question[] {
  const questions: Question[] = [];
  if (height === null || (width === null && !openWidth)) {
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
  if (resize === null) {
    questions.push({ flag: '--resize', question: 'How is a picture brought to its size: stretch, letterbox or crop?' });
  }
  return questions;
}
