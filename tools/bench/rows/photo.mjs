// Row 4: a photo, from POST to completed, in an engine that has seen photos before.
import { Engine } from '../engine.mjs';
import { percentile } from '../measure.mjs';
import { photo as sample, unknownPhoto } from '../media.mjs';

const LIMIT = 0.5;

export async function photo(bench) {
  const count = bench.quick ? 5 : 30;
  const engine = await Engine.start([bench.folder]);
  const walls = [];
  try {
    for (let i = 0; i < 3; i++) await engine.mine([await unknownPhoto(sample, bench.folder)]);
    for (let i = 0; i < count; i++) {
      const job = await engine.mine([await unknownPhoto(sample, bench.folder)]);
      walls.push(job.seconds);
    }
  } finally {
    await engine.close();
  }
  const [p50, p95] = [percentile(walls, 0.5), percentile(walls, 0.95)];
  const ms = (value) => `${(1000 * value).toFixed(0)} ms`;
  bench.log(`photo: ${walls.map(ms).join(', ')}`);
  return [
    {
      name: 'warm photo job, POST to completed',
      measured: `p50 ${ms(p50)}, p95 ${ms(p95)}`,
      goal: `p50 ≤ ${ms(LIMIT)}`,
      ok: p50 <= LIMIT,
      note: `${count} photos of a group, each unknown to the engine`,
    },
  ];
}
