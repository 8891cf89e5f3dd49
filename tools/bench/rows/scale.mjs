// More inference processes do more work: chunks a second of 1, 2 and 4 of them, on a model of a known speed.
import { setTimeout as sleep } from 'node:timers/promises';
import { CHUNK, modules, startSimulated, tinyFilm } from '../simulated/stack.mjs';

const MIN_EFFICIENCY = 0.9;
const PROCESSES = [1, 2, 4];
/** Chunks for each process; the rate is taken while every one of them has some left. */
const CHUNKS = 30;
const WINDOW = [0.2, 0.7];

/** All chunks are decoded before the inference processes start: only they are measured. About 4 minutes. */
export async function scale(bench) {
  const levels = bench.quick ? [1, 2] : PROCESSES;
  const most = levels.at(-1) * CHUNKS;
  const film = await tinyFilm(CHUNKS * CHUNK);
  const processes = await startSimulated(bench, {
    counts: { 'inference-face': levels.at(-1) },
    environment: {
      ADIT_MAX_CHUNKS_IN_FLIGHT: String(2 * most),
      ADIT_CHUNKS_PER_JOB: String(2 * most),
      ADIT_INFERENCE_CONCURRENCY: '1',
      // A chunk waits for minutes until somebody may look at it.
      ADIT_LEASE_SECONDS: '600',
    },
  });
  const workers = processes.of('inference-face');
  const rates = [];
  try {
    for (const count of levels) {
      await Promise.all(workers.map((worker) => worker.stop()));
      const jobs = [];
      for (let i = 0; i < count; i++) jobs.push((await processes.post([film], modules)).id);
      await until(processes, jobs, ({ decoded }) => decoded === count * CHUNKS);
      for (const worker of workers.slice(0, count)) worker.start();
      rates.push(await drained(processes, jobs, count * CHUNKS));
      bench.log(`scale: ${count} processes: ${rates.at(-1).toFixed(2)} chunks/s`);
      for (const id of jobs) await processes.completed(id);
    }
  } finally {
    await processes.close();
  }
  const linear = rates.at(-1) / rates[0] / levels.at(-1);
  return [
    {
      name: `${levels.join(' → ')} inference processes, share of linear`,
      measured: linear.toFixed(2),
      goal: `≥ ${MIN_EFFICIENCY}`,
      ok: linear >= MIN_EFFICIENCY,
      note: `a simulated model of 50 ms a frame, chunks of 20 frames, one at a time in a process: ${rates.map((rate) => rate.toFixed(2)).join(', ')} chunks/s`,
    },
  ];
}

/** Chunks a second while between a fifth and seven tenths of them were done. */
async function drained(processes, jobs, count) {
  const times = [];
  for (const share of WINDOW) {
    const { done } = await until(processes, jobs, (now) => now.done >= share * count);
    times.push({ at: performance.now(), done });
  }
  const [from, to] = times;
  return ((to.done - from.done) / (to.at - from.at)) * 1000;
}

async function until(processes, jobs, enough) {
  for (;;) {
    const { rows } = await processes.db.query(
      `SELECT count(*) FILTER (WHERE c.state = 'decoded')::int AS decoded, count(*) FILTER (WHERE a.state = 'done')::int AS done
         FROM chunks c JOIN chunk_analyses a ON a.chunk_id = c.id WHERE c.job_id = ANY ($1)`,
      [jobs],
    );
    if (enough(rows[0])) return rows[0];
    await sleep(100);
  }
}
