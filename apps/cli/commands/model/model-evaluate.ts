import { mkdir, stat, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { AditClient, Model } from '@adit/client';
import { AditError, nullIfNoFile } from '@adit/contracts';
import {
  evaluate,
  evaluationPage,
  readLabelledFolder,
  shownFigures,
  shownLabels,
  type Evaluation,
  type LabelledSet,
} from '@adit/evaluation';
import { datasetPictures } from '../dataset/dataset-pictures.js';
import type { EngineOptions } from '../../engine/engine-options.js';
import { onEngine, printJson, type EngineWork } from '../../engine/engine-work.js';
import { modelOf } from '../mine/modules-taking.js';
import { predictPictures } from './predicted-pictures.js';
import { printable, textTable } from '../../output/text-table.js';

export interface ModelEvaluateOptions extends EngineOptions {
  /** A folder or a list of this machine, or a dataset of the service. */
  images: string;
  version?: number;
  /** 0..1 */
  minConfidence: number;
  out?: string;
  json?: boolean;
}

/** Rows that a terminal shows; the page has more, and the JSON all. */
const MAX_LABELS = 20;
const MAX_PAIRS = 5;
const MAX_NAMED = 10;

/** Says how right a version of a model is on labelled pictures, beside the one in use, and writes it as a page. */
export async function evaluateModel(given: string, options: ModelEvaluateOptions): Promise<void> {
  // Before an engine is started, which takes its time.
  const here =
    (await stat(options.images).catch(nullIfNoFile)) === null ? null : await readLabelledFolder(options.images);
  await onEngine(options, async (at) => {
    const model = await modelNamed(at.client, given);
    const versions = versionsOf(model, options.version);
    const set = here ?? (await datasetPictures(at.client, options.images));
    const asked = askedOf(model, set);
    const evaluation = await evaluated(
      { model, versions, set, asked, threshold: asked.threshold ?? options.minConfidence },
      at,
    );
    at.progress.stop();
    const out = options.out ?? (options.json ? null : join('adit-evaluations', `${model.name}-${versions[0]}`));
    const page = out === null ? null : await written(evaluation, resolve(out));
    if (options.json) return printJson(evaluation);
    for (const line of leftOut(evaluation)) process.stderr.write(`! ${line}\n`);
    process.stdout.write(`${described(evaluation)}\n\n${page}\n`);
  });
}

async function modelNamed(client: AditClient, given: string): Promise<Model> {
  const model = await modelOf(client, given);
  if (model !== null) return model;
  const names: string[] = [];
  for await (const { name } of client.items('GET /v1/models')) names.push(printable(name));
  throw new AditError('VALIDATION', `There is no model ${printable(given)}; there are ${names.join(', ')}.`);
}

/** The one that is asked for, and the one in use beside it. */
function versionsOf({ name, versions, default_version: inUse }: Model, asked = inUse): number[] {
  const numbers = versions.map(({ version_number: number }) => number);
  if (!numbers.includes(asked)) {
    throw new AditError('VALIDATION', `${name} has no version ${asked}: versions are ${numbers.join(', ')}.`);
  }
  return asked === inUse ? [asked] : [asked, inUse];
}

interface Asked {
  kind: Evaluation['kind'];
  arguments: Record<string, unknown>;
  /** Threshold of the module's own; null leaves it to the option. */
  threshold: number | null;
}

/**
 * Prepares the requests that make a model report all that it finds. Throws VALIDATION for a model that labels nothing,
 * and for pictures without boxes with a detector.
 */
function askedOf({ name, family, type }: Model, set: LabelledSet): Asked {
  const everything = { min_confidence: 0 };
  if (type === 'face' || type === 'landmark') return { kind: 'classifier', arguments: {}, threshold: 0 };
  if (family === 'classifier') return { kind: 'classifier', arguments: everything, threshold: null };
  if (family === 'image-text') {
    const words = { ...everything, words: set.labels, include_preset_labels: false };
    return { kind: 'classifier', arguments: words, threshold: null };
  }
  if (family !== 'detector') {
    throw new AditError(
      'VALIDATION',
      `${name} is of the family ${family ?? 'none'}: detectors, classifiers, models of images and text, galleries and landmark models are evaluated.`,
    );
  }
  if (set.pictures.every(({ boxes }) => boxes === null)) {
    throw new AditError(
      'VALIDATION',
      `${name} finds boxes, and ${set.title} has none: give a folder with a list in COCO's format (annotations.json).`,
    );
  }
  return { kind: 'detector', arguments: everything, threshold: null };
}

interface Evaluated {
  model: Model;
  versions: number[];
  set: LabelledSet;
  asked: Asked;
  threshold: number;
}

async function evaluated(
  { model, versions, set, asked, threshold }: Evaluated,
  { client, progress, signal }: EngineWork,
): Promise<Evaluation> {
  const total = set.pictures.length * versions.length;
  let done = 0;
  const show = (): void => progress.show('Evaluating', done / total, `${done} of ${total}`);
  show();
  const answered = [];
  for (const version of versions) {
    const question = { modelId: model.id, version, arguments: asked.arguments };
    const answers = await predictPictures(client, question, set.pictures, {
      signal,
      done: () => {
        done += 1;
        show();
      },
    });
    answered.push({ version, isInUse: version === model.default_version, answers });
  }
  // Models of images and text know every word, and galleries do not list whom they know.
  const labels = model.family === 'image-text' ? null : model.labels;
  const time = new Date().toISOString();
  return evaluate({ model: model.name, kind: asked.kind, threshold, time, set, labels, versions: answered });
}

async function written(evaluation: Evaluation, folder: string): Promise<string> {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'evaluation.json'), `${JSON.stringify(evaluation, null, 2)}\n`);
  const page = join(folder, 'evaluation.html');
  await writeFile(page, evaluationPage(evaluation));
  return page;
}

