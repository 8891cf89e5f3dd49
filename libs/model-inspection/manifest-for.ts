import { AditError, ImageInput, ModelManifest, type Similarity, TextInput, TextOutput } from '@adit/contracts';
import { MODEL_FAMILIES, readAsOf, whyUnreadable, type FamilyDefinition } from '@adit/inference';
import { shown } from './refusal.js';
import { maxDistanceQuestion, type Proposal } from './propose.js';

/** Answers of the user who adds a model; a question's message names the option of `adit model add` that answers it. */
export interface ModelAnswers {
  name: string;
  labels?: string[] | undefined;
  family?: string | undefined;
  decoding?: string | undefined;
  size?: string | undefined;
  colour?: string | undefined;
  mean?: string | undefined;
  std?: string | undefined;
  resize?: string | undefined;
  filter?: string | undefined;
  pad?: string | undefined;
  shorterSide?: string | undefined;
  logitScale?: string | undefined;
  logitBias?: string | undefined;
  maxDistance?: string | undefined;
  textLength?: string | undefined;
  template?: string | undefined;
  startToken?: string | undefined;
  endToken?: string | undefined;
  description?: string | undefined;
  licence?: string | undefined;
  origin?: string | undefined;
}

/**
 * Builds the manifest of an inspected file from the answers, else from its shape and exporter, else from `before`.
 * Throws VALIDATION with a pointer to each missing or wrong answer.
 */
export function manifestFor(answers: ModelAnswers, proposal: Proposal, before: ModelManifest | null): ModelManifest {
  if (proposal.refusal !== null) throw wrong('file', proposal.refusal);
  const { labels: given } = answers;
  const { family, decoding } = readAs(answers, proposal, before);
  // The proposal's properties only apply to the proposed family.
  const isAsTaken = family.name === proposal.family && decoding === proposal.decoding;
  const classes = isAsTaken ? proposal.classes : null;
  const named = given ?? proposal.labels ?? before?.labels ?? null;
  const labels = named === null ? null : (family.labelsOf?.(named, decoding ?? '', classes) ?? named);
  const needs = new Set(Object.keys(family.needs.shape));
  const input = needs.has('input') ? pixelsOf(answers, proposal, before, family.usual) : undefined;
  if (labels === null && needs.has('labels')) {
    throw unanswered([['labels', 'What are its classes called? --labels FILE, with one label a line.']]);
  }
  if (labels !== null && classes !== null && labels.length !== classes) {
    throw wrong('labels', `It has ${classes} classes, and ${labels.length} labels were given.`);
  }
  const manifest = ModelManifest.parse({
    ...before,
    name: answers.name,
    kind: 'network',
    task: family.task,
    family: family.name,
    decoding: decoding ?? undefined,
    description: answers.description ?? (before?.description || (proposal.note ?? '')),
    maxBatch: proposal.maxBatch ?? MAX_ROWS,
    input,
    labels: labels ?? undefined,
    dimensions: needs.has('dimensions') ? (proposal.dimensions ?? before?.dimensions) : undefined,
    text: needs.has('text') ? textOf(answers, proposal, before?.text) : undefined,
    writing: needs.has('writing') ? writingOf(answers, proposal, before?.writing) : undefined,
    maxDistance: needs.has('maxDistance') ? maxDistanceOf(answers, before?.maxDistance, family) : undefined,
    similarity: needs.has('similarity') ? similarityOf(answers, before?.similarity) : undefined,
    licence: answers.licence ?? before?.licence ?? 'private',
    origin: answers.origin ?? before?.origin ?? 'given by the user',
    modules: family.uses.map(({ module }) => module),
  });
  refuseOtherOutputs(family, manifest, proposal);
  return manifest;
}

/** Requires that outputs match the claimed family, if the graph was run at the size that jobs will use. */
function refuseOtherOutputs(family: FamilyDefinition, manifest: ModelManifest, { seen }: Proposal): void {
  const as = readAsOf(manifest);
  if (seen === null || seen.width !== as.width || seen.height !== as.height) return;
  const why = whyUnreadable(family, seen.dims, as);
  if (why !== null) throw wrong('decoding', why);
}

