// The services as processes on Kafka, PostgreSQL and MinIO against the same services in one process.
import { dirname } from 'node:path';
import { Engine } from '../engine.mjs';
import { median, percentile } from '../measure.mjs';
import { film, photo as sample, unknownFilm, unknownPhoto } from '../media.mjs';
import { Processes } from '../processes.mjs';

const PHOTO = 1.2;
const FILM = 1.5;
const modules = { face_recognition: { cluster_unknowns: true } };

/** About a minute. */
export async function kafkaPhoto(bench) {
  const count = bench.quick ? 3 : 30;
  const processes = await Processes.start({ roots: [bench.folder] });
  const walls = [];
  try {
    for (let i = 0; i < 3; i++) await processes.mine([await unknownPhoto(sample, bench.folder)], modules);
    for (let i = 0; i < count; i++) {
      walls.push((await processes.mine([await unknownPhoto(sample, bench.folder)], modules)).seconds);
    }
  } finally {
    await processes.close();
  }
  const [p50, p95] = [percentile(walls, 0.5), percentile(walls, 0.95)];
  return [
    {
      name: 'warm photo job on Kafka, POST to completed',
      measured: `p50 ${(1000 * p50).toFixed(0)} ms, p95 ${(1000 * p95).toFixed(0)} ms`,
      goal: `p50 ≤ ${1000 * PHOTO} ms`,
      ok: p50 <= PHOTO,
      note: `every service a process, PostgreSQL, MinIO; ${count} photos of a group, each unknown to the engine`,
    },
  ];
}

/** About 6 minutes. */
export async function kafkaFilm(bench) {
  const length = bench.quick ? 10 : 200;
  const runs = bench.quick ? 1 : 3;
  const path = await film(800, 640, length);
  const roots = [bench.folder, dirname(path)];
  const engine = await Engine.start(roots);
  let processes;
  const [alone, apart] = [[], []];
  try {
    processes = await Processes.start({ roots });
    const warm = await film(800, 640, 10);
    await engine.mine([await unknownFilm(warm, bench.folder)], { cluster_unknowns: true });
    await processes.mine([await unknownFilm(warm, bench.folder)], modules);
    for (let run = 1; run <= runs; run++) {
      const one = await engine.mine([await unknownFilm(path, bench.folder)], { cluster_unknowns: true });
      const many = await processes.mine([await unknownFilm(path, bench.folder)], modules);
      alone.push(one.seconds);
      apart.push(many.seconds);
      bench.log(`kafka-film: embedded ${one.seconds.toFixed(1)} s, on Kafka ${many.seconds.toFixed(1)} s`);
    }
  } finally {
    await engine.close();
    await processes?.close();
  }
  const ratio = median(apart.map((seconds, i) => seconds / alone[i]));
  return [
    {
      name: 'film job on Kafka ÷ embedded',
      measured: `${ratio.toFixed(2)} ×`,
      goal: `≤ ${FILM} ×`,
      ok: ratio <= FILM,
      note: `${length} s of 640-line film, one process of each service: ${median(apart).toFixed(1)} s against ${median(alone).toFixed(1)} s`,
    },
  ];
}
