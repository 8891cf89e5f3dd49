// More models than memory: what loading and unloading leave behind, and what a load costs those that run.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Child } from '../child.mjs';
import { median } from '../measure.mjs';

/** Share of the memory after the first loads that the later ones may add. */
const GROWTH = 1.15;
/** One of two threads loads; the other has to keep its share, less what a busy machine takes. */
const LEFT = 0.45;
/** A probe is answered by the thread that everything else waits in, milliseconds. */
const DELAY = 250;

export async function models(bench) {
  const [count, held, first, loads, seconds] = bench.quick ? [6, 2, 6, 12, 2] : [50, 5, 100, 1000, 10];
  const folder = await mkdtemp(join(tmpdir(), 'adit-bench-models-'));
  const child = new Child(join(import.meta.dirname, '../models-process.mjs'), {
    args: [folder],
    execArgv: ['--expose-gc'],
  });
  try {
    const { one } = await child.ask('open', { count, held });
    const before = await child.ask('turn', { times: first, count });
    const after = await child.ask('turn', { times: loads - first, count });
    const growth = after.rss / before.rss;
    const runs = [];
    for (let run = 0; run < bench.runs; run += 1) {
      const alone = await child.ask('beside', { seconds, loading: false, count });
      const beside = await child.ask('beside', { seconds, loading: true, count });
      bench.log(
        `models: ${alone.runs.toFixed(1)} runs a second alone, ${beside.runs.toFixed(1)} beside ${beside.loaded} loads`,
      );
      runs.push({ ratio: beside.runs / alone.runs, ...beside });
    }
    const left = median(runs.map(({ ratio }) => ratio));
    const delay = median(runs.map((run) => run.delay));
    const mebibytes = (bytes) => `${(bytes / 2 ** 20).toFixed(0)} MiB`;
    return [
      {
        name: `${after.loads} loads of ${count} models, memory for ${held}`,
        measured: `${growth >= 1 ? '+' : '−'}${Math.abs(100 * (growth - 1)).toFixed(0)} %`,
        goal: 'within 15 %',
        ok: growth <= GROWTH && after.most <= (held + 1) * one,
        note: `resident ${mebibytes(before.rss)} after ${before.loads} loads, ${mebibytes(after.rss)} at the end; weights at most ${mebibytes(after.most)}, of one model ${mebibytes(one)}`,
      },
      {
        name: 'runs of a model while others load',
        measured: `${(100 * left).toFixed(0)} %`,
        goal: `≥ ${100 * LEFT} %`,
        ok: left >= LEFT,
        note: `two threads, of which one loads; ${median(runs.map(({ loaded }) => loaded))} loads in ${seconds} s`,
      },
      {
        name: '  the longest that a probe would have waited',
        measured: `${delay.toFixed(0)} ms`,
        goal: `≤ ${DELAY} ms`,
        ok: delay <= DELAY,
        note: 'delay of the event loop meanwhile',
      },
    ];
  } finally {
    await child.close();
    await rm(folder, { recursive: true, force: true });
  }
}
