// Row 5: a late page of detailed results costs what the first one costs.
import { Engine } from '../engine.mjs';
import { median, timed } from '../measure.mjs';
import { photo as sample, unknownPhoto } from '../media.mjs';

const LIMIT = 1.2;
const PAGE = 20;
const LATE = 10_000;

export async function pages(bench) {
  const engine = await Engine.start([bench.folder]);
  try {
    const { id } = await engine.mine([await unknownPhoto(sample, bench.folder)]);
    const late = bench.quick ? 100 : LATE;
    await engine.fillPages(id, PAGE * (late + 1));
    const read = (page) => engine.get(`/jobs/${id}/detailed-results/?offset=${PAGE * (page - 1)}&limit=${PAGE}`);
    const times = { first: [], late: [] };
    for (let i = -3; i < (bench.quick ? 5 : 50); i++) {
      const first = await timed(() => read(1));
      const last = await timed(() => read(late));
      if (first.value.data.length !== PAGE || last.value.data.length !== PAGE) throw new Error('A page is not full.');
      // The first few are for warming up.
      if (i < 0) continue;
      times.first.push(first.seconds);
      times.late.push(last.seconds);
    }
    const [first, last] = [median(times.first), median(times.late)];
    const ms = (value) => `${(1000 * value).toFixed(1)} ms`;
    return [
      {
        name: `page ${late.toLocaleString('en')} of detailed results ÷ page 1`,
        measured: `${(last / first).toFixed(2)} ×`,
        goal: `≤ ${LIMIT} ×`,
        ok: last / first <= LIMIT,
        note: `over HTTP, ${PAGE} segments a page, ${(PAGE * (late + 1)).toLocaleString('en')} in all: page 1 ${ms(first)}, page ${late.toLocaleString('en')} ${ms(last)}`,
      },
    ];
  } finally {
    await engine.close();
  }
}
