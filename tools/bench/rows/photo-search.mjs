// Photos looked for among the faces of many segments.
import { randomUUID } from 'node:crypto';
import { loadavg } from 'node:os';
import { inTransaction, openDatabase } from '@adit/database';
import { PostgresIndex } from '@adit/search';
import { startServers } from '@adit/servers';
import { binaryOf, DIMENSIONS, face, view } from '../faces.mjs';
import { median, percentile, timed } from '../measure.mjs';

/** Goals of a photo alone, and with other things together: p95 in milliseconds; share of the ten nearest that is found. */
const [LIMIT_MS, TOGETHER_MS, RECALL] = [200, 500, 0.95];
/** Segments of a person, on average; those of one job, which shows fifty people; distance of two pictures of a person. */
const [SEGMENTS_OF_PERSON, SEGMENTS_OF_JOB, APART] = [20, 1_000, 0.85];
const BATCH = 2_000;
const NETWORK = 'e'.repeat(64);
const MAX_DISTANCE = 1;

const JOBS = `
  INSERT INTO jobs (id, workspace_id, state, media_type, tag, priority, rank, segment_count, time_created)
  SELECT md5($1::text || n)::uuid, $1::uuid, 'completed', 'video', 'tag ' || n % 50, 5, 4, ${SEGMENTS_OF_JOB}, now() - n * interval '1 hour'
    FROM generate_series(0, $2::int) n`;
/** Every second one says the number of a word beside the name, so that there is something to look for together. */
const DOCUMENTS = `
  INSERT INTO search_documents (workspace_id, job_id, tag, time_created, round, source_index, seq, module_id, type, field, time_start,
                                time_end, moment, length, words)
  SELECT $1::uuid, md5($1::text || n / ${SEGMENTS_OF_JOB})::uuid, 'tag ' || n / ${SEGMENTS_OF_JOB} % 50, now(), 1, 0, n % ${SEGMENTS_OF_JOB},
         'face_recognition', 'face', 'who', n % ${SEGMENTS_OF_JOB}, n % ${SEGMENTS_OF_JOB} + 2, now() - n * interval '1 second', 1,
         format('''=unknown'':1A ''=word%s'':2C', n % 40)::tsvector
    FROM generate_series($2::int, $3::int) n`;
const FACES = `
  INSERT INTO search_faces (workspace_id, job_id, seq, network, embedding)
  SELECT $1::uuid, md5($1::text || n / ${SEGMENTS_OF_JOB})::uuid, n % ${SEGMENTS_OF_JOB}, '${NETWORK}',
         ($2::real[])[(n - $3::int) * ${DIMENSIONS} + 1 : (n - $3::int + 1) * ${DIMENSIONS}]
    FROM generate_series($3::int, $4::int) n`;

/** A million (ADIT_BENCH_FACES) takes 5 GB of disk and half an hour of one core. */
export async function photoSearch(bench) {
  const count = bench.quick ? 4_000 : Number(process.env.ADIT_BENCH_FACES ?? 100_000);
  const servers = await startServers({ postgres: true });
  const settings = { driver: 'postgres', url: servers.postgres.url, poolSize: 4, statementSeconds: 0 };
  let database = await openDatabase(settings);
  try {
    const workspaceId = randomUUID();
    const people = await load(bench, database.dataSource, { workspaceId, count });
    await database.close();
    const { seconds } = await timed(async () => (database = await openDatabase(settings)));
    bench.log(`photo-search: indexed in ${seconds.toFixed(0)} s`);
    return await measured(bench, database.dataSource, { workspaceId, count, people, built: seconds });
  } finally {
    await database.close();
    await servers.stop();
  }
}

/** Loads all faces without their index, which is made when the database is opened again; answers who they are of. */
async function load(bench, db, { workspaceId, count }) {
  await db.query(JOBS, [workspaceId, Math.ceil(count / SEGMENTS_OF_JOB)]);
  await db.query('DROP INDEX IF EXISTS search_faces_signs_512');
  const people = Array.from({ length: Math.ceil(count / SEGMENTS_OF_PERSON) }, face);
  for (let from = 0; from < count; from += BATCH) {
    const to = Math.min(count, from + BATCH) - 1;
    const faces = Array.from({ length: to - from + 1 }, () => view(oneOf(people), APART / Math.SQRT2));
    await db.query(FACES, [workspaceId, binaryOf(faces), from, to]);
    await db.query(DOCUMENTS, [workspaceId, from, to]);
    if (from % 20_000 === 0) bench.log(`photo-search: ${from} faces`);
  }
  for (const table of ['search_faces', 'search_documents', 'jobs']) await db.query(`VACUUM ANALYZE ${table}`);
  await db.query(`ALTER ROLE CURRENT_USER SET maintenance_work_mem = '2GB'`);
  return people;
}

