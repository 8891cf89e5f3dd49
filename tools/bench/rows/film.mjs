// Rows 1 and 2: a film job's wall time against the least it could take, the share of JPEG, and its speed.
import { dirname, join } from 'node:path';
import { frameSpecName } from '@adit/contracts';
import { Child } from '../child.mjs';
import { withCpu } from '../cpu.mjs';
import { Engine } from '../engine.mjs';
import { jpegCost } from '../jpeg.mjs';
import { difference, median, sum } from '../measure.mjs';
import { film, unknownFilm } from '../media.mjs';

const RATE = 2;

/** Pictures of the detection's size are all there is: the film is no larger than the detector wants it. */
export const detection = (bench) =>
  filmRow(bench, {
    width: 800,
    height: 640,
    scale: 640,
    goal: 1.25,
    beyond: 1.1,
    name: 'film job ÷ raw, 640-pixel spec',
  });

/** A second pack of native size, from which faces are cut; also the speed at the default arguments. */
export const native = (bench) =>
  filmRow(bench, {
    width: 1920,
    height: 1080,
    scale: 600,
    goal: 1.6,
    name: 'film job ÷ raw, native crops of 1080p',
    speed: 2,
  });

/** The same of other analyses, each alone: what goes beyond ffmpeg and the networks, whatever those cost. */
export const objects = (bench) =>
  filmRow(bench, {
    width: 1280,
    height: 720,
    scale: 600,
    goal: 1.25,
    name: 'film job ÷ raw, objects alone, 720p',
    modules: { object_scene_recognition: {} },
    native: false,
  });

export const text = (bench) =>
  filmRow(bench, {
    width: 1280,
    height: 720,
    scale: 600,
    goal: 1.25,
    name: 'film job ÷ raw, text alone, 720p',
    modules: { lower_third_recognition: { only_faces: false } },
  });

async function filmRow(bench, { width, height, scale, goal, beyond, name, speed, modules, native: crops = true }) {
  const length = bench.quick ? 10 : 60;
  const path = await film(width, height, length);
  const engine = await Engine.start([bench.folder, dirname(path)]);
  const raw = new Child(join(import.meta.dirname, '../raw-process.mjs'));
  const sizes = sizesOf(width, height, scale).slice(0, crops ? 2 : 1);
  const asked = modules ?? { face_recognition: { face_detection_scale: scale, cluster_unknowns: true } };
  const jobs = [];
  const raws = [];
  let runs;
  let looked;
  try {
    const warm = await engine.askCounted([await unknownFilm(path, bench.folder)], asked);
    runs = warm.runs;
    looked = await engine.lookedAt(warm.id);
    await raw.ask('load', { models: Object.keys(runs) });
    for (let run = 1; run <= bench.runs; run++) {
      const least = await withCpu(raw.pid, () => raw.ask('run', { film: path, sizes, rate: RATE, runs }));
      const source = await unknownFilm(path, bench.folder);
      const job = await withCpu(engine.pid, () => engine.askCounted([source], asked));
      const changed = difference(runs, job.runs);
      if (Object.keys(changed).length > 0) throw new Error(`Runs differ between jobs: ${JSON.stringify(changed)}`);
      if (least.frames.some((frames) => Math.abs(frames - looked.sampled) > 1)) {
        throw new Error(`raw decoded ${least.frames} frames, the job ${looked.sampled}.`);
      }
      raws.push(least);
      jobs.push(job);
      const [r, d, j] = [least.decode + least.networks, least.decode, job.seconds].map((value) => value.toFixed(2));
      const cpu = `CPU ${least.cpu.toFixed(1)} and ${job.cpu.toFixed(1)} s`;
      bench.log(`${name}: run ${run} of ${bench.runs}: raw ${r} s (decode ${d}), job ${j} s; ${cpu}`);
    }
  } finally {
    await raw.close();
    await engine.close();
  }
  // Ratios of neighbours in time, so that a machine that gets slower or faster does not count.
  const ratio = median(jobs.map((job, i) => job.seconds / (raws[i].decode + raws[i].networks)));
  const wall = median(jobs.map((job) => job.seconds));
  const cpu = median(jobs.map((job, i) => job.cpu / raws[i].cpu));
  const decode = median(raws.map((one) => one.decode));
  const networks = median(raws.map((one) => one.networks));
  const total = sum(Object.values(runs));
  const rows = [
    {
      name,
      measured: `${ratio.toFixed(2)} ×`,
      goal: beyond ? `≤ ${goal} × (beyond: ${beyond.toFixed(2)})` : `≤ ${goal} ×`,
      ok: ratio <= goal,
      note:
        `${length} s of film: job ${wall.toFixed(1)} s; raw ${(decode + networks).toFixed(1)} s = ` +
        `decode ${decode.toFixed(1)} s + ${total} model runs ${networks.toFixed(1)} s; CPU time ${cpu.toFixed(2)} ×`,
    },
    ...(modules ? [] : [await jpegRow(bench, path, scale, looked, wall, name)]),
  ];
  if (speed) {
    const times = length / wall;
    const measured = `${times.toFixed(1)} × real time`;
    rows.push({
      name: '1080p film at the default rate',
      measured,
      goal: `> ${speed} ×`,
      ok: times > speed,
      note: `${length} s of film`,
    });
  }
  return rows;
}

function sizesOf(width, height, scale) {
  const shorter = Math.min(width, height);
  if (shorter <= scale) return [{ width, height }];
  const small = { width: Math.round((width * scale) / shorter), height: Math.round((height * scale) / shorter) };
  return [small, { width, height }];
}

async function jpegRow(bench, path, scale, looked, wall, name) {
  const specs = [
    { rate: RATE, shorterSide: scale },
    { rate: RATE, shorterSide: 'native' },
  ];
  const [small, native] = specs.map(frameSpecName);
  const costs = await jpegCost(path, specs, bench.quick ? 10 : 60);
  const opened = { [small]: looked.sampled + looked.keyFrames, [native]: looked.native };
  if (!costs[native]) opened[small] += looked.native;
  const parts = Object.entries(costs).map(([spec, cost]) => ({ spec, ...cost, decode: cost.decodeOne * opened[spec] }));
  const share = sum(parts.map((part) => part.encode + part.decode)) / wall;
  const note = parts.map(
    ({ spec, pictures, bytes, encode, decode }) =>
      `${spec}: ${pictures} pictures of ${Math.round(bytes / pictures / 1024)} KiB, encode ${perPicture(encode, pictures)}, ` +
      `${opened[spec]} opened, ${perPicture(decode, opened[spec])}`,
  );
  return {
    name: `  share of JPEG in it`,
    measured: `${(100 * share).toFixed(1)} %`,
    goal: '',
    ok: null,
    note: note.join('; '),
    of: name,
  };
}

function perPicture(total, pictures) {
  return `${((1000 * total) / Math.max(1, pictures)).toFixed(1)} ms each`;
}
