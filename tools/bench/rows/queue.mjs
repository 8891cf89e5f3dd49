// A long queue: whether creating and listing jobs slows down as it grows, and whether another workspace has to wait.
import { setTimeout as sleep } from 'node:timers/promises';
import { HttpLoad } from '../load.mjs';
import { median, timed } from '../measure.mjs';
import { Processes } from '../processes.mjs';
import { treePss } from '../pss.mjs';

const WORKERS = 16;
const SHARES = 10;
const ORDER = { sources: ['https://media.example.org/films/queued.mp4'], modules: { face_recognition: {} } };

/** Nobody decodes, so that jobs only queue. About 4 minutes. */
export async function queue(bench) {
  const count = bench.quick ? 1_000 : 100_000;
  const processes = await Processes.start({
    only: ['gateway', 'aggregator'],
    // The queueing workspace takes its 8 active jobs; room is left for another one.
    environment: { ADIT_MAX_CHUNKS_IN_FLIGHT: '16' },
  });
  const http = new HttpLoad(processes.url, WORKERS);
  const [gateway] = processes.of('gateway');
  const [aggregator] = processes.of('aggregator');
  const memory = async () => [await treePss(gateway.pid), await treePss(aggregator.pid)];
  try {
    await submit(http, processes, 100);
    const empty = await state(processes, memory, 'first');
    const rates = [];
    for (let share = 0; share < SHARES; share++) {
      const { seconds } = await timed(() => submit(http, processes, count / SHARES));
      rates.push(count / SHARES / seconds);
      bench.log(`queue: ${((share + 1) * count) / SHARES} jobs, ${rates.at(-1).toFixed(0)}/s`);
    }
    const full = await state(processes, memory, 'second');
    const shown = ({ lag, list, memory: [front, back] }) =>
      `list page ${list.toFixed(0)} ms, another workspace’s job admitted after ${lag.toFixed(0)} ms, gateway ${front.toFixed(0)} MiB, aggregator ${back.toFixed(0)} MiB`;
    const [first, last] = [median(rates.slice(0, 3)), median(rates.slice(-3))];
    const change = last / first;
    return [
      {
        name: `creating jobs with ${count.toLocaleString('en')} queued ÷ with none`,
        measured: `${change.toFixed(2)} ×`,
        goal: '≥ 0.8 ×',
        ok: change >= 0.8,
        note: `${first.toFixed(0)}/s at first, ${last.toFixed(0)}/s at last, medians of three tenths, ${WORKERS} connections, the load on the same cores`,
      },
      {
        name: `  a queue of ${count.toLocaleString('en')} jobs`,
        measured: `lag ${full.lag.toFixed(0)} ms, +${Math.max(0, full.memory[0] - empty.memory[0]).toFixed(0)} and +${Math.max(0, full.memory[1] - empty.memory[1]).toFixed(0)} MiB`,
        goal: '',
        ok: null,
        note: `empty: ${shown(empty)}; full: ${shown(full)}`,
      },
    ];
  } finally {
    await http.close();
    await processes.close();
  }
}

async function submit(http, { headers }, count) {
  const body = JSON.stringify(ORDER);
  let left = count;
  const one = async (worker) => {
    while (left-- > 0) {
      await http.send(worker, {
        path: '/api/v1/jobs/',
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body,
      });
    }
  };
  await Promise.all(Array.from({ length: WORKERS }, (_, worker) => one(worker)));
}

/** Milliseconds and MiB. */
async function state(processes, memory, name) {
  const lists = [];
  for (let i = 0; i < 10; i++) lists.push((await timed(() => processes.get('/jobs/?limit=20'))).seconds * 1000);
  return { lag: await lag(processes, name), list: median(lists), memory: await memory() };
}

/** From POST until the scheduler has admitted a job of a workspace that had none. */
async function lag(processes, name) {
  const other = await processes.workspace(name);
  const { seconds } = await timed(async () => {
    const { id } = await processes.post(ORDER.sources, ORDER.modules, other);
    const admitted = async () => (await processes.db.query('SELECT admitted FROM jobs WHERE id = $1', [id])).rows[0];
    while (!(await admitted()).admitted) await sleep(5);
  });
  return seconds * 1000;
}