function oneOf(list) {
  return list[Math.floor(Math.random() * list.length)];
}

async function measured(bench, db, { workspaceId, count, people, built }) {
  const index = new PostgresIndex(db);
  const photo = () => view(oneOf(people), APART / Math.SQRT2);
  const question = (embedding, more = {}) => ({
    ...{ workspaceId, query: null, filter: {}, fuzzy: false, together: null },
    face: { network: NETWORK, embedding, maxDistance: MAX_DISTANCE },
    ...more,
  });
  const word = { kind: 'term', field: 'said', folded: ['word7'], written: ['word7'], quoted: true };
  const rows = [];
  for (const [name, limit, more] of [
    ['a photo', LIMIT_MS, {}],
    ['a photo, by tag', LIMIT_MS, { filter: { tag: 'tag 7' } }],
    ['a photo and a word together', TOGETHER_MS, { query: word, together: 10 }],
  ]) {
    rows.push(await ask(bench, { index, name, limit, count, question: () => question(photo(), more) }));
  }
  const recall = await recallOf(db, index, { workspaceId, searches: bench.quick ? 5 : 40, photo, question });
  const [{ table, signs }] = await db.query(
    `SELECT pg_total_relation_size('search_faces') / 1e6 AS table, pg_relation_size('search_faces_signs_512') / 1e6 AS signs`,
  );
  rows.push({
    name: `the ten nearest of ${count.toLocaleString('en')} faces`,
    measured: `${(100 * recall).toFixed(1)} % found`,
    goal: `≥ ${100 * RECALL} %`,
    ok: recall >= RECALL,
    note: `${Math.round(table)} MB, of which ${Math.round(signs)} MB index over signs, made in ${built.toFixed(0)} s`,
  });
  return rows;
}

async function ask(bench, { index, name, limit, count, question }) {
  const times = [];
  let found = 0;
  // The first ones are for warming up.
  for (let i = -3; i < (bench.quick ? 5 : 100); i++) {
    const asked = question();
    const { seconds, value } = await timed(async () => {
      await index.find(asked, { after: null, limit: 10 });
      return index.count(asked);
    });
    if (i < 0) continue;
    times.push(1000 * seconds);
    found += value.total;
  }
  const p95 = percentile(times, 0.95);
  bench.log(`photo-search: ${name}: median ${median(times).toFixed(0)} ms, p95 ${p95.toFixed(0)} ms`);
  return {
    name: `${name}, in ${count.toLocaleString('en')} faces`,
    measured: `p95 ${p95.toFixed(0)} ms`,
    goal: `≤ ${limit} ms`,
    ok: p95 <= limit,
    note: `page and count, without the look at the photo; median ${median(times).toFixed(0)} ms, ${Math.round(found / times.length)} found in the mean; load ${loadavg()[0].toFixed(0)}`,
  };
}

/** Share of the ten nearest faces that are found. */
async function recallOf(db, index, { workspaceId, searches, photo, question }) {
  let [hits, all] = [0, 0];
  for (let i = 0; i < searches; i++) {
    const embedding = photo();
    const exact = await inTransaction(db, (manager) =>
      manager.query(
        `SELECT job_id || ' ' || seq AS place FROM (
           SELECT job_id, seq, embedding::vector(512) <-> $2::vector(512) AS distance FROM search_faces WHERE workspace_id = $1) all_of_them
          WHERE distance <= ${MAX_DISTANCE} ORDER BY distance LIMIT 10`,
        [workspaceId, `[${embedding.join()}]`],
      ),
    );
    const { documents } = await index.find(question(embedding), { after: null, limit: 10 });
    const found = new Set(documents.map(({ jobId, key }) => `${jobId} ${key.seq}`));
    hits += exact.filter(({ place }) => found.has(place)).length;
    all += exact.length;
  }
  return all === 0 ? 1 : hits / all;
}
