// Exports for editing of a job with a million segments: as fast as its log as CSV, in flat memory.
import { dirname } from 'node:path';
import { film } from '../media.mjs';
import { timed } from '../measure.mjs';
import { Processes } from '../processes.mjs';
import { sampled } from '../pss.mjs';

const BATCH = 50_000;
/** Share of the rate of `csv` that a format has at least: a timeline writes each segment as several objects. */
const FORMATS = {
  csv: 1,
  vtt: 1,
  avid_markers: 1,
  resolve_edl: 1,
  edl: 1,
  ale: 1,
  fcpxml: 0.5,
  fcp7xml: 0.5,
  otio: 0.5,
};
/** MiB that an export of all segments may take beyond one of a hundredth of them. */
const GROWTH = 64;
const SECONDS = 60;
/** Copies of the job's first segment, a second each, at every place of the film. */
const COPIES = `
  INSERT INTO segments (job_id, seq, module_id, module_seq, source_index, frame_start, frame_end, time_start, time_end,
                        type, label, confidence, meta, detections)
  SELECT job_id, n, module_id, n, source_index, n % $4, n % $4 + 23, (n % $4) / 24.0, (n % $4 + 24) / 24.0,
         type, 'Unknown #' || n % 1000, confidence, meta, detections
    FROM segments, generate_series($2::int, $3::int) n
   WHERE job_id = $1 AND seq = (SELECT min(seq) FROM segments WHERE job_id = $1)`;

/** About 10 minutes, and a gigabyte of disk until the end. */
export async function segmentExports(bench) {
  const count = bench.quick ? 10_000 : Number(process.env.ADIT_BENCH_SEGMENTS ?? 1_000_000);
  const path = await film(640, 360, SECONDS);
  const processes = await Processes.start({ roots: [dirname(path)] });
  const [{ pid }] = processes.of('aggregator');
  try {
    const { id } = await processes.mine([path], { face_recognition: { cluster_unknowns: true } });
    const measured = new Map();
    for (const size of [count / 100, count]) {
      await fill(processes.db, id, size);
      bench.log(`segment-exports: ${size.toLocaleString('en')} segments`);
      for (const format of Object.keys(FORMATS)) {
        let seconds;
        const samples = await sampled(pid, async () => {
          seconds = (await timed(() => exported(processes, { job_id: id, format }))).seconds;
        });
        const peak = Math.max(...samples.map(([, mebibytes]) => mebibytes));
        bench.log(`  ${format}: ${seconds.toFixed(1)} s, ${peak.toFixed(0)} MiB`);
        measured.set(format, { seconds, peak, small: measured.get(format)?.peak ?? peak });
      }
    }
    const csv = measured.get('csv').seconds;
    return [...measured].map(([format, { seconds, peak, small }]) => ({
      name: `${count.toLocaleString('en')} segments as ${format}`,
      measured: `${Math.round(count / seconds).toLocaleString('en')}/s, ${(csv / seconds).toFixed(2)} × CSV, ${signed(peak - small)} MiB`,
      goal: `≥ ${FORMATS[format]} × CSV, ≤ +${GROWTH} MiB`,
      ok: csv / seconds >= 0.95 * FORMATS[format] && peak - small <= GROWTH,
      note: `POST to completed, PostgreSQL and MinIO; the aggregator has ${peak.toFixed(0)} MiB at most, ${small.toFixed(0)} with a hundredth`,
    }));
  } finally {
    await processes.close();
  }
}

async function fill(db, id, count) {
  const [{ from }] = (await db.query('SELECT max(seq) + 1 AS from FROM segments WHERE job_id = $1', [id])).rows;
  for (let next = from; next < count; next += BATCH)
    await db.query(COPIES, [id, next, Math.min(count, next + BATCH) - 1, (SECONDS - 2) * 24]);
  await db.query('UPDATE jobs SET segment_count = $2 WHERE id = $1', [id, count]);
  await db.query('UPDATE job_modules SET segment_count = $2 WHERE job_id = $1', [id, count]);
  await db.query('VACUUM ANALYZE segments');
}

/** Makes an export and waits until it is there. */
async function exported(processes, config) {
  const client = processes.client();
  const body = JSON.stringify({ strategy: 'segments_export', config });
  let made = await client.get('/exports/', { method: 'POST', body, wait: 0 });
  while (!['completed', 'failed'].includes(made.state)) made = await client.get(`/exports/${made.id}/`, { wait: 10 });
  if (made.state === 'failed') throw new Error(`${config.format}: ${JSON.stringify(made.errors ?? made)}`);
}

const signed = (mebibytes) => `${mebibytes < 0 ? '−' : '+'}${Math.abs(mebibytes).toFixed(0)}`;
