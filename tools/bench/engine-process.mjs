// The engine under test, in a process of its own. Jobs are posted over HTTP; this channel answers what a client cannot
// see: counters, the observations of a job, and rows for the page measurement.
import { createHash, randomBytes } from 'node:crypto';
import { DATABASE } from '@adit/database';
import { OBJECT_STORE } from '@adit/objects';
import { metrics } from '@adit/runtime';
import { EngineConfig } from '../../apps/standalone/dist/config.js';
import { bootEngine } from '../../apps/standalone/dist/engine.js';
import { answer } from './child.mjs';

const [dataDir, apiKey, ...localRoots] = process.argv.slice(2);
const settings = JSON.parse(process.env.ADIT_BENCH_SETTINGS ?? '{}');
const config = EngineConfig.parse({ dataDir, apiKey, localRoots, port: 0, logLevel: 'warn', ...settings });
const engine = await bootEngine(config);
const { app } = engine;
const { dataSource: db } = app.get(DATABASE, { strict: false });

answer({
  url: () => engine.url,
  counters,
  lookedAt,
  fillPages,
  neighbour,
  async end() {
    await engine.close();
  },
});

/** The key of another workspace. */
async function neighbour({ role }) {
  const key = `adit_${randomBytes(32).toString('base64url')}`;
  await db.query(
    `WITH w AS (INSERT INTO workspaces (id, name, signing_secret) VALUES (gen_random_uuid(), 'neighbour', 's') RETURNING id)
     INSERT INTO api_keys (id, workspace_id, name, prefix, hash, role) SELECT gen_random_uuid(), id, 'neighbour', $1, $2, $3 FROM w`,
    [key.slice(0, 9), createHash('sha256').update(key).digest('hex'), role],
  );
  return key;
}

/** Runs by model, chunks decoded. */
async function counters() {
  const counted = { models: {}, decoded: 0 };
  for (const { name, values } of await metrics.getMetricsAsJSON()) {
    for (const { metricName, labels, value } of values) {
      if (name === 'adit_model_run_seconds' && metricName.endsWith('_count')) counted.models[labels.model] = value;
      if (name === 'adit_decode_seconds' && metricName.endsWith('_count')) counted.decoded += value;
    }
  }
  return counted;
}

/** Number of pictures that the analysis of a job opened: sampled ones, key frames again, native ones for views. */
async function lookedAt({ id }) {
  const rows = await db.query('SELECT units FROM chunk_analyses WHERE job_id = $1', [id]);
  const total = { sampled: 0, keyFrames: 0, native: 0 };
  for (const { observations } of rows.flatMap((row) => row.units)) {
    const { sampled, tracks } = JSON.parse(
      (await app.get(OBJECT_STORE, { strict: false }).read(observations)).toString(),
    );
    const distinct = (frames) => new Set(frames.filter((frame) => frame !== undefined)).size;
    total.sampled += sampled.length;
    total.keyFrames += distinct(tracks.map(({ keyFrame }) => keyFrame?.frame));
    total.native += distinct(
      tracks.flatMap(({ views = [], keyFrame }) => [...views.map(({ frame }) => frame), keyFrame?.frame]),
    );
  }
  return total;
}

/** Fills a job up to `count` segments with copies of its first one. */
async function fillPages({ id, count }) {
  const [{ columns }] = await db.query(
    `SELECT string_agg(quote_ident(column_name), ', ') AS columns FROM information_schema.columns
      WHERE table_name = 'segments' AND column_name NOT IN ('seq', 'module_seq')`,
  );
  const [{ from }] = await db.query('SELECT max(seq) + 1 AS from FROM segments WHERE job_id = $1', [id]);
  await db.query(
    `INSERT INTO segments (seq, module_seq, ${columns})
     SELECT n, n, ${columns} FROM segments, generate_series($2::int, $3::int) n
      WHERE job_id = $1 AND seq = (SELECT min(seq) FROM segments WHERE job_id = $1)`,
    [id, from, count - 1],
  );
  await db.query('UPDATE jobs SET segment_count = $2 WHERE id = $1', [id, count]);
  await db.query('UPDATE job_modules SET segment_count = $2 WHERE job_id = $1', [id, count]);
  await db.query('ANALYZE segments');
}
