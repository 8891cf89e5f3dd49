// Rows 1 and 2: a film job's wall time against that of raw decoding and inference, the share of JPEG, and its speed.
import { dirname, join } from 'node:path';
import { frameSpecName } from '@adit/contracts';
import { Child } from '../child.mjs';
import { withCpu } from '../cpu.mjs';
import { Engine } from '../engine.mjs';
import { jpegCost } from '../jpeg.mjs';
import { difference, median, sum } from '../measure.mjs';
import { film, unknownFilm } from '../media.mjs';

const RATE = 2;

/** Needs only pictures of the detection's size: the film is no larger than the detector's input. */
export const detection = (bench) =>
  filmRow(bench, {
    width: 800,
    height: 640,
    scale: 640,
    goal: 1.25,
    beyond: 1.1,
    name: 'film job ÷ raw, 640-pixel spec',
  });

/** Needs also pictures of native size, from which faces are cut; measures the speed at the default arguments. */
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

async function filmRow(bench, options) {
  const { width, height, scale, name, speed, modules } = options;
  const length = bench.quick ? 10 : 60;
  const path = await film(width, height, length);
  const runs = await measure(bench, path, options);
  const { row, wall } = ratioRow(runs, length, options);
  const rows = [row, ...(modules ? [] : [await jpegRow(bench, path, scale, runs.opened, wall, name)])];
  if (speed) rows.push(speedRow(length, wall, speed));
  return rows;
}

/** Runs the job and the raw pipeline one after the other, as often as asked; both have to run the same models. */
async function measure(bench, path, { width, height, scale, name, modules, native: crops = true }) {
  const engine = await Engine.start([bench.folder, dirname(path)]);
  const raw = new Child(join(import.meta.dirname, '../raw-process.mjs'));
  const sizes = sizesOf(width, height, scale).slice(0, crops ? 2 : 1);
  const asked = modules ?? { face_recognition: { face_detection_scale: scale, cluster_unknowns: true } };
  const jobs = [];
  const raws = [];
  try {
    const warm = await engine.askCounted([await unknownFilm(path, bench.folder)], asked);
    const { runs } = warm;
    const opened = await engine.lookedAt(warm.id);
    await raw.ask('load', { models: Object.keys(runs) });
    for (let run = 1; run <= bench.runs; run++) {
      const least = await withCpu(raw.pid, () => raw.ask('run', { film: path, sizes, rate: RATE, runs }));
      const source = await unknownFilm(path, bench.folder);
      const job = await withCpu(engine.pid, () => engine.askCounted([source], asked));
      expectEqualWork(runs, job, least, opened);
      raws.push(least);
      jobs.push(job);
      const [r, d, j] = [least.decode + least.networks, least.decode, job.seconds].map((value) => value.toFixed(2));
      const cpu = `CPU ${least.cpu.toFixed(1)} and ${job.cpu.toFixed(1)} s`;
      bench.log(`${name}: run ${run} of ${bench.runs}: raw ${r} s (decode ${d}), job ${j} s; ${cpu}`);
    }
    return { jobs, raws, runs, opened };
  } finally {
    await raw.close();
    await engine.close();
  }
}

function expectEqualWork(runs, job, least, opened) {
  const changed = difference(runs, job.runs);
  if (Object.keys(changed).length > 0) throw new Error(`Runs differ between jobs: ${JSON.stringify(changed)}`);
  if (least.frames.some((frames) => Math.abs(frames - opened.sampled) > 1)) {
    throw new Error(`raw decoded ${least.frames} frames, the job ${opened.sampled}.`);
  }
}

function ratioRow({ jobs, raws, runs }, length, { name, goal, beyond }) {
  // Ratios of neighbouring runs, so that a machine that gets slower or faster does not count.
  const ratio = median(jobs.map((job, i) => job.seconds / (raws[i].decode + raws[i].networks)));
  const wall = median(jobs.map((job) => job.seconds));
  const cpu = median(jobs.map((job, i) => job.cpu / raws[i].cpu));
  const decode = median(raws.map((one) => one.decode));
  const networks = median(raws.map((one) => one.networks));
  const total = sum(Object.values(runs));
  const row = {
    name,
    measured: `${ratio.toFixed(2)} ×`,
    goal: beyond ? `≤ ${goal} × (beyond: ${beyond.toFixed(2)})` : `≤ ${goal} ×`,
    ok: ratio <= goal,
    note:
      `${length} s of film: job ${wall.toFixed(1)} s; raw ${(decode + networks).toFixed(1)} s = ` +
      `decode ${decode.toFixed(1)} s + ${total} model runs ${networks.toFixed(1)} s; CPU time ${cpu.toFixed(2)} ×`,
  };
  return { row, wall };
}

function speedRow(length, wall, speed) {
  const times = length / wall;
  return {
    name: '1080p film at the default rate',
    measured: `${times.toFixed(1)} × real time`,
    goal: `> ${speed} ×`,
    ok: times > speed,
    note: `${length} s of film`,
  };
}

function sizesOf(width, height, scale) {
  const shorter = Math.min(width, height);
  if (shorter <= scale) return [{ width, height }];
  const small = { width: Math.round((width * scale) / shorter), height: Math.round((height * scale) / shorter) };
  return [small, { width, height }];
}

async function jpegRow(bench, path, scale, counts, wall, name) {
  const specs = [
    { rate: RATE, shorterSide: scale },
    { rate: RATE, shorterSide: 'native' },
  ];
  const [small, native] = specs.map(frameSpecName);
  const costs = await jpegCost(path, specs, bench.quick ? 10 : 60);
  const opened = { [small]: counts.sampled + counts.keyFrames, [native]: counts.native };
  if (!costs[native]) opened[small] += counts.native;
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