const IN_WORDS = new Intl.ListFormat('en');

interface How {
  family: FamilyDefinition;
  decoding: string | null;
}

/**
 * Returns the family and decoding: from the options; else from the versions before, where the answers match; else from
 * the proposal.
 */
function readAs(answers: ModelAnswers, proposal: Proposal, before: ModelManifest | null): How {
  const usable = MODEL_FAMILIES.usable();
  const isAsked = answers.family !== undefined || answers.decoding !== undefined;
  const earlier = isAsked ? null : readAsBefore(proposal, before);
  if (earlier !== null) return earlier;
  const taken = answers.labels !== undefined && isClassifierOf(answers.labels, proposal) ? CLASSIFIER : proposal.family;
  const wanted = answers.family ?? MODEL_FAMILIES.withDecoding(answers.decoding)?.name ?? taken;
  const family = usable.find(({ name }) => name === wanted);
  if (family === undefined) {
    const taken = proposal.family === null ? 'for none that is known' : `for a model of the family ${proposal.family}`;
    const names = usable.map(
      ({ name, decodings }) => `${name}${decodings.length > 0 ? ` (${decodings.join(', ')})` : ''}`,
    );
    throw wrong(
      'family',
      `It is taken ${taken} (${proposal.because}); jobs use ${IN_WORDS.format(names)} today. If it is one, say --family, and --decoding for how its outputs are read.`,
    );
  }
  const { name, decodings } = family;
  if (decodings.length === 0) return { family, decoding: null };
  const decoding = answers.decoding ?? (proposal.family === name ? proposal.decoding : decodings[0]) ?? '';
  if (!decodings.includes(decoding)) {
    throw wrong(
      'decoding',
      `Its outputs are read as ${decoding || 'nothing'}, which is none of ${decodings.join(', ')}: export it in one of these ways, or say --decoding.`,
    );
  }
  return { family, decoding };
}

const CLASSIFIER = 'classifier';

/** Labels mean classes: an embedding of as many numbers needs none. */
function isClassifierOf(labels: readonly string[], { family, dimensions }: Proposal): boolean {
  return (family === 'embedding' || family === 'face-embedding') && labels.length === dimensions;
}

/** Returns the family and decoding of the versions before, where they can read the outputs. */
function readAsBefore(proposal: Proposal, before: ModelManifest | null): How | null {
  const family = MODEL_FAMILIES.usable().find(({ name }) => name === before?.family);
  const { seen } = proposal;
  if (before === null || family?.read === undefined || seen === null) return null;
  const as = { ...readAsOf(before), width: seen.width, height: seen.height };
  return whyUnreadable(family, seen.dims, as) === null ? { family, decoding: before.decoding ?? null } : null;
}

/** The distance that separates people or places is known only from training. */
function maxDistanceOf(answers: ModelAnswers, before: number | undefined, family: FamilyDefinition): number {
  const distance = numberOf('maxDistance', answers.maxDistance) ?? before;
  if (distance === undefined) throw unanswered([['maxDistance', maxDistanceQuestion(family)]]);
  if (distance > 0 && distance <= 2) return distance;
  throw wrong('maxDistance', `--max-distance ${distance} is not above 0 and at most 2: √(2 − 2 · cosine).`);
}

/** The scale of the cosine is a weight that no exported encoder carries. */
function similarityOf(answers: ModelAnswers, before: Similarity | undefined): Similarity {
  const scale = numberOf('logitScale', answers.logitScale) ?? before?.scale;
  const bias = numberOf('logitBias', answers.logitBias) ?? before?.bias ?? 0;
  if (scale === undefined) {
    const question = 'What is a cosine multiplied by? --logit-scale 100 with CLIP as OpenAI trained it';
    throw unanswered([['logitScale', `${question}: exp(model.logit_scale); with SigLIP --logit-bias too.`]]);
  }
  if (scale <= 0) throw wrong('logitScale', `--logit-scale ${scale} is not above 0: it is exp(model.logit_scale).`);
  return { scale, bias };
}

/** The template of Hugging Face's pipeline for zero-shot classification, which SigLIP was also trained with. */
const TEMPLATE = 'This is a photo of {}.';

