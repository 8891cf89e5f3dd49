// A recording is heard for hardly more than its networks alone take, in memory that stays flat however long it is.
import { join } from 'node:path';
import { homedir } from 'node:os';
import { pullModel } from '@adit/models';
import { Child } from '../child.mjs';
import { speechOf } from '../media.mjs';
import { sum } from '../measure.mjs';
import { sampled } from '../pss.mjs';

const MAX_RATIO = 1.15;
const GROWTH = 1.1;
/** Share of the short recording that counts as warming up, in both. */
const WARM_UP = 0.3;

/** About a quarter of an hour. */
export async function speech(bench) {
  const [short, long] = bench.quick ? [60, 180] : [600, 10_800];
  const cacheDir = process.env.ADIT_CACHE_DIR ?? join(homedir(), '.cache/adit');
  const models = join(bench.folder, 'speech-models');
  await pullModel({ name: 'whisper-base', modelsDir: models, cacheDir });
  const first = await heard(bench, models, short);
  const second = await heard(bench, models, long, WARM_UP * first.seconds);
  const minutes = (seconds) => `${seconds / 60} min`;
  const growth = second.mean / first.mean;
  const described = ({ mean, peak }) => `mean ${mean.toFixed(0)}, peak ${peak.toFixed(0)} MiB`;
  return [
    {
      name: `speech, quality: CPU of ${minutes(short)}, of that of voice detector, encoder and decoder`,
      measured: `${(first.whole / first.alone).toFixed(2)}`,
      goal: `≤ ${MAX_RATIO}`,
      ok: first.whole / first.alone <= MAX_RATIO,
      note: `${first.whole.toFixed(1)} s for ${first.words} words, ${first.alone.toFixed(1)} in the networks; two threads`,
    },
    {
      name: `speech, quality: memory, ${minutes(long)} against ${minutes(short)}`,
      measured: `${growth >= 1 ? '+' : '−'}${Math.abs(100 * (growth - 1)).toFixed(0)} %`,
      goal: 'within 10 %',
      ok: growth <= GROWTH,
      note: `PSS of the process tree after warm-up: ${minutes(short)} ${described(first)}; ${minutes(long)} ${described(second)}`,
    },
  ];
}

/** Hears `length` seconds of speech in a fresh process. */
async function heard(bench, models, length, warmUp) {
  const path = await speechOf(length);
  const child = new Child(join(import.meta.dirname, '../speech-process.mjs'), { args: [models] });
  try {
    await child.ask('open');
    let took;
    const samples = await sampled(child.pid, async () => {
      took = await child.ask('hear', { path, mode: 'quality' });
    });
    const seconds = samples.at(-1)[0];
    const from = warmUp ?? WARM_UP * seconds;
    const settled = samples.filter(([at]) => at >= from).map(([, mebibytes]) => mebibytes);
    const [mean, peak] = [sum(settled) / settled.length, Math.max(...settled)];
    bench.log(
      `speech: ${length} s in ${seconds.toFixed(0)} s, ${took.whole.toFixed(0)} of CPU, peak ${peak.toFixed(0)} MiB`,
    );
    return { ...took, seconds, mean, peak };
  } finally {
    await child.close();
  }
}
