import { constants, copyFile, mkdir, readFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { AditError, ImageInput, MODEL_FAMILIES, ModelFamily, ModelManifest } from '@adit/contracts';
import { checkModelName, readManifest, writeModelVersion } from '@adit/inference';
import { inspectModel, labelLines, type ExternalFile, type Proposal } from '@adit/model-inspection';
import { tryModel } from './model-try.js';
import { untilInterrupted } from './interrupt.js';
import { cliSettings } from './settings.js';

export interface ModelAddOptions {
  name: string;
  dataDir?: string;
  labels?: string;
  family?: string;
  decoding?: string;
  size?: string;
  colour?: string;
  mean?: string;
  std?: string;
  resize?: string;
  filter?: string;
  pad?: string;
  shorterSide?: string;
  description?: string;
  licence?: string;
  origin?: string;
  /** A photo that it is tried on instead of being added. */
  try?: string;
  /** Where the photo is written with boxes. */
  drawn?: string;
}

/** Adds an ONNX file as a new version of a model, or begins the model; asks for what nothing tells. */
export async function addModel(file: string, options: ModelAddOptions): Promise<void> {
  checkModelName(options.name, 'model');
  const path = resolve(file);
  const { userModels } = cliSettings(options.dataDir);
  const before = await readManifest(userModels, options.name);
  const labels = options.labels === undefined ? null : labelLines(await readFile(resolve(options.labels), 'utf8'));
  const { signal, release } = untilInterrupted();
  const { proposal, external } = await inspectModel(path, { signal }).finally(release);
  const manifest = manifestOf(options, proposal, labels, before);
  const writeInto = (modelsDir: string) =>
    writeModelVersion(modelsDir, {
      manifest,
      weights: 'model.onnx',
      write: (draft) => copyWeights(path, external, draft),
    });
  if (options.try !== undefined) {
    const drawn = options.drawn ?? `${manifest.name}-tried.jpg`;
    await tryModel(manifest, { photo: resolve(options.try), drawn: resolve(drawn) }, writeInto);
    return;
  }
  await mkdir(userModels, { recursive: true });
  const { version, folder } = await writeInto(userModels);
  process.stdout.write(
    `${manifest.name} version ${version}: a ${manifest.family} (${manifest.decoding}) of ${manifest.labels?.length ?? 0} classes, in ${folder}\n`,
  );
}

/** The weights that lie beside the graph have to lie beside the copy, under their names. */
async function copyWeights(path: string, external: readonly ExternalFile[], draft: string): Promise<void> {
  await copyFile(path, join(draft, 'model.onnx'));
  for (const { name } of external) {
    if (basename(name) !== name) {
      throw new AditError(
        'VALIDATION',
        `Weights lie at ${name}: save the model with its data beside it, not in a folder.`,
      );
    }
    await copyFile(join(dirname(path), name), join(draft, name), constants.COPYFILE_EXCL);
  }
}

function manifestOf(
  options: ModelAddOptions,
  proposal: Proposal,
  given: string[] | null,
  before: ModelManifest | null,
): ModelManifest {
  const { family, decoding } = readAs(options, proposal);
  const labels = withoutBackground(given ?? proposal.labels ?? before?.labels ?? null, decoding);
  const input = pixelsOf(options, proposal, before);
  if (labels === null) throw unanswered(['What are its classes called? --labels FILE, with one label a line.']);
  if (proposal.classes !== null && labels.length !== proposal.classes) {
    throw new AditError('VALIDATION', `It has ${proposal.classes} classes, and ${labels.length} labels were given.`);
  }
  return ModelManifest.parse({
    ...before,
    name: options.name,
    kind: 'network',
    task: MODEL_FAMILIES[family].task,
    family,
    decoding,
    description: options.description ?? before?.description ?? '',
    maxBatch: proposal.maxBatch ?? MOST_ROWS,
    input,
    labels,
    licence: options.licence ?? before?.licence ?? 'private',
    origin: options.origin ?? before?.origin ?? 'given by the user',
    modules: ['object_scene_recognition'],
  });
}

/** Its family, and how its outputs are read: as it is taken for, unless options say otherwise. */
function readAs(options: ModelAddOptions, proposal: Proposal): { family: ModelFamily; decoding: string } {
  const usable = Object.entries(MODEL_FAMILIES).map(([name, { decodings }]) => `${name} (${decodings.join(', ')})`);
  const known = ModelFamily.safeParse(options.family ?? familyOf(options.decoding) ?? proposal.family);
  if (!known.success) {
    const taken = proposal.family === null ? 'for none that is known' : `for a model of the family ${proposal.family}`;
    throw new AditError(
      'VALIDATION',
      `It is taken ${taken} (${proposal.because}); jobs use ${usable.join(' and ')} today. If it is one, say --family, and --decoding for how its outputs are read.`,
    );
  }
  const family = known.data;
  const decodings: readonly string[] = MODEL_FAMILIES[family].decodings;
  const decoding = options.decoding ?? (proposal.family === family ? proposal.decoding : decodings[0]) ?? '';
  if (!decodings.includes(decoding)) {
    throw new AditError(
      'VALIDATION',
      `Its outputs are read as ${decoding || 'nothing'}, which is none of ${decodings.join(', ')}: export it in one of these ways, or say --decoding.`,
    );
  }
  return { family, decoding };
}

/** Where classes are numbered from 1 on, the first label is that of class 1, as lists of labels do not agree about class 0. */
function withoutBackground(labels: string[] | null, decoding: string): string[] | null {
  const numbered = decoding === 'ssd' || decoding === 'torchvision';
  return numbered && /^_*background_*$/i.test(labels?.[0] ?? '') ? (labels?.slice(1) ?? null) : labels;
}

function familyOf(decoding: string | undefined): string | undefined {
  return Object.entries(MODEL_FAMILIES).find(([, { decodings }]) => decodings.some((each) => each === decoding))?.[0];
}

/** Rows of one run for graphs that take any number. */
const MOST_ROWS = 8;

function pixelsOf(options: ModelAddOptions, { input: found }: Proposal, before: ModelManifest | null): ImageInput {
  if (found === null) throw new AditError('VALIDATION', 'None of its inputs takes a picture.');
  const size = options.size === undefined ? null : sizeOf(options.size);
  const earlier = before?.input;
  const width = size?.width ?? found.width ?? earlier?.width;
  const height = size?.height ?? found.height ?? earlier?.height;
  const colour = options.colour ?? found.colour ?? earlier?.colour;
  const mean = numbersOf('--mean', options.mean) ?? found.mean ?? earlier?.mean;
  const std = numbersOf('--std', options.std) ?? found.std ?? earlier?.std;
  const resize = options.resize ?? found.resize ?? earlier?.resize;
  const questions = [
    ...(width === undefined || height === undefined ? ['At which size was it trained? --size 640x640'] : []),
    ...(colour === undefined ? ['Are its pictures rgb, as most are, or bgr, as with OpenCV? --colour rgb'] : []),
    ...(mean === undefined || std === undefined
      ? ['What is subtracted from values of 0..255, and what are they divided by? --mean 0 --std 255 gives 0..1.']
      : []),
    ...(resize === undefined ? ['How is a picture brought to its size? --resize letterbox, stretch or crop'] : []),
  ];
  if (questions.length > 0) throw unanswered(questions);
  const checked = ImageInput.safeParse({
    tensor: found.tensor,
    width,
    height,
    layout: found.layout,
    colour,
    mean,
    std,
    resize,
    ...asItsExporter(options, found, earlier),
  });
  if (checked.success) return checked.data;
  const [issue] = checked.error.issues;
  throw new AditError('VALIDATION', `--${String(issue?.path[0] ?? 'size')}: ${issue?.message ?? 'wrong'}.`);
}

/**
 * Left out it's resized as Adit's own networks are. A version of a model that was added so stays so: what is in model.yaml is
 * said of all of them.
 */
function asItsExporter(
  options: ModelAddOptions,
  found: NonNullable<Proposal['input']>,
  earlier: ImageInput | undefined,
): Partial<Record<'filter' | 'shorterSide' | 'pad', unknown>> {
  const known = earlier ?? { filter: found.filter, shorterSide: found.shorterSide, pad: found.pad };
  const filter = options.filter ?? known.filter ?? undefined;
  const shorterSide = options.shorterSide === undefined ? known.shorterSide : Number(options.shorterSide);
  const pad = options.pad === undefined ? known.pad : padOf(options.pad);
  const said = { filter, shorterSide: shorterSide ?? undefined, pad: pad ?? undefined };
  return Object.fromEntries(Object.entries(said).filter(([, value]) => value !== undefined));
}

function padOf(text: string): { value: number; at: string } {
  const [, value, at = 'centre'] = /^(\d{1,3})(?:,(centre|corner))?$/.exec(text) ?? [];
  if (value === undefined) {
    throw new AditError('VALIDATION', `--pad ${text} is no grey of 0..255 with centre or corner, such as 114,corner.`);
  }
  return { value: Number(value), at };
}

function unanswered(questions: readonly string[]): AditError {
  return new AditError(
    'VALIDATION',
    `Neither the file nor its exporter says:\n${questions.map((each) => `  ${each}`).join('\n')}`,
  );
}

function sizeOf(text: string): { width: number; height: number } {
  const [, width, height] = /^(\d{1,5})x(\d{1,5})$/.exec(text) ?? [];
  if (width === undefined || height === undefined) {
    throw new AditError('VALIDATION', `--size ${text} is no width and height in pixels, such as 640x640.`);
  }
  return { width: Number(width), height: Number(height) };
}

function numbersOf(flag: string, text: string | undefined): number[] | null {
  if (text === undefined) return null;
  const numbers = text.split(',').map((part) => (part.trim() === '' ? NaN : Number(part)));
  if (numbers.some(Number.isNaN) || ![1, 3].includes(numbers.length)) {
    throw new AditError('VALIDATION', `${flag} ${text} is neither one number nor three with commas between.`);
  }
  return numbers;
}