function textOf(answers: ModelAnswers, { text }: Proposal, before: TextInput | undefined): TextInput {
  if (text === null)
    throw wrong('file', 'None of its inputs takes tokens: export the encoder of text as a file of its own.');
  const length = text.length ?? numberOf('textLength', answers.textLength) ?? before?.length;
  if (length === undefined) {
    throw unanswered([
      ['textLength', 'How many tokens has a text at most? --text-length 77 with CLIP, 64 with SigLIP.'],
    ]);
  }
  const template = answers.template ?? before?.template ?? TEMPLATE;
  const { tensor, mask, pad } = text;
  const said = { tensor, length, template, ...(mask === null ? {} : { mask }), ...(pad === null ? {} : { pad }) };
  const checked = TextInput.safeParse(said);
  if (checked.success) return checked.data;
  const [issue] = checked.error.issues;
  throw wrong(
    issue?.path[0] === 'template' ? 'template' : 'textLength',
    `${String(issue?.path[0])}: ${issue?.message ?? 'wrong'}.`,
  );
}

/** Hugging Face's default for the length of texts. */
const MAX_TOKENS = 20;

function writingOf(answers: ModelAnswers, { writing, because }: Proposal, before: TextOutput | undefined): TextOutput {
  // The family was given; the proposal explains why it does not fit.
  if (writing === null && before === undefined)
    throw wrong('file', `It is no decoder of text that can be used: ${because}.`);
  const token = numberOf('endToken', answers.endToken);
  const start = numberOf('startToken', answers.startToken) ?? writing?.start ?? before?.start;
  const end = (token === undefined ? null : [token]) ?? writing?.end ?? before?.end;
  const length = numberOf('textLength', answers.textLength) ?? writing?.length ?? before?.length ?? MAX_TOKENS;
  const questions: [keyof ModelAnswers, string][] = [];
  if (start === undefined) questions.push(['startToken', 'Which token opens a text? --start-token 0']);
  if (end === undefined) questions.push(['endToken', 'Which token ends a text? --end-token 0']);
  if (questions.length > 0) throw unanswered(questions);
  const checked = TextOutput.safeParse({ start, end, length });
  if (checked.success) return checked.data;
  const [issue] = checked.error.issues;
  const answer = { start: 'startToken', end: 'endToken', length: 'textLength' }[String(issue?.path[0])] ?? 'textLength';
  throw wrong(answer, `${String(issue?.path[0])}: ${issue?.message ?? 'wrong'}.`);
}

function numberOf(answer: keyof ModelAnswers, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const number = text.trim() === '' ? NaN : Number(text);
  if (!Number.isFinite(number)) throw wrong(answer, `${text} is no number.`);
  return number;
}

/** Rows per run for graphs that take any number. */
const MAX_ROWS = 8;

function pixelsOf(
  answers: ModelAnswers,
  { input: found }: Proposal,
  before: ModelManifest | null,
  usual: FamilyDefinition['usual'],
): ImageInput {
  if (found === null) throw wrong('file', 'None of its inputs takes a picture.');
  const [unknown] = found.unknown;
  if (unknown !== undefined) {
    throw wrong(
      'file',
      `Beside its picture it takes a second input ${shown(unknown)}, which jobs have nothing for: export it with the picture alone.`,
    );
  }
  const size = answers.size === undefined ? null : sizeOf(answers.size);
  const earlier = before?.input;
  const width = size?.width ?? found.width ?? earlier?.width ?? usual?.width;
  const height = size?.height ?? found.height ?? earlier?.height ?? usual?.height;
  const colour = answers.colour ?? found.colour ?? earlier?.colour;
  const mean = numbersOf('mean', answers.mean) ?? found.mean ?? earlier?.mean;
  const std = numbersOf('std', answers.std) ?? found.std ?? earlier?.std;
  const resize = answers.resize ?? found.resize ?? earlier?.resize ?? usual?.resize;
  const questions: [keyof ModelAnswers, string][] = [];
  if (width === undefined || height === undefined)
    questions.push(['size', 'At which size was it trained? --size 640x640']);
  if (colour === undefined)
    questions.push(['colour', 'Are its pictures rgb, as most are, or bgr, as with OpenCV? --colour rgb']);
  if (mean === undefined || std === undefined) {
    const question = 'What is subtracted from values of 0..255, and what are they divided by?';
    questions.push([mean === undefined ? 'mean' : 'std', `${question} --mean 0 --std 255 gives 0..1.`]);
  }
  if (resize === undefined)
    questions.push(['resize', 'How is a picture brought to its size? --resize letterbox, stretch or crop']);
  if (questions.length > 0) throw unanswered(questions);
  const checked = ImageInput.safeParse({
    tensor: found.tensor,
    width,
    height,
    ...(found.openWidth && usual?.openWidth === true ? { openWidth: true } : {}),
    layout: found.layout,
    ...(Object.keys(found.also).length > 0 ? { also: found.also } : {}),
    ...(found.isBatched ? {} : { batch: false }),
    colour,
    mean,
    std,
    resize,
    ...asItsExporter(answers, found, earlier),
  });
  if (checked.success) return checked.data;
  const [issue] = checked.error.issues;
  const answer = String(issue?.path[0] ?? 'size');
  throw wrong(answer, `--${answer}: ${issue?.message ?? 'wrong'}.`);
}

