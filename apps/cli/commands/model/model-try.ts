import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { analysesFolder } from '@adit/analyses';
import { CaptionObservations } from '@adit/analyses/captions/observations';
import { ObjectObservations } from '@adit/analyses/objects/observations';
import { SceneObservations } from '@adit/analyses/scenes/observations';
import { TextObservations, uprightBox } from '@adit/analyses/text/observations';
import { AditError, frameSide, type Box, type ModelManifest } from '@adit/contracts';
import {
  AnalysisRegistry,
  AnalysisRunner,
  inferFile,
  MODEL_FAMILIES,
  ModelRepository,
  otherReadings,
  readAnswer,
  readAsOf,
  runOnPicture,
  SessionPool,
  type Read,
  type RgbImage,
} from '@adit/inference';
import { textDecoderOf } from '@adit/inference/families/text-decoder/naming';
import { decodeImageFile, drawBoxes } from '@adit/media';
import { textTable } from '../../output/text-table.js';

interface Found {
  label: string;
  score: number;
  /** In fractions of the picture; null for what is said of the whole of it. */
  box: Box | null;
}

/** Below it nothing is shown: detections that nobody would count. */
const SHOWN_FROM = 0.25;

/**
 * Prints the findings of a model on a photo, as a job would have them, and draws them into the file `drawn`. `write`
 * puts the model into a temporary folder; its companions are taken from the folders `installed`. Throws VALIDATION for
 * a model that shows nothing by itself.
 */
