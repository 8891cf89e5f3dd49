// Adit's handling of an export: its family, the questions, the reason of a refusal, and the results of a job with it.
import { copyFile, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { detectObjects } from '@adit/analyses/objects/detect';
import { AditError } from '@adit/contracts';
import {
  MODEL_FAMILIES,
  ModelRepository,
  readAnswer,
  readAsOf,
  runOnPicture,
  SessionPool,
  writeModelVersion,
} from '@adit/inference';
import { decodeImageFile } from '@adit/media';
import { inspectModel, manifestFor, rehearseModel } from '@adit/model-inspection';

const NAME = 'tried';
const GRAPH = 'model.onnx';
/** Families whose models jobs analyse with for boxes. */
const WITH_BOXES = new Set(['detector', 'face-detector']);

/**
 * { inspection, manifest, asked, refused, found }: `asked` are the fields of `adit model add` that nothing tells, which `answers` then
 * give; `refused` is the sentence of why it cannot be used, else null; `found` is what it says of each picture.
 */
export async function analyse(folder, answers, pictures) {
  const seen = { inspection: null, manifest: null, asked: [], refused: null, found: [] };
  try {
    seen.inspection = await inspectModel(join(folder, GRAPH));
    seen.manifest = manifestOf(seen.inspection.proposal, answers, seen.asked);
    seen.found = await asJobs(folder, seen, pictures);
  } catch (error) {
    if (!(error instanceof AditError)) throw error;
    seen.refused = error.message.replace(/\s+/g, ' ');
  }
  return seen;
}

/** Only what is asked is answered, as a person would, until nothing is asked any more. `asked` gets the names of it. */
function manifestOf(proposal, answers, asked) {
  const given = { name: NAME };
  for (;;) {
    try {
      return manifestFor(given, proposal, null);
    } catch (error) {
      const missing = (error.options?.errors ?? [])
        .map(({ pointer }) => pointer.slice(1))
        .filter((key) => key in answers);
      const fresh = missing.filter((key) => !(key in given));
      if (fresh.length === 0) throw error;
      for (const key of fresh) given[key] = answers[key];
      // Options that belong to an answer go with it.
      for (const key of BESIDE.flatMap(([one, others]) => (fresh.includes(one) ? others : [])))
        if (key in answers) given[key] = answers[key];
      asked.push(...fresh);
    }
  }
}

/** Options that nobody asks for, and whoever answers a question knows. */
const BESIDE = [
  ['resize', ['filter', 'shorterSide', 'pad']],
  ['mean', ['std']],
];

async function asJobs(folder, { inspection, manifest }, pictures) {
  const models = await mkdtemp(join(tmpdir(), 'adit-exports-'));
  const pool = new SessionPool();
  let repository;
  try {
    await writeModelVersion(models, {
      manifest,
      weights: GRAPH,
      write: async (draft) => {
        await mkdir(draft, { recursive: true });
        for (const name of [GRAPH, ...inspection.external.map((each) => each.name)])
          await copyFile(join(folder, name), join(draft, name));
        await rehearseModel(draft, manifest);
      },
    });
    repository = await ModelRepository.open({ roots: [models], settleMs: 0 });
    const [problem] = repository.problems();
    if (problem !== undefined) throw new AditError('VALIDATION', problem.message);
    const found = [];
    for (const picture of pictures) found.push(await analysePicture(picture, { manifest, repository, pool }));
    return found;
  } finally {
    await pool.close();
    await repository?.close();
    await rm(models, { recursive: true, force: true });
  }
}

/** Boxes as a job finds them, in pixels; of others what every class scores, or the numbers of the embedding. */
async function analysePicture(path, { manifest, repository, pool }) {
  // As it is: the JPEG of a job's frame moves the answers of networks with random weights.
  const picture = await decodeImageFile(path);
  const { network, release } = await pool.acquire(repository.resolve(manifest.name));
  try {
    if (WITH_BOXES.has(manifest.family))
      return { boxes: inPixels(await detectObjects(picture, network, false), picture) };
    const answer = await runOnPicture(network, picture, 'whole');
    const read = readAnswer(MODEL_FAMILIES.find(manifest.family), answer, readAsOf(manifest), 0);
    if (manifest.family === 'classifier') return { scores: read.map(({ score }) => score) };
    const embedding = Object.values(answer).find(({ data }) => data.length === manifest.dimensions);
    return { embedding: [...(embedding?.data ?? [])] };
  } finally {
    release();
  }
}

function inPixels(objects, { width, height }) {
  return objects.map(({ label, score, x, y, w, h }) => ({
    ...{ label, score },
    box: [x * width, y * height, (x + w) * width, (y + h) * height],
  }));
}
