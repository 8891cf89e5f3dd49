// Pages of a result that is far larger than memory: the last one costs what the first one costs.
import { median, timed } from '../measure.mjs';
import { Processes } from '../processes.mjs';

const LIMIT = 1.2;
const PAGE = 100;
const BATCH = 500_000;
const SEGMENT = `
  INSERT INTO segments (job_id, seq, module_id, module_seq, source_index, frame_start, frame_end, time_start, time_end,
                        type, label, confidence, meta, detections)
  SELECT $1, n, 'face_recognition', n, 0, n * 25, n * 25 + 49, n, n + 2, 'face', 'Unknown #' || n % 1000, 0.5, '{}',
         jsonb_build_array(jsonb_build_object('frame', n * 25, 'time', n, 'confidence', 0.5,
           'box', jsonb_build_object('x', 0.1, 'y', 0.2, 'w', 0.3, 'h', 0.4)))
    FROM generate_series($2::int, $3::int) n`;

/** Rows are made by PostgreSQL itself: about 5 minutes, and 5 GB of disk until the end. */
export async function pages10m(bench) {
  const count = bench.quick ? 10_000 : 10_000_000;
  const processes = await Processes.start({ only: ['gateway'] });
  const { db } = processes;
  try {
    const { id } = await processes.post(['https://media.example.org/film.mp4'], { face_recognition: {} });
    for (let from = 0; from < count; from += BATCH) {
      await db.query(SEGMENT, [id, from, Math.min(count, from + BATCH) - 1]);
      bench.log(`pages-10m: ${Math.min(count, from + BATCH)} rows`);
    }
    await db.query('UPDATE jobs SET segment_count = $2 WHERE id = $1', [id, count]);
    await db.query('UPDATE job_modules SET segment_count = $2 WHERE job_id = $1', [id, count]);
    await db.query('VACUUM ANALYZE segments');
    const places = { first: 0, middle: count / 2, last: count - PAGE };
    const times = { first: [], middle: [], last: [] };
    for (let i = -3; i < (bench.quick ? 5 : 50); i++) {
      for (const [name, offset] of Object.entries(places)) {
        const path = `/jobs/${id}/detailed-results/?offset=${offset}&limit=${PAGE}`;
        const { seconds, value } = await timed(() => processes.get(path));
        if (value.data.length !== PAGE) throw new Error('A page is not full.');
        // The first few are for warming up.
        if (i >= 0) times[name].push(seconds);
      }
    }
    const ms = (name) => `${(1000 * median(times[name])).toFixed(1)} ms`;
    const ratio = median(times.last) / median(times.first);
    return [
      {
        name: `last page of ${count.toLocaleString('en')} detailed results ÷ first page`,
        measured: `${ratio.toFixed(2)} ×`,
        goal: `≤ ${LIMIT} ×`,
        ok: ratio <= LIMIT,
        note: `PostgreSQL, over HTTP, ${PAGE} segments a page: first ${ms('first')}, middle ${ms('middle')}, last ${ms('last')}`,
      },
    ];
  } finally {
    await processes.close();
  }
}
