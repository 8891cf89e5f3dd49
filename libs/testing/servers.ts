import { randomBytes } from 'node:crypto';
import { request } from 'node:http';
import { spending } from './test-costs.js';

/** Addresses of the servers that tests run on. */
export interface TestServers {
  /** `brokers`: host:port, several separated by commas. */
  kafka: { brokers: string };
  /**
   * `url` names a database that exists; its user may make others. `vector`: pgvector is there; unknown for a given server.
   * `migrated`: a database to copy, which has all migrations and nobody connects to.
   */
  postgres: { url: string; vector?: boolean; migrated?: string };
  minio: { endpoint: string; accessKey: string; secretKey: string };
  /**
   * The server of `postgres` through PgBouncers that pool sessions, transactions or statements. `ignoring` pools transactions and
   * leaves out start parameters without a word; the others refuse them, as PgBouncer does unless it is told otherwise.
   */
  pgbouncer: { session: string; transaction: string; ignoring: string; statement: string };
}
export type ServerName = keyof TestServers;

/** A server of one spec alone, which may therefore stop it. Port and data stay the same until it is removed. */
export interface OwnServer {
  /** In the folder that holds all it keeps; null where a container does. */
  logFile: string | null;
  /** SIGTERM or its like. */
  stop(): Promise<void>;
  /** SIGKILL. */
  kill(): Promise<void>;
  /** Resolves when the server answers again. */
  start(): Promise<void>;
  /** Ends it and removes its data. */
  remove(): Promise<void>;
}

/** Why a server is not there, in one line. */
export interface Missing {
  reason: string;
}

const HOW = 'run "npm test", or "npm run servers" and export what it prints';

/**
 * The server that all specs of a test run share: the one that KAFKA_BROKERS, DATABASE_URL or S3_ENDPOINT (with
 * S3_ACCESS_KEY and S3_SECRET_KEY) names, else one that the test run starts when it is first asked for. May take
 * minutes on a machine that has to build it, so ask at the top level of a spec, where jest sets no limit.
 */
export async function testServer<N extends ServerName>(name: N): Promise<TestServers[N] | Missing> {
  return given(name) ?? (await spending('servers', () => ask<TestServers[N]>('GET', `shared/${name}`)));
}

/** One more server, for a spec that stops or kills it. Only the test run starts those; remove it in `afterAll`. */
export async function ownServer<N extends Exclude<ServerName, 'pgbouncer'>>(
  name: N,
): Promise<(TestServers[N] & OwnServer) | Missing> {
  const facts = await spending('servers', () =>
    ask<TestServers[N] & { id: string; logFile: string | null }>('POST', `own/${name}`),
  );
  if ('reason' in facts) return facts;
  const command = async (method: string, path: string): Promise<void> => {
    const answer = await ask<object>(method, `own/${facts.id}${path}`);
    if ('reason' in answer) throw new Error(`The ${name} of this spec: ${answer.reason}`);
  };
  return {
    ...facts,
    stop: () => command('POST', '/stop'),
    kill: () => command('POST', '/kill'),
    start: () => command('POST', '/start'),
    remove: () => command('DELETE', ''),
  };
}

/** The path of MediaMTX, built when it is first asked for: `liveServer` starts it. */
export async function mediamtxProgram(): Promise<{ program: string } | Missing> {
  const { ADIT_MEDIAMTX } = process.env;
  if (ADIT_MEDIAMTX) return { program: ADIT_MEDIAMTX };
  return await spending('servers', () => ask<{ program: string }>('GET', 'program/mediamtx'));
}

/** A unique name for topics, buckets and the like, so that specs on one server do not meet: `spec-1f2e3d4c5b6a`. */
export function uniqueName(prefix = 'spec'): string {
  return `${prefix}-${randomBytes(6).toString('hex')}`;
}

function given<N extends ServerName>(name: N): TestServers[N] | null {
  const { KAFKA_BROKERS, DATABASE_URL, S3_ENDPOINT, S3_ACCESS_KEY = '', S3_SECRET_KEY = '' } = process.env;
  const servers: { [K in ServerName]: TestServers[K] | null } = {
    kafka: KAFKA_BROKERS ? { brokers: KAFKA_BROKERS } : null,
    postgres: DATABASE_URL ? { url: DATABASE_URL } : null,
    // In front of a given server, too.
    pgbouncer: null,
    minio: S3_ENDPOINT ? { endpoint: S3_ENDPOINT, accessKey: S3_ACCESS_KEY, secretKey: S3_SECRET_KEY } : null,
  };
  return servers[name];
}

/** Not `fetch`: it gives up after five minutes. */
function ask<T extends object>(method: string, path: string): Promise<T | Missing> {
  const keeper = process.env.ADIT_TEST_SERVERS;
  if (keeper === 'off') return Promise.resolve({ reason: 'ADIT_TEST_SERVERS is off' });
  if (!keeper) return Promise.resolve({ reason: HOW });
  return new Promise((resolve, reject) => {
    const call = request(`${keeper}/${path}`, { method, agent: false }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.once('error', reject);
      response.once('end', () => resolve(JSON.parse(Buffer.concat(chunks).toString() || '{}') as T | Missing));
    });
    call.once('error', (error) => resolve({ reason: `the test run's keeper of servers is gone (${error.message})` }));
    call.end();
  });
}
