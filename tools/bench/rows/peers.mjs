// Rows beside somebody else's program, which is fetched: the same frames of the same film on the same cores.
import { dirname } from 'node:path';
import { pullModel } from '@adit/models';
import { HUMAN, humanFaces } from '../../peers/human.mjs';
import { PeerError } from '../../peers/python.mjs';
import { RAPIDOCR, rapidOcrLines } from '../../peers/rapidocr.mjs';
import { cacheDirectory } from '../../setup/places.mjs';
import { withCpu } from '../cpu.mjs';
import { Engine } from '../engine.mjs';
import { median } from '../measure.mjs';
import { captionedFilm, film, talk, unknownFilm } from '../media.mjs';

const RATE = 2;
const RUNS = 3;

/** Faces of a man talking: the film as it came, and enlarged until small faces are looked for as well. */
export async function human(bench) {
  const rows = [];
  const length = bench.quick ? 10 : 200;
  for (const [path, width, height] of [
    [await talk(length), 360, 288],
    [await film(800, 640, length), 800, 640],
  ]) {
    const name = `faces of a film of ${width} × ${height} beside human ${HUMAN}`;
    const jobs = await jobsOf(bench, path, { face_recognition: { cluster_unknowns: true } });
    const peer = await besides(name, rows, () => humanFaces(path, { width, height, rate: RATE }));
    if (peer === null) continue;
    const [wall, cpu] = [peer.seconds / jobs.seconds, peer.cpu / jobs.cpu];
    rows.push({
      name,
      measured: `${wall.toFixed(1)} × as fast, ${cpu.toFixed(1)} × by CPU time`,
      goal: '≥ 8 ×, ≥ 5 ×',
      ok: wall >= 8 && cpu >= 5,
      note:
        `${length} s of film at ${RATE} frames a second: job ${jobs.seconds.toFixed(1)} s, CPU time ${jobs.cpu.toFixed(1)} s, decoding ` +
        `and results included; the peer, its ${peer.frames} frames in memory, ${peer.seconds.toFixed(1)} and ${peer.cpu.toFixed(1)} s, ` +
        `${peer.faces} faces`,
    });
  }
  return rows;
}

/** Ten captions in a minute, by the readers that come with Adit and by the one that is pulled. */
export async function rapidOcr(bench) {
  const rows = [];
  const seconds = 60;
  const path = await captionedFilm(seconds);
  const modules = { lower_third_recognition: { only_faces: false } };
  const size = { width: 1067, height: 600, rate: RATE };
  const peer = await besides(`captions beside RapidOCR ${RAPIDOCR}`, rows, () =>
    rapidOcrLines(path, size, bench.folder),
  );
  if (peer === null) return rows;
  for (const pulled of [null, 'pp-ocrv6']) {
    const name = `captions beside RapidOCR ${RAPIDOCR}${pulled === null ? '' : `, with ${pulled}`}`;
    const pull = (modelsDir) =>
      pulled === null ? undefined : pullModel({ name: pulled, modelsDir, cacheDir: cacheDirectory });
    const jobs = await jobsOf(bench, path, modules, pull).catch((error) => {
      if (error.code !== 'UNAVAILABLE') throw error;
      rows.push(notMeasured(name, error));
      return null;
    });
    if (jobs === null) continue;
    const [wall, speed] = [peer.seconds / jobs.seconds, seconds / jobs.seconds];
    rows.push({
      name,
      measured: `${wall.toFixed(1)} × as fast, ${speed.toFixed(1)} × real time`,
      goal: '≥ 4 ×, ≥ 6 ×',
      ok: wall >= 4 && speed >= 6,
      note: `${seconds} s of 1280 × 720: job ${jobs.seconds.toFixed(1)} s; the peer ${peer.seconds.toFixed(1)} s for ${peer.frames} frames`,
    });
  }
  return rows;
}

/** Medians of jobs of an engine that has done one before; `prepare` gets the folder of its models first. */
async function jobsOf(bench, path, modules, prepare = () => undefined) {
  const engine = await Engine.start([bench.folder, dirname(path)], [], prepare);
  try {
    const jobs = [];
    for (let run = 0; run <= (bench.quick ? 1 : RUNS); run++) {
      const source = await unknownFilm(path, bench.folder);
      const job = await withCpu(engine.pid, () => engine.ask([source], modules));
      if (run > 0) jobs.push(job);
      bench.log(
        `  ${run === 0 ? 'warming up' : `run ${run}`}: ${job.seconds.toFixed(2)} s, CPU ${job.cpu.toFixed(1)} s`,
      );
    }
    return { seconds: median(jobs.map((job) => job.seconds)), cpu: median(jobs.map((job) => job.cpu)) };
  } finally {
    await engine.close();
  }
}

/** The peer's answer; null, with a row that gives the reason, when there is none. */
async function besides(name, rows, measure) {
  try {
    return await measure();
  } catch (error) {
    if (!(error instanceof PeerError)) throw error;
    rows.push(notMeasured(name, error));
    return null;
  }
}

function notMeasured(name, { message }) {
  return { name, measured: 'not measured', goal: '', ok: null, note: message.split('\n', 1)[0] };
}
