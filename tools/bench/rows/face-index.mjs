// Searches for a face among many identities of a face index, while others are added.
import { randomUUID } from 'node:crypto';
import { availableParallelism, loadavg } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { inTransaction, openDatabase } from '@adit/database';
import { IndexCollections, NeighbourSearches, UnknownFaces } from '@adit/indexes';
import { startServers } from '@adit/servers';
import { cpuSeconds } from '../cpu.mjs';
import { binaryOf, DIMENSIONS, face, view } from '../faces.mjs';
import { timed } from '../measure.mjs';

const LIMIT_MS = 20;
const RECALL = 0.95;
const BATCH = 2_000;
const ADDED_A_SECOND = 50;
/** Number of exact searches: as many as take some seconds. */
const exactOf = (count) => Math.min(40, Math.ceil(4e6 / count));
const SEARCHES = 300;
const NETWORK = { name: 'face-embedding', digest: 'e'.repeat(64) };
const INSERT = `
  INSERT INTO index_identities (index_id, collection_id, workspace_id, centroid, members, revision)
  SELECT ($4::bigint + at - 1)::text, $1, $2, ($3::real[])[(at - 1) * ${DIMENSIONS} + 1 : at * ${DIMENSIONS}], 1, $6::bigint + at
    FROM generate_series(1, $5::int) AS at`;

/**
 * ADIT_BENCH_IDENTITIES says how many; a million takes 6 GB of disk, 3 GB of memory and half an hour of one core, most of it for
 * pgvector's index, which ADIT_INDEX_MEMORY_BYTES=0 measures. They stay in a server of yours that DATABASE_URL names, where the next
 * run finds them.
 */
export async function faceIndex(bench) {
  const count = bench.quick ? 5_000 : Number(process.env.ADIT_BENCH_IDENTITIES ?? 100_000);
  const servers = await startServers({ postgres: true });
  const settings = { driver: 'postgres', url: servers.postgres.url, poolSize: 4, statementSeconds: 0 };
  let database = await openDatabase(settings);
  try {
    const name = `bench-${count}`;
    let built = null;
    let workspaceId = await loaded(database.dataSource, name, count);
    if (workspaceId === null) {
      workspaceId = randomUUID();
      await load(bench, database.dataSource, { workspaceId, name, count });
      await database.close();
      const { seconds } = await timed(async () => (database = await openDatabase(settings)));
      built = seconds;
      bench.log(`face-index: indexed in ${built.toFixed(0)} s`);
    }
    const sample = await sampled(database.dataSource, workspaceId);
    return await measured(bench, database.dataSource, { workspaceId, name, count, sample, built });
  } finally {
    await database.close();
    await servers.stop();
  }
}

/** The workspace that an earlier run has filled; null when there is none. */
async function loaded(db, name, count) {
  const [found] = await db.query(
    'SELECT workspace_id AS "workspaceId" FROM index_collections WHERE name = $1 AND size >= $2 AND time_deleted IS NULL',
    [name, count],
  );
  return found?.workspaceId ?? null;
}

/** Loads all identities without the index, which is made when the database is opened again. */
async function load(bench, db, { workspaceId, name, count }) {
  const collections = new IndexCollections(db);
  const { id } = await collections.create(workspaceId, { name, description: '', type: 'face' }, randomUUID());
  await db.query('DROP INDEX IF EXISTS index_identities_signs_512');
  const [{ first }] = await db.query(
    'SELECT coalesce(max(index_id::bigint) + 1, 1000000000) AS first FROM index_identities',
  );
  for (let from = 0; from < count; from += BATCH) {
    const faces = Array.from({ length: Math.min(BATCH, count - from) }, face);
    await db.query(INSERT, [id, workspaceId, binaryOf(faces), Number(first) + from, faces.length, from]);
    if (from % 20_000 === 0) bench.log(`face-index: ${from} identities`);
  }
  await db.query(
    `UPDATE index_collections SET size = $2, revision = $2::int, dimensions = $3, embedding_name = $4, embedding_digest = $5
      WHERE id = $1`,
    [id, count, DIMENSIONS, NETWORK.name, NETWORK.digest],
  );
  await db.query('VACUUM ANALYZE index_identities');
  await db.query(`ALTER ROLE CURRENT_USER SET maintenance_work_mem = '2GB'`);
}

/** One of a hundred identities, to search for. */
function sampled(db, workspaceId) {
  return db.query(
    `SELECT index_id AS id, centroid AS face FROM index_identities WHERE workspace_id = $1 AND right(index_id, 2) = '42' LIMIT 10000`,
    [workspaceId],
  );
}

