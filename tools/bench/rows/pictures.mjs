// Jobs of thousands of pictures: what one costs, what many people cost under the job's lock, and how such a job ends.
import { setTimeout as sleep } from 'node:timers/promises';
import { transcode } from '@adit/testing';
import { unknownPhoto } from '../media.mjs';
import { startInstant } from '../simulated/instant-stack.mjs';
import { inAll, byService, StatementLog } from '../statements.mjs';
import { seconds as inSeconds, sum } from '../measure.mjs';
import { treePss } from '../pss.mjs';

const services = ['inference-face'];

/** About 5 minutes. */
export async function pictures(bench) {
  const count = bench.quick ? 200 : 10_000;
  const processes = await startInstant(bench, { services });
  try {
    const job = await mined(bench, processes, count, {});
    const all = inAll(job.services);
    return [
      {
        name: `a job of ${count.toLocaleString('en')} pictures`,
        measured: `${job.seconds.toFixed(0)} s; ${(all.statements / count).toFixed(1)} statements, ${((1000 * all.seconds) / count).toFixed(1)} ms of database and ${(job.wal / count / 1024).toFixed(0)} KiB of WAL a picture`,
        goal: '',
        ok: null,
        note:
          `a face in each, models that answer at once; the aggregator at most ${job.memory.toFixed(0)} MiB; ` +
          `ended in ${job.ending.toFixed(1)} s; ${byService(job.services, count)} a picture`,
      },
    ];
  } finally {
    await processes.close();
  }
}

/** About 2 minutes. */
export async function identities(bench) {
  const people = bench.quick ? 150 : 1_500;
  const count = bench.quick ? 300 : 2_500;
  const processes = await startInstant(bench, { services, people });
  try {
    const job = await mined(bench, processes, count, { cluster_unknowns: true });
    const folds = await foldsOf(processes, job);
    const of = (some) => sum(some.map(({ held }) => held)) / sum(some.map(({ claims }) => claims));
    const known = folds.filter(({ before }) => before >= people);
    const longest = Math.max(...folds.map(({ held }) => held));
    const { rows } = await processes.db.query('SELECT count(*)::int AS count FROM identities WHERE job_id = $1', [
      job.id,
    ]);
    return [
      {
        name: `a claim among ${rows[0].count.toLocaleString('en')} identities, under the job’s lock`,
        measured: `${of(known).toFixed(2)} ms; among the first ${folds[0].claims} ${of([folds[0]]).toFixed(2)} ms`,
        goal: '',
        ok: null,
        note:
          `${sum(known.map(({ claims }) => claims))} claims in ${known.length} of ${folds.length} transactions, from the lock to the commit, ` +
          `segments and events included; the longest held it for ${longest.toFixed(0)} ms`,
      },
    ];
  } finally {
    await processes.close();
  }
}

/** About 3 minutes. */
export async function ending(bench) {
  const count = bench.quick ? 200 : 5_000;
  const processes = await startInstant(bench, { services });
  try {
    const job = await mined(bench, processes, count, {});
    const written = await processes.get(`/jobs/${job.id}/artifacts/`);
    return [
      {
        name: `ending a job with ${count.toLocaleString('en')} pictures`,
        measured: `${job.ending.toFixed(1)} s`,
        goal: '',
        ok: null,
        note: `from the end of its modules to its own: a picture of each of ${job.segments} segments read from MinIO and written to results.json, ${written.length ?? written.data.length} files`,
      },
    ];
  } finally {
    await processes.close();
  }
}

/** One face recognition over so many pictures, and what it took. */
async function mined(bench, processes, count, args) {
  const { db } = processes;
  const tiny = await transcode('bench-tiny.jpg', ['-f', 'lavfi', '-i', 'testsrc=size=160x120', '-frames:v', '1']);
  const sources = [];
  for (let at = 0; at < count; at++) sources.push(await unknownPhoto(tiny, bench.folder));
  await processes.mine([await unknownPhoto(tiny, bench.folder)], { face_recognition: args });
  const log = await StatementLog.open(processes);
  await log.begin();
  const [{ pid }] = processes.of('aggregator');
  const walBefore = (await db.query('SELECT pg_current_wal_lsn() AS lsn')).rows[0].lsn;
  const start = performance.now();
  const { id } = await processes.post(sources, { face_recognition: args });
  let memory = 0;
  let modulesEnded = null;
  for (let polls = 0; ; polls++) {
    const { rows } = await db.query(
      `SELECT j.state, j.segment_count AS segments, bool_and(m.state NOT IN ('waiting', 'processing')) AS ended
         FROM jobs j JOIN job_modules m ON m.job_id = j.id WHERE j.id = $1 GROUP BY j.id`,
      [id],
    );
    const [{ state, segments, ended }] = rows;
    if (ended) modulesEnded ??= performance.now();
    if (state === 'completed') {
      const now = performance.now();
      const wal = await db.query('SELECT pg_current_wal_lsn() - $1::pg_lsn AS bytes', [walBefore]);
      const { services, locks } = await log.read();
      const took = { seconds: inSeconds(now - start), ending: inSeconds(now - modulesEnded) };
      return { id, segments, ...took, memory, wal: Number(wal.rows[0].bytes), services, locks };
    }
    if (ended && state !== 'processing') throw new Error(`The job ${state}.`);
    if (polls % 50 === 0) {
      memory = Math.max(memory, await treePss(pid));
      bench.log(`pictures: ${segments} of ${count}`);
    }
    await sleep(20);
  }
}

/**
 * The transactions that gave segments to people, in their order: `claims` in each, as many `before` it, and for how many
 * milliseconds it `held` the job. They follow each other, so the n-th of the log wrote the n-th group of rows.
 */
async function foldsOf({ db }, { id, locks }) {
  const { rows } = await db.query(
    'SELECT count(*)::int AS claims, min(seq) AS before FROM segments WHERE job_id = $1 GROUP BY xmin ORDER BY 2',
    [id],
  );
  const folds = locks.filter(({ text }) => /\bINTO "?segments"?\b/.test(text));
  if (folds.length !== rows.length) throw new Error(`${folds.length} folds were logged and ${rows.length} are stored.`);
  return rows.map((row, at) => ({ ...row, held: folds[at].held }));
}
