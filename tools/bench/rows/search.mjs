// Who a face is, among many: one look through a gallery.
import { Matcher } from '@adit/modules';
import { median, timed } from '../measure.mjs';

const PEOPLE = 20_000;
const PHOTOS = 2;
const DIMENSIONS = 512;
const LIMIT_MS = 100;

export async function search(bench) {
  const people = bench.quick ? 100 : PEOPLE;
  const matcher = new Matcher([gallery(people)]);
  const times = [];
  for (let i = -5; i < (bench.quick ? 3 : 30); i++) {
    const query = unit();
    const { seconds } = await timed(() => matcher.nearest(query, 10));
    // The first few are for warming up.
    if (i >= 0) times.push(1000 * seconds);
  }
  const middle = median(times);
  return [
    {
      name: `a face among ${people.toLocaleString('en')} people`,
      measured: `${middle.toFixed(0)} ms`,
      goal: `≤ ${LIMIT_MS} ms`,
      ok: middle <= LIMIT_MS,
      note: `exact: each of ${(people * PHOTOS).toLocaleString('en')} embeddings of ${DIMENSIONS} values; once for each person who appears`,
    },
  ];
}

function gallery(people) {
  const rows = Array.from({ length: people * PHOTOS }, (_, row) => Math.floor(row / PHOTOS));
  const vectors = new Float32Array(rows.length * DIMENSIONS);
  for (const row of rows.keys()) vectors.set(unit(), row * DIMENSIONS);
  return {
    format: 1,
    name: 'many',
    custom: false,
    embedding: { name: 'random', digest: '' },
    dimensions: DIMENSIONS,
    classes: Array.from({ length: people }, (_, index) => ({ id: '', label: `Person ${index}`, images: PHOTOS })),
    rows,
    vectors,
  };
}

/** A random direction. */
function unit() {
  const vector = Float32Array.from({ length: DIMENSIONS }, () => Math.random() - 0.5);
  const length = Math.hypot(...vector);
  return vector.map((value) => value / length);
}
