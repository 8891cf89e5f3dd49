// Row 3: memory stays flat however long the film is.
import { dirname } from 'node:path';
import { Engine } from '../engine.mjs';
import { percentile, sum } from '../measure.mjs';
import { film } from '../media.mjs';
import { sampled } from '../pss.mjs';

const LIMIT = 1536;
const GROWTH = 1.15;
/** Share of the short film that counts as warming up, in both. */
const WARM_UP = 0.2;

export async function memory(bench) {
  const [short, long] = bench.quick ? [20, 60] : [600, 1800];
  const first = await measure(bench, short);
  const second = await measure(bench, long, WARM_UP * first.seconds);
  const growth = second.mean / first.mean;
  const peak = Math.max(first.peak, second.peak);
  const minutes = (seconds) => (seconds < 60 ? `${seconds} s` : `${seconds / 60} min`);
  const describe = ({ mean, p95, peak: top }) =>
    `mean ${mean.toFixed(0)}, p95 ${p95.toFixed(0)}, peak ${top.toFixed(0)} MiB`;
  return [
    {
      name: `memory, ${minutes(long)} film against ${minutes(short)}`,
      measured: `${growth >= 1 ? '+' : '−'}${Math.abs(100 * (growth - 1)).toFixed(0)} %`,
      goal: 'within 15 %',
      ok: growth <= GROWTH,
      note: `1080p, PSS of the process tree after warm-up: ${minutes(short)} ${describe(first)}; ${minutes(long)} ${describe(second)}`,
    },
    {
      name: 'memory, peak',
      measured: `${peak.toFixed(0)} MiB`,
      goal: `≤ ${LIMIT} MiB`,
      ok: peak <= LIMIT,
      note: 'the largest single sample',
    },
  ];
}

/** Mines a film of `length` seconds in a fresh engine. */
async function measure(bench, length, warmUp) {
  const path = await film(1920, 1080, length);
  const engine = await Engine.start([dirname(path)]);
  try {
    const samples = await sampled(engine.pid, () => engine.mine([path], { cluster_unknowns: true }));
    const seconds = samples.at(-1)[0];
    const from = warmUp ?? WARM_UP * seconds;
    const settled = samples.filter(([at]) => at >= from).map(([, mebibytes]) => mebibytes);
    bench.log(`memory: ${length} s of film in ${seconds.toFixed(0)} s, peak ${Math.max(...settled).toFixed(0)} MiB`);
    const mean = sum(settled) / settled.length;
    return { seconds, mean, p95: percentile(settled, 0.95), peak: Math.max(...samples.map(([, value]) => value)) };
  } finally {
    await engine.close();
  }
}
