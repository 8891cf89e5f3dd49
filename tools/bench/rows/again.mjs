// Row 6: another question to a film that was mined before costs no look at it.
import { dirname } from 'node:path';
import { Engine } from '../engine.mjs';
import { median, sum } from '../measure.mjs';
import { film } from '../media.mjs';

export async function again(bench) {
  const length = bench.quick ? 10 : 60;
  const path = await film(1920, 1080, length);
  const engine = await Engine.start([dirname(path)]);
  try {
    const first = await engine.mineCounted([path], { cluster_unknowns: true });
    const asked = [];
    for (let i = 0; i < bench.runs; i++) {
      asked.push(await engine.mineCounted([path], { cluster_unknowns: true, max_distance: 0.7 + 0.05 * i }));
    }
    const decoded = sum(asked.map((job) => job.decoded));
    const runs = sum(asked.flatMap((job) => Object.values(job.runs)));
    return [
      {
        name: 'asking a mined film again, another threshold',
        measured: `${median(asked.map((job) => job.seconds)).toFixed(2)} s, ${decoded} chunks decoded, ${runs} model runs`,
        goal: '0 chunks decoded, 0 model runs',
        ok: decoded === 0 && runs === 0,
        note: `${length} s of 1080p; the first job took ${first.seconds.toFixed(1)} s, decoded ${first.decoded} chunks and ran models ${sum(Object.values(first.runs))} times`,
      },
    ];
  } finally {
    await engine.close();
  }
}
