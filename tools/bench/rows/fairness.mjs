// Wait of a photo behind other jobs, in chunks; and object storage of a film in work.
import { setTimeout as sleep } from 'node:timers/promises';
import { openObjectStore } from '@adit/objects';
import { photo as sample, unknownPhoto } from '../media.mjs';
import { CHUNK, modules, startSimulated, tinyFilm } from '../simulated/stack.mjs';

/** Slots of two or fewer workers, and those of one job. */
const CAP = 8;
const OF_ONE_JOB = 6;

/** About 3 minutes. */
export async function fairness(bench) {
  const photos = bench.quick ? 1 : 5;
  const films = bench.quick ? 20 : 1_000;
  const processes = await startSimulated(bench);
  try {
    const film = await processes.post([await tinyFilm(7200)], modules);
    await started(processes, film.id);
    const store = await flat(processes, film.id, bench.quick ? 5_000 : 30_000);
    const one = await delays(bench, processes, photos);
    await stop(processes, film.id);
    const other = await processes.workspace('other');
    await processes.db.query('UPDATE workspaces SET observation_cache = false');
    const path = await tinyFilm(6 * CHUNK);
    const jobs = [];
    for (let i = 0; i < films; i++) jobs.push((await processes.post([path], modules, other)).id);
    await started(processes, jobs[0]);
    const many = await delays(bench, processes, photos);
    const row = (name, delay) => ({
      name: `a photo behind ${name}`,
      measured: `${delay.chunks} chunks`,
      goal: `≤ ${CAP} chunks`,
      ok: delay.chunks <= CAP,
      note: `chunks of others that ended from its POST until it was analysed, most of ${photos} photos; ${delay.seconds.toFixed(1)} s at 1 s a chunk, one inference process of 2 chunks`,
    });
    return [
      row('a 2-hour film', one),
      row(`${films.toLocaleString('en')} films of another workspace`, many),
      {
        name: 'frame packs of a film in the object store',
        measured: `${store.chunks} chunks, ${(store.bytes / 1024).toFixed(0)} KiB`,
        goal: `≤ ${OF_ONE_JOB} chunks`,
        ok: store.chunks <= OF_ONE_JOB,
        note: `most of ${store.polls} polls while a 2-hour film of ${(7200 / CHUNK).toLocaleString('en')} chunks is mined`,
      },
    ];
  } finally {
    await processes.close();
  }
}

/** Until its first chunk was analysed: all concurrency slots are in use then. */
async function started({ db }, jobId) {
  for (;;) {
    const { rows } = await db.query(`SELECT FROM chunk_analyses WHERE job_id = $1 AND state = 'done' LIMIT 1`, [jobId]);
    if (rows.length > 0) return;
    await sleep(50);
  }
}

/** The longest delay of a few photos, one after the other. */
async function delays(bench, processes, photos) {
  const all = [];
  for (let i = 0; i < photos; i++) {
    const source = await unknownPhoto(sample, bench.folder);
    const before = await status(processes, null);
    const start = performance.now();
    const { id } = await processes.post([source], modules);
    let now;
    do now = await status(processes, id);
    while (!now.ended && (await sleep(20, true)));
    all.push({ chunks: now.others - before.others, seconds: (performance.now() - start) / 1000 });
    bench.log(`fairness: a photo after ${all.at(-1).chunks} chunks of others, ${all.at(-1).seconds.toFixed(2)} s`);
    await processes.completed(id);
  }
  return all.reduce((worst, one) => (one.chunks > worst.chunks ? one : worst));
}

async function status({ db }, jobId) {
  const { rows } = await db.query(
    `SELECT count(*) FILTER (WHERE job_id IS DISTINCT FROM $1)::int AS others, coalesce(bool_or(job_id = $1), false) AS ended
       FROM chunk_analyses WHERE state = 'done'`,
    [jobId],
  );
  return rows[0];
}

async function flat({ environment }, jobId, milliseconds) {
  const store = await openObjectStore({
    driver: 'minio',
    endpoint: environment.S3_ENDPOINT,
    accessKey: environment.S3_ACCESS_KEY,
    secretKey: environment.S3_SECRET_KEY,
    bucket: 'adit',
    manageBucket: false,
  });
  const most = { chunks: 0, bytes: 0, polls: 0 };
  for (const end = performance.now() + milliseconds; performance.now() < end; await sleep(50)) {
    const chunks = new Set();
    let bytes = 0;
    for await (const { key, size } of store.list(`jobs/${jobId}/packs/`)) {
      chunks.add(key.split('/')[3]);
      bytes += size;
    }
    most.chunks = Math.max(most.chunks, chunks.size);
    most.bytes = Math.max(most.bytes, bytes);
    most.polls += 1;
  }
  return most;
}

async function stop(processes, id) {
  await processes.get(`/jobs/${id}/stop/`, { method: 'POST' });
}