async function measured(bench, db, { workspaceId, name, count, sample, built }) {
  const memory = process.env.ADIT_INDEX_MEMORY_BYTES;
  const searches = new NeighbourSearches(memory === undefined ? undefined : Number(memory));
  const collections = new IndexCollections(db);
  const near = (embedding, limit) =>
    inTransaction(db, async (manager) => {
      const row = await collections.getIn(manager, workspaceId, name);
      const search = await searches.of(manager);
      return (await search.open(manager, row)).nearest(embedding, limit);
    });
  const inMemory = memory === '0' ? null : await untilInMemory(db, collections, searches, { workspaceId, name });
  const adding = keepAdding(db, searches, { workspaceId, name });
  const { times, found } = await timedSearches(sample, near, bench.quick ? 100 : 2_000);
  const perSecond = await adding.stop();
  const recall = await recallOf(db, sample, near, exactOf(count));
  const cpu = await cpuOf(db, sample, near);
  await searches.onApplicationShutdown();
  const [{ buffers }] = await db.query(`SELECT current_setting('shared_buffers') AS buffers`);
  const p95 = times[Math.floor(times.length * 0.95)];
  return [
    {
      name: `a stranger among ${count.toLocaleString('en')} identities, 95th percentile`,
      measured: `${p95.toFixed(1)} ms, ${(100 * found).toFixed(1)} % known again`,
      goal: `≤ ${LIMIT_MS} ms at ≥ ${100 * RECALL} %`,
      ok: p95 <= LIMIT_MS && found >= RECALL,
      note:
        `${inMemory === null ? 'pgvector, HNSW over signs' : `in memory, read in ${inMemory.toFixed(1)} s`}, while ${perSecond.toFixed(0)} a second are added; ` +
        `median ${times[times.length >> 1].toFixed(1)} ms; ` +
        `of one core ${(1000 * cpu.own).toFixed(1)} ms of the process and ${(1000 * cpu.database).toFixed(1)} ms of the database ` +
        `a search when nothing is added; ` +
        `of the ten nearest of somebody who is not there ${(100 * recall).toFixed(0)} % are found; ` +
        `${built === null ? 'found loaded' : `indexed in ${built.toFixed(0)} s`}; shared_buffers ${buffers}; ` +
        `load ${loadavg()[0].toFixed(0)} on ${availableParallelism()} cores`,
    },
  ];
}

/** Adds unknown faces at a steady rate; `stop` answers how many were added per second. */
function keepAdding(db, searches, { workspaceId, name }) {
  let adding = true;
  let added = 0;
  const add = async () => {
    const began = performance.now();
    while (adding) {
      await inTransaction(db, async (manager) => {
        const unknownFaces = new UnknownFaces(manager, workspaceId, searches);
        const unknownFace = { collection: name, embedding: face(), maxDistance: 0.5, network: NETWORK, picture: null };
        await unknownFaces.identify(unknownFace);
        await unknownFaces.flush();
      });
      added += 1;
      await sleep(Math.max(0, began + (1000 * added) / ADDED_A_SECOND - performance.now()));
    }
    return added / ((performance.now() - began) / 1000);
  };
  const rate = add();
  return {
    stop() {
      adding = false;
      return rate;
    },
  };
}

/** Searches for views of known identities; answers the times in ascending order and the share that was recognised. */
async function timedSearches(sample, near, count) {
  const times = [];
  let known = 0;
  // The first searches warm up.
  for (let i = -50; i < count; i++) {
    const one = sample[Math.floor(Math.random() * sample.length)];
    const { seconds, value } = await timed(() => near(view(one.face, 0.8), 1));
    if (i < 0) continue;
    times.push(1000 * seconds);
    if (value[0]?.indexId === one.id) known += 1;
    await sleep(10);
  }
  return { times: times.sort((a, b) => a - b), found: known / count };
}

/** Waits until the process has read the index into memory; answers the seconds. */
async function untilInMemory(db, collections, searches, { workspaceId, name }) {
  const isThere = () =>
    inTransaction(db, async (manager) => {
      const row = await collections.getIn(manager, workspaceId, name);
      return (await (await searches.of(manager)).open(manager, row)).by === 'memory';
    });
  const { seconds } = await timed(async () => {
    while (!(await isThere())) await sleep(50);
  });
  return seconds;
}

/** CPU seconds of a search in this process and in the database, which a busy machine hardly lengthens. */
async function cpuOf(db, sample, near) {
  const spent = async () => {
    const sessions = await db.query('SELECT pid FROM pg_stat_activity WHERE datname = current_database()');
    return new Map(await Promise.all(sessions.map(async ({ pid }) => [pid, await cpuSeconds(pid)])));
  };
  const queries = Array.from({ length: SEARCHES }, (_, at) => view(sample[at % sample.length].face, 0.8));
  const before = await spent();
  const own = process.cpuUsage();
  for (const query of queries) await near(query, 1);
  const { user, system } = process.cpuUsage(own);
  // Only sessions that still exist count: the pool closes idle ones.
  let database = 0;
  for (const [pid, seconds] of await spent()) database += seconds - (before.get(pid) ?? 0);
  return { own: (user + system) / 1e6 / SEARCHES, database: database / SEARCHES };
}

/** Share of the ten nearest that the index finds for views that are near to nobody, as those of an unknown face. */
async function recallOf(db, sample, near, searches) {
  let hits = 0;
  for (let i = 0; i < searches; i++) {
    const query = view(sample[i % sample.length].face, 1.3);
    const rows = await db.query(
      `SELECT index_id AS id FROM index_identities ORDER BY centroid::vector(512) <-> $1::vector(512) LIMIT 10`,
      [`[${query.join()}]`],
    );
    const found = new Set((await near(query, 10)).map(({ indexId }) => indexId));
    hits += rows.filter(({ id }) => found.has(id)).length;
  }
  return hits / (10 * searches);
}
