// A YOLO-like detector that a workspace has added for itself: a film job that names it, against raw and against general-c.
import { readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { modelsRoot } from '@adit/models';
import { Child } from '../child.mjs';
import { withCpu } from '../cpu.mjs';
import { Engine } from '../engine.mjs';
import { difference, median, sum } from '../measure.mjs';
import { film, unknownFilm } from '../media.mjs';
import { yoloGraph } from '../yolo-graph.mjs';

const RATE = 2;
const SIZE = { width: 1280, height: 720 };
/** Shorter side of decoded frames for objects. */
const SHORTER_SIDE = 600;
const NAME = 'own-yolo';
const GENERAL = 'general-c';
const GOAL = 1.1;

export async function ownDetector(bench) {
  const length = bench.quick ? 10 : 60;
  const path = await film(SIZE.width, SIZE.height, length);
  const file = join(bench.folder, `${NAME}.onnx`);
  await writeFile(file, await yoloGraph(join(modelsRoot(), GENERAL, '1/model.onnx')));
  const engine = await Engine.start([bench.folder, dirname(path)]);
  const raw = new Child(join(import.meta.dirname, '../raw-process.mjs'));
  try {
    // With the owner's key it would be the installation's, and run in its threads.
    const workspace = await engine.neighbour('admin');
    await add(workspace, file);
    const mine = async (model) => {
      const source = await unknownFilm(path, bench.folder);
      return engine.askCounted([source], { object_scene_recognition: { model } }, workspace);
    };
    const warm = await mine(NAME);
    const { runs } = warm;
    await mine(GENERAL);
    if (!(runs[NAME] > 0)) throw new Error(`${NAME} was not asked: ${JSON.stringify(runs)}`);
    if ((await foundBy(workspace, warm)) === 0) throw new Error(`${NAME} found nothing in the film.`);
    const looked = await engine.lookedAt(warm.id);
    await raw.ask('load', { models: Object.keys(runs), graphs: { [NAME]: { file, like: GENERAL } } });
    const width = Math.round((SIZE.width * SHORTER_SIDE) / SIZE.height);
    const sizes = [{ width, height: SHORTER_SIDE }];
    const rounds = [];
    for (let run = 1; run <= bench.runs; run++) {
      const least = await withCpu(raw.pid, () => raw.ask('run', { film: path, sizes, rate: RATE, runs }));
      const own = await withCpu(engine.pid, () => mine(NAME));
      const general = await withCpu(engine.pid, () => mine(GENERAL));
      const changed = difference(runs, own.runs);
      if (Object.keys(changed).length > 0) throw new Error(`Runs differ between jobs: ${JSON.stringify(changed)}`);
      if (Math.abs(least.frames[0] - looked.sampled) > 1) {
        throw new Error(`raw decoded ${least.frames[0]} frames, the job ${looked.sampled}.`);
      }
      rounds.push({ least, seconds: least.decode + least.networks, own, general });
      const [r, o, g] = [least.decode + least.networks, own.seconds, general.seconds].map((one) => one.toFixed(2));
      const [rawCpu, ownCpu, generalCpu] = [least, own, general].map(({ cpu }) => cpu.toFixed(1));
      bench.log(
        `own-detector: run ${run} of ${bench.runs}: raw ${r} s, job ${o} s, with ${GENERAL} ${g} s; ` +
          `CPU ${rawCpu}, ${ownCpu} and ${generalCpu} s`,
      );
    }
    return rows(rounds, length, sum(Object.values(runs)));
  } finally {
    await raw.close();
    await engine.close();
  }
}

function rows(rounds, length, runs) {
  // Ratios of neighbours in time, so that a machine that gets slower or faster does not count.
  const ratio = median(rounds.map(({ own, seconds }) => own.seconds / seconds));
  const cpu = median(rounds.map(({ own, least }) => own.cpu / least.cpu));
  const beside = median(rounds.map(({ own, general }) => own.seconds / general.seconds));
  const besideCpu = median(rounds.map(({ own, general }) => own.cpu / general.cpu));
  const [job, decode, networks] = [
    rounds.map(({ own }) => own.seconds),
    rounds.map(({ least }) => least.decode),
    rounds.map(({ least }) => least.networks),
  ].map((values) => median(values).toFixed(1));
  return [
    {
      name: 'film job ÷ raw, a YOLO of a workspace, 720p',
      measured: `${ratio.toFixed(2)} ×`,
      goal: `≤ ${GOAL} ×`,
      ok: ratio <= GOAL,
      note:
        `${length} s of film: job ${job} s; raw = decode ${decode} s + ${runs} model runs ${networks} s; ` +
        `CPU time ${cpu.toFixed(2)} ×`,
    },
    {
      name: `  the same ÷ a job with ${GENERAL}`,
      measured: `${beside.toFixed(2)} ×`,
      goal: `≤ ${GOAL} ×`,
      ok: beside <= GOAL,
      note: `CPU time ${besideCpu.toFixed(2)} ×`,
    },
  ];
}

/** As whoever has an export of YOLOv8 adds it, with general-c's colours, so that it sees what that sees. */
async function add(client, file) {
  const answers = { colour: 'bgr', mean: '103.53,116.28,123.675', std: '57.375,57.12,58.395', resize: 'letterbox' };
  const { labels } = (await client.get('/models/')).find(({ name }) => name === GENERAL);
  const form = new FormData();
  for (const [key, value] of Object.entries({ name: NAME, labels: labels.join('\n'), ...answers }))
    form.set(key, value);
  form.set('file', new Blob([await readFile(file)]), `${NAME}.onnx`);
  const { scope } = await client.get('/models/', { method: 'POST', body: form });
  if (scope !== 'workspace') throw new Error(`${NAME} was added for the ${scope}, not for the workspace alone.`);
}

async function foundBy(client, { id }) {
  const { data } = await client.get(`/jobs/${id}/detailed-results/?limit=1`);
  return data.length;
}
