// The scheduler alone on a database with a long queue, in a process of its own, so that its stalls are its own.
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { databaseConfig, DatabaseSettings, openDatabase } from '@adit/database';
import { JobSettings, Scheduler } from '@adit/jobs';
import { OutboxRelay } from '@adit/outbox';
import { BaseConfig, loadConfig } from '@adit/runtime';
import { answer } from './child.mjs';

const PLANNED_PER_JOB = 100;
const IDLE_MS = 2_000;
const config = loadConfig(BaseConfig.extend({ ...DatabaseSettings.shape }));
const database = await openDatabase(databaseConfig(config, '', 'adit-bench'));
const db = database.dataSource;
const bus = { system: 'none', publish: () => Promise.resolve() };

answer({
  /** Workspaces with `queued` jobs, and as many jobs in work as take `inFlight` chunks, two each. */
  async fill({ workspaces, queued, inFlight }) {
    await db.query('TRUNCATE jobs, job_sources, chunks, outbox');
    await db.query(`DELETE FROM workspaces WHERE name = 'queue'`);
    await db.query(
      `INSERT INTO workspaces (id, name, signing_secret) SELECT gen_random_uuid(), 'queue', 's' FROM generate_series(1, $1)`,
      [workspaces],
    );
    await db.query(JOBS, [queued, 'waiting', false]);
    await db.query(JOBS, [inFlight / 2, 'processing', true]);
    await db.query(
      `INSERT INTO job_sources (job_id, index, uri, state)
       SELECT id, 0, 'https://media.example.org/film', CASE WHEN admitted THEN 'planned' ELSE 'waiting' END FROM jobs`,
    );
    await db.query(
      `INSERT INTO chunks (id, job_id, position, source_start, source_end, state)
       SELECT gen_random_uuid(), id, n, 0, 1, CASE WHEN n < 2 THEN 'requested' ELSE 'planned' END
         FROM jobs, generate_series(0, $1::int - 1) n WHERE admitted`,
      [PLANNED_PER_JOB],
    );
    await db.query('VACUUM ANALYZE jobs, job_sources, chunks, outbox');
  },
  /** Rounds after each of which `freed` chunks are done: milliseconds of each, and the longest stalls. */
  async rounds({ count, inFlight, freed }) {
    const settings = JobSettings.parse({
      maxChunksInFlight: inFlight,
      chunksPerJob: 100,
      activeJobsPerWorkspace: inFlight,
    });
    const outbox = new OutboxRelay(db, bus);
    const scheduler = new Scheduler(outbox, settings, db);
    const times = [];
    const stalls = [];
    let cpu = 0;
    // What the machine itself stops a process for, while it does nothing.
    const idle = monitorEventLoopDelay({ resolution: 1 });
    idle.enable();
    await sleep(IDLE_MS);
    idle.disable();
    for (let round = 0; round < count; round += 1) {
      await db.query(
        `UPDATE chunks SET state = 'done' WHERE id IN (SELECT id FROM chunks WHERE state = 'requested' ORDER BY md5(id::text || $2::text) LIMIT $1)`,
        [freed, String(round)],
      );
      const delay = monitorEventLoopDelay({ resolution: 1 });
      delay.enable();
      const used = process.cpuUsage();
      const began = performance.now();
      scheduler.nudge();
      await scheduler.idle();
      times.push(performance.now() - began);
      const { user, system } = process.cpuUsage(used);
      cpu += (user + system) / 1000 / count;
      delay.disable();
      stalls.push(delay.max / 1e6);
      await outbox.idle();
    }
    const [{ taken }] = await db.query(
      `SELECT (SELECT count(*)::int FROM chunks WHERE state = 'requested')
            + (SELECT count(*)::int FROM job_sources WHERE state = 'requested') AS taken`,
    );
    if (taken < inFlight) throw new Error(`Only ${taken} of ${inFlight} slots are taken.`);
    return { times, stalls, cpu, idle: idle.max / 1e6 };
  },
  async end() {
    await database.close();
  },
});

const JOBS = `
  INSERT INTO jobs (id, workspace_id, tag, state, priority, rank, media_type, admitted, time_created)
  SELECT gen_random_uuid(), w.id, 'bench', $2, 5, 4, 'video', $3, now() - make_interval(secs => n)
    FROM (SELECT id, row_number() OVER () - 1 AS at, count(*) OVER () AS all FROM workspaces WHERE name = 'queue') w
    JOIN generate_series(1, $1::int) n ON n % w.all = w.at`;