function described(evaluation: Evaluation): string {
  const { model, images, versions } = evaluation;
  const [asked] = versions;
  const figures = shownFigures(evaluation);
  const { head, rows } = shownLabels(evaluation);
  const right = head.map((_, column) => (column === 0 ? 'left' : 'right'));
  const pairs = (asked?.figures.confusions ?? [])
    .slice(0, MAX_PAIRS)
    .map(({ label, said, count }) => `${printable(label)} was taken for ${printable(said)} ${count} ×`);
  const hidden = rows.length > MAX_LABELS ? [`… and ${rows.length - MAX_LABELS} labels more`] : [];
  const shown = rows.slice(0, MAX_LABELS).map(([label = '', ...values]) => [printable(label), ...values]);
  return [
    `${printable(model)} on ${asked?.figures.pictures ?? 0} pictures of ${printable(images)}`,
    textTable(figures.head, figures.rows, ['left', ...figures.head.slice(1).map(() => 'right' as const)]),
    [textTable(head, shown, right), ...hidden].join('\n'),
    ...(pairs.length === 0 ? [] : [pairs.join('\n')]),
  ].join('\n\n');
}

function leftOut({ leftOut: { unknownLabels, missing, unreadable, ambiguous } }: Evaluation): string[] {
  const line = (what: string, names: readonly string[]): string[] => {
    const named = names.slice(0, MAX_NAMED).map(printable).join(', ');
    return names.length === 0 ? [] : [`${what}: ${named}${names.length > MAX_NAMED ? ' …' : ''}`];
  };
  return [
    ...line(
      'Left out, since the model does not know the label',
      unknownLabels.map(({ label, count }) => `${label} (${count})`),
    ),
    ...line(`${missing.length} listed pictures are missing`, missing),
    ...line(`${ambiguous.length} pictures have several labels, where the model gives one`, ambiguous),
    ...line(
      `${unreadable.length} pictures could not be read`,
      unreadable.map(({ name, message }) => `${name}: ${message}`),
    ),
  ];
}
