// Throughput of the gateway: creating jobs, durably, and reading them. The load comes from the same cores.
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { HttpLoad, load } from '../load.mjs';
import { median } from '../measure.mjs';
import { Processes } from '../processes.mjs';

/** Enough to keep two cores busy; more only wait in line (16: no more is done, at twice the latency). */
const WORKERS = 8;
const ORDER = {
  sources: ['https://media.example.org/films/news-2026-11-21.mp4'],
  modules: { face_recognition: { cluster_unknowns: true } },
  tag: 'bench',
};
const POST = { ratio: 0.5, rate: 400, p99: 50 };
const GET = { rate: 1500 };

/** Nothing but the gateway runs, so that jobs queue up: about a minute. */
export const api = async (bench) => {
  const seconds = bench.quick ? 2 : 8;
  const runs = bench.quick ? 1 : 3;
  const processes = await Processes.start({ only: ['gateway'], ...bench.gateway });
  const { DATABASE_URL } = processes.environment;
  const raw = new pg.Pool({ connectionString: DATABASE_URL, max: WORKERS });
  const http = new HttpLoad(processes.url, WORKERS);
  const ids = [];
  const post = async (worker) => ids.push(JSON.parse(await http.send(worker, order(processes))).id);
  const read = (worker) => {
    const path = `/api/v1/jobs/${ids[Math.floor(Math.random() * ids.length)]}/`;
    return http.send(worker, { path, headers: processes.headers });
  };
  try {
    await rawTables(raw);
    await load(WORKERS, seconds / 2, post);
    await load(WORKERS, seconds / 4, () => twoInserts(raw));
    const rounds = [];
    for (let run = 1; run <= runs; run++) {
      // Neighbours in time, so that a machine that gets slower or faster does not count.
      const least = await load(WORKERS, seconds, () => twoInserts(raw));
      const posted = await load(WORKERS, seconds, post);
      await handedOver(processes);
      const got = await load(WORKERS, seconds, read);
      rounds.push({ least, posted, got });
      bench.log(`raw ${described(least)}; POST ${described(posted)}; GET ${described(got)}`);
    }
    return rows(rounds, ids.length);
  } finally {
    await http.close();
    await raw.end();
    await processes.close();
  }
};

function order({ headers }) {
  return {
    path: '/api/v1/jobs/',
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(ORDER),
  };
}

async function rawTables(raw) {
  await raw.query(
    `CREATE TABLE raw_jobs (id uuid PRIMARY KEY, request jsonb NOT NULL, time_created timestamptz NOT NULL DEFAULT now())`,
  );
  await raw.query(
    `CREATE TABLE raw_outbox (id bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY, topic text NOT NULL, key text NOT NULL, envelope jsonb NOT NULL)`,
  );
}

/** The least that a durable order could cost: a row and the message that tells of it, in one transaction. */
async function twoInserts(raw) {
  const client = await raw.connect();
  try {
    const id = randomUUID();
    await client.query('BEGIN');
    await client.query('INSERT INTO raw_jobs (id, request) VALUES ($1, $2)', [id, JSON.stringify(ORDER)]);
    await client.query('INSERT INTO raw_outbox (topic, key, envelope) VALUES ($1, $2, $3)', ['jobs', id, { id }]);
    await client.query('COMMIT');
  } finally {
    client.release();
  }
}

/** Until Kafka has the messages of all jobs: reading is not measured beside what posting left to do. */
async function handedOver({ db }) {
  while ((await db.query('SELECT 1 FROM outbox LIMIT 1')).rowCount > 0) await sleep(100);
}

const described = ({ rate, p99 }) => `${rate.toFixed(0)}/s, p99 ${p99.toFixed(0)} ms`;

function rows(rounds, jobs) {
  const middle = (read) => median(rounds.map(read));
  const ratio = middle(({ least, posted }) => posted.rate / least.rate);
  const [raw, posted, got] = ['least', 'posted', 'got'].map((name) => ({
    rate: middle((round) => round[name].rate),
    p50: middle((round) => round[name].p50),
    p99: middle((round) => round[name].p99),
  }));
  const of = `${WORKERS} connections, the load on the same cores`;
  return [
    {
      name: 'POST a job ÷ raw transactions of two inserts',
      measured: `${ratio.toFixed(2)} ×`,
      goal: `≥ ${POST.ratio} ×`,
      ok: ratio >= POST.ratio,
      note: `${of}; raw ${described(raw)} through pg; both with fsync`,
    },
    {
      name: 'POST a job',
      measured: described(posted),
      goal: `≥ ${POST.rate}/s, p99 ≤ ${POST.p99} ms`,
      ok: posted.rate >= POST.rate && posted.p99 <= POST.p99,
      note: `${of}; p50 ${posted.p50.toFixed(1)} ms; durable and handed to Kafka; ${jobs.toLocaleString('en')} jobs at the end`,
    },
    {
      name: 'GET a job',
      measured: described(got),
      goal: `≥ ${GET.rate.toLocaleString('en')}/s`,
      ok: got.rate >= GET.rate,
      note: `${of}; any of the jobs; p50 ${got.p50.toFixed(1)} ms`,
    },
  ];
}