export async function tryModel(
  manifest: ModelManifest,
  { photo, drawn, installed }: { photo: string; drawn: string; installed: readonly string[] },
  write: (modelsDir: string) => Promise<unknown>,
): Promise<void> {
  refuseHalves(manifest);
  // Before the model is loaded, which takes its time.
  const picture = await decodeImageFile(photo);
  const folder = await mkdtemp(join(tmpdir(), 'adit-try-'));
  try {
    await write(folder);
    const all = await infer(manifest, photo, { folder, installed });
    const found = all.filter(({ score }) => score >= SHOWN_FROM);
    const nothing = found.length === 0 ? await nothingFound(manifest, picture, folder) : '';
    const rows = found.map(({ label, score, box }, index) => [
      ...[String(index + 1), label, score.toFixed(3)],
      box === null ? 'the whole picture' : inPixels(box, picture),
    ]);
    process.stdout.write(
      rows.length === 0
        ? `Nothing with a score of ${SHOWN_FROM} or more.${nothing}\n`
        : `${textTable(['', 'Label', 'Score', 'Box: left, top, width, height'], rows, ['right'])}\n`,
    );
    const boxes = found.flatMap(({ box }) => box ?? []);
    if (boxes.length === 0) return;
    await writeFile(drawn, await drawBoxes(picture, boxes));
    process.stdout.write(`Drawn into ${drawn}. Nothing was added.\n`);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The highest score of anything, and the other ways of reading the same outputs in which something would be found. */
async function nothingFound(manifest: ModelManifest, picture: RgbImage, folder: string): Promise<string> {
  const family = MODEL_FAMILIES.find(manifest.family);
  // Others say nothing by themselves, or are read by what belongs to them.
  const isScored = family?.uses.some(({ analysis }) => analysis === 'objects' || analysis === 'scenes') === true;
  if (family === undefined || !isScored || manifest.input === undefined) return '';
  const repository = await ModelRepository.open({ roots: [folder], settleMs: 0 });
  const pool = new SessionPool();
  try {
    const { network, release } = await pool.acquire(repository.resolve(manifest.name));
    const answer = await runOnPicture(network, picture, 'whole').finally(release);
    const as = readAsOf(manifest);
    const best = surest(readAnswer(family, answer, as, 0) ?? []);
    const label = best === null ? null : (manifest.labels?.[best.kind] ?? 'face');
    const others = otherReadings(family, [answer], as).map(
      ({ decoding, count, highest }) =>
        `Read as ${decoding} it would find ${count}, the surest with ${highest.toFixed(3)}: --decoding ${decoding}.`,
    );
    const highest =
      best === null ? ' No score is a number above 0.' : ` The highest score is ${best.score.toFixed(3)}, of ${label}.`;
    return [highest, ...others].join('\n');
  } finally {
    await pool.close();
    await repository.close();
  }
}

function surest(read: readonly Read[]): Read | null {
  return read.reduce<Read | null>((best, each) => (each.score > (best?.score ?? 0) ? each : best), null);
}

function refuseHalves({ name, family }: ModelManifest): void {
  if (family === 'image-text') {
    throw new AditError(
      'VALIDATION',
      `${name} looks for what words say: add it with its encoder of text, and name words in a job.`,
    );
  }
  if (family === 'face-embedding') {
    throw new AditError(
      'VALIDATION',
      `${name} tells faces apart: add it, and build a gallery with it: adit gallery build PHOTOS --name team --embedding ${name}.`,
    );
  }
  if (family === 'embedding') {
    throw new AditError(
      'VALIDATION',
      `${name} tells places apart: add it, and build a landmark model with it: adit landmark build PHOTOS --csv TABLE --name town --embedding ${name}.`,
    );
  }
  if (family === 'text-embedding' || family === 'text-decoder') {
    throw new AditError(
      'VALIDATION',
      `${name} takes no pictures: add it, and try the encoder of pictures that it belongs to.`,
    );
  }
}

/** The analyses that infer with a model of a family alone, or with others that belong to it. */
const ANALYSES: Readonly<Record<string, { name: keyof typeof FOUND; withOthers: boolean; argument: string }>> = {
  classifier: { name: 'scenes', withOthers: false, argument: 'model' },
  captioning: { name: 'captions', withOthers: true, argument: 'model' },
  'text-recognition': { name: 'text', withOthers: true, argument: 'reader' },
  'text-detection': { name: 'text', withOthers: true, argument: 'finder' },
};
const OBJECTS = { name: 'objects', withOthers: false, argument: 'model' } as const;

async function infer(
  manifest: ModelManifest,
  photo: string,
  { folder, installed }: { folder: string; installed: readonly string[] },
): Promise<Found[]> {
  const describes = manifest.family === 'captioning';
  const { name, withOthers, argument } = ANALYSES[manifest.family ?? ''] ?? OBJECTS;
  const roots = withOthers ? [...installed, folder] : [folder];
  const repository = await ModelRepository.open({ roots, settleMs: 0 });
  const pool = new SessionPool();
  try {
    const problem = repository.problems().find(({ model }) => model === manifest.name);
    if (problem) throw new AditError('VALIDATION', problem.message);
    if (describes && !repository.list().some(({ pin }) => pin.name === textDecoderOf(manifest.name))) {
      const decoder = textDecoderOf(manifest.name);
      throw new AditError(
        'VALIDATION',
        `${manifest.name} is tried with its decoder of text: add that first, as ${decoder}.`,
      );
    }
    const analysis = (await AnalysisRegistry.scan(analysesFolder)).get(name);
    const side = manifest.input === undefined || argument === 'reader' ? null : frameSide(manifest.input);
    const args = { [argument]: manifest.name, ...(side === null ? {} : { side }) };
    const runner = new AnalysisRunner(repository, pool);
    for await (const { facts, observations } of inferFile({ runner, analysis, path: photo, args })) {
      if (facts.kind !== 'image') break;
      return FOUND[name](observations);
    }
    throw new AditError('MEDIA_INVALID', `${photo} is no photo.`);
  } finally {
    await pool.close();
    await repository.close();
  }
}

const FOUND = { objects: objectsOf, scenes: scenesOf, captions: captionsOf, text: textOf };

function captionsOf(observations: unknown): Found[] {
  return CaptionObservations.parse(observations).captions.map(({ text, confidence }) => ({
    ...{ label: text, score: confidence, box: null },
  }));
}

/** Returns the recognised text, with the upright box around the line. */
function textOf(observations: unknown): Found[] {
  return TextObservations.parse(observations).tracks.flatMap(({ text, confidence, sightings }) =>
    sightings.map(({ corners }) => ({ label: text, score: confidence, box: uprightBox(corners) })),
  );
}

function objectsOf(observations: unknown): Found[] {
  return ObjectObservations.parse(observations)
    .tracks.flatMap(({ label, sightings }) => sightings.map(({ score, box }) => ({ label, score, box })))
    .sort((a, b) => b.score - a.score);
}

function scenesOf(observations: unknown): Found[] {
  return SceneObservations.parse(observations).sampled.flatMap(({ scenes }) =>
    scenes.map(({ label, score }) => ({ label, score, box: null })),
  );
}

function inPixels({ x, y, w, h }: Box, { width, height }: { width: number; height: number }): string {
  return [x * width, y * height, w * width, h * height].map((value) => Math.round(value)).join(', ');
}