/**
 * By default it is resized like Adit's own networks. A version keeps the resizing of its model, since model.yaml
 * applies to all of them.
 */
function asItsExporter(
  answers: ModelAnswers,
  found: NonNullable<Proposal['input']>,
  earlier: ImageInput | undefined,
): Partial<Record<'filter' | 'shorterSide' | 'floorCrop' | 'pad', unknown>> {
  const { filter: foundFilter, shorterSide: foundSide, floorCrop, pad: foundPad } = found;
  const known = earlier ?? {
    filter: foundFilter,
    shorterSide: foundSide,
    floorCrop: floorCrop || undefined,
    pad: foundPad,
  };
  const filter = answers.filter ?? known.filter ?? undefined;
  const shorterSide = answers.shorterSide === undefined ? known.shorterSide : Number(answers.shorterSide);
  const pad = answers.pad === undefined ? known.pad : padOf(answers.pad);
  const said = { filter, shorterSide: shorterSide ?? undefined, floorCrop: known.floorCrop, pad: pad ?? undefined };
  return Object.fromEntries(Object.entries(said).filter(([, value]) => value !== undefined));
}

function padOf(text: string): { value: number; at: string } {
  const [, value, at = 'centre'] = /^(\d{1,3})(?:,(centre|corner))?$/.exec(text) ?? [];
  if (value === undefined) {
    throw wrong('pad', `--pad ${text} is no grey of 0..255 with centre or corner, such as 114,corner.`);
  }
  return { value: Number(value), at };
}

function unanswered(questions: readonly (readonly [keyof ModelAnswers, string])[]): AditError {
  const errors = questions.map(([answer, message]) => ({ pointer: `/${answer}`, code: 'missing', message }));
  const lines = questions.map(([, question]) => `  ${question}`).join('\n');
  return new AditError('VALIDATION', `Neither the file nor its exporter says:\n${lines}`, { errors });
}

function wrong(answer: string, message: string): AditError {
  return new AditError('VALIDATION', message, { errors: [{ pointer: `/${answer}`, code: 'invalid', message }] });
}

function sizeOf(text: string): { width: number; height: number } {
  const [, width, height] = /^(\d{1,5})x(\d{1,5})$/.exec(text) ?? [];
  if (width === undefined || height === undefined) {
    throw wrong('size', `--size ${text} is no width and height in pixels, such as 640x640.`);
  }
  return { width: Number(width), height: Number(height) };
}

function numbersOf(answer: string, text: string | undefined): number[] | null {
  if (text === undefined) return null;
  const numbers = text.split(',').map((part) => (part.trim() === '' ? NaN : Number(part)));
  if (numbers.some(Number.isNaN) || ![1, 3].includes(numbers.length)) {
    throw wrong(answer, `--${answer} ${text} is neither one number nor three with commas between.`);
  }
  return numbers;
}
