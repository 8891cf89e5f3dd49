/** @needs servers */
import { once } from 'node:events';
import { rm, writeFile } from 'node:fs/promises';
import { connect, createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { TLSSocket } from 'node:tls';
import { describeWith, freshDatabase, ownServer, selfSignedCertificate, type FreshDatabase } from '@adit/testing';
import { configureLogging } from '@adit/runtime';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import pg from 'pg';
import type { PostgresConfig } from '../config.js';
import { databaseConformance } from '../conformance.js';
import { openDatabase, type Database } from '../database.js';
import { toAditError } from '../errors.js';
import { watchedClient } from './postgres-client.js';
import { requireServer } from './postgres-requirements.js';
import { inTransaction } from '../transaction.js';

const open = (url: string, more: Partial<PostgresConfig> = {}) =>
  openDatabase({ driver: 'postgres', url, connectSeconds: 60, ...more });

await describeWith('postgres', 'PostgreSQL', (servers) => {
  const made: FreshDatabase[] = [];
  const fresh = async () => {
    const database = await freshDatabase(servers.postgres.url);
    made.push(database);
    return database.url;
  };
  let url: string;
  let database: Database;
  beforeAll(async () => {
    url = await fresh();
    database = await open(url);
  });
  afterAll(async () => {
    await database?.close();
    for (const one of made) await one.drop();
  });

  databaseConformance('postgres', async () => open(await fresh()), { concurrent: true });

  it('is migrated once when ten processes start at the same time', async () => {
    const empty = await fresh();
    const opened = await Promise.all(Array.from({ length: 10 }, () => open(empty, { poolSize: 2 })));
    const counts = await Promise.all(
      opened.map(({ dataSource }) => dataSource.query(`SELECT count(*)::int AS done FROM migrations`)),
    );
    await Promise.all(opened.map((one) => one.close()));
    expect(counts.map(([{ done }]) => done)).toEqual(counts.map(() => database.dataSource.migrations.length));
  });

  it('shows its name, its limits and its isolation to the server', async () => {
    const limited = await open(url, {
      applicationName: 'adit-gateway',
      statementSeconds: 7,
      lockSeconds: 3,
      idleTransactionSeconds: 11,
    });
    const shown = `SELECT current_setting('application_name') AS name, current_setting('statement_timeout') AS statement,
      current_setting('lock_timeout') AS lock, current_setting('idle_in_transaction_session_timeout') AS idle,
      current_setting('transaction_isolation') AS isolation`;
    expect(await limited.dataSource.query(shown)).toEqual([
      { name: 'adit-gateway', statement: '7s', lock: '3s', idle: '11s', isolation: 'read committed' },
    ]);
    await limited.close();
  });

  it('is UNAVAILABLE for what its limits end: a long statement, a long wait for a row, a silent transaction', async () => {
    // Statements within the limits have time enough on a busy machine.
    const hasty = await open(url, { statementSeconds: 2, lockSeconds: 1, idleTransactionSeconds: 1.5 });
    const retryable = { code: 'UNAVAILABLE', retryable: true };
    const adit = (work: Promise<unknown>) =>
      work.catch((error: unknown) => {
        throw toAditError(error);
      });
    await expect(adit(hasty.dataSource.query(`SELECT pg_sleep(30)`))).rejects.toMatchObject(retryable);

    await database.dataSource.query(`CREATE TABLE held AS SELECT 1 AS one`);
    await inTransaction(database.dataSource, async (manager) => {
      await manager.query(`SELECT * FROM held FOR UPDATE`);
      // The other data source has connections of its own.
      await expect(adit(hasty.dataSource.query(`UPDATE held SET one = 2`))).rejects.toMatchObject(retryable);
    });

    const silent = inTransaction(hasty.dataSource, async (manager) => {
      await manager.query(`UPDATE held SET one = 3`);
      await sleep(3_000);
      await manager.query(`SELECT 1`);
    });
    await expect(silent).rejects.toMatchObject(retryable);
    expect(await hasty.dataSource.query(`SELECT one FROM held`)).toEqual([{ one: 1 }]);
    await hasty.close();
  });

  it('loses connections as UNAVAILABLE, commits nothing of what they did, and makes new ones', async () => {
    const victim = await open(url, { applicationName: 'victim', poolSize: 2 });
    await victim.dataSource.query(`CREATE TABLE marks (mark integer)`);
    const kill = () =>
      database.dataSource.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'victim'`,
      );
    const cut = inTransaction(victim.dataSource, async (manager) => {
      await manager.query(`INSERT INTO marks VALUES (1)`);
      await kill();
      await sleep(50);
      await manager.query(`INSERT INTO marks VALUES (2)`);
    });
    await expect(cut).rejects.toMatchObject({ code: 'UNAVAILABLE', retryable: true });
    const running = victim.dataSource.query(`SELECT pg_sleep(600)`).catch((error: unknown) => toAditError(error));
    const sleepers = `SELECT 1 FROM pg_stat_activity WHERE application_name = 'victim' AND query LIKE '%pg_sleep(600)%'`;
    while ((await database.dataSource.query<unknown[]>(sleepers)).length === 0) await sleep(20);
    await kill();
    expect(await running).toMatchObject({ code: 'UNAVAILABLE' });
    // Idle connections are dropped when they end, which takes a moment to be noticed.
    const count = () => victim.dataSource.query(`SELECT count(*)::int AS marks FROM marks`);
    let marks: unknown = await count().catch(() => null);
    for (let again = 0; marks === null && again < 100; again += 1) {
      await sleep(50);
      marks = await count().catch(() => null);
    }
    expect(marks).toEqual([{ marks: 0 }]);
    await victim.close();
  });

  it('says why it cannot be used, and never the password', async () => {
    const wrong = (change: (url: URL) => void) => {
      const changed = new URL(url);
      changed.password = 'wrong-secret';
      change(changed);
      return open(changed.href, { connectSeconds: 0 }).then(
        () => new Error('it was accepted') as Error & { code: string },
        (error: Error & { code: string }) => error,
      ) as Promise<Error & { code: string }>;
    };
    const { host } = new URL(url);
    const refused = await wrong(() => undefined);
    expect(refused).toMatchObject({ code: 'VALIDATION', message: expect.stringMatching(/refuses the user .*pg_hba/) });
    expect(refused.message).toContain(host);
    const nowhere = await wrong((changed) => (changed.port = '1'));
    expect(nowhere).toMatchObject({ code: 'UNAVAILABLE', message: expect.stringContaining('127.0.0.1:1 cannot be') });
    const absent = await wrong((changed) => {
      changed.password = new URL(url).password;
      changed.pathname = '/none';
    });
    expect(absent).toMatchObject({ code: 'VALIDATION', message: expect.stringContaining('no database none') });
    for (const error of [refused, nowhere, absent]) {
      expect(`${error.message} ${String(error.cause)}`).not.toContain('wrong-secret');
    }
  });

  it('says what a server lacks: an extension, UTF-8', async () => {
    const client = new pg.Client(url);
    await client.connect();
    const here = { place: 'here', setting: 'DATABASE_URL' } as const;
    await expect(requireServer(client, here)).resolves.toBeUndefined();
    await expect(requireServer(client, here, ['plpgsql', 'no_such'])).rejects.toMatchObject({
      code: 'VALIDATION',
      message: expect.stringContaining('lacks the extension no_such'),
    });
    await client.query(`CREATE DATABASE spec_ascii ENCODING 'SQL_ASCII' LOCALE 'C' TEMPLATE template0`);
    const ascii = Object.assign(new URL(url), { pathname: '/spec_ascii' }).href;
    try {
      await expect(open(ascii)).rejects.toMatchObject({ code: 'VALIDATION', message: expect.stringMatching(/UTF8/) });
    } finally {
      await client.query(`DROP DATABASE spec_ascii WITH (FORCE)`);
      await client.end();
    }
  });

  it('gives up a connection on which the server has gone silent', async () => {
    const client = new (watchedClient(2))(url);
    client.on('error', () => undefined);
    await client.connect();
    await client.query('SELECT 1');
    // An idle connection is not silent.
    await sleep(2_500);
    await client.query('SELECT 1');
    await expect(client.query('SELECT pg_sleep(6)')).rejects.toThrow('Connection terminated: no answer for 2 s');
    await client.end();
  });

  it('is spoken to over TLS with its authority and its name checked', async () => {
    const { cert, key } = selfSignedCertificate(['127.0.0.1']);
    const { hostname, port } = new URL(url);
    // A TLS proxy in front of an ordinary server, since not every build of PostgreSQL has TLS: answers SSLRequest,
    // then forwards.
    const front = createServer((socket) => {
      socket.once('data', () => {
        socket.write('S');
        const secure = new TLSSocket(socket, { isServer: true, cert, key });
        const upstream = connect(Number(port), hostname);
        secure.pipe(upstream).pipe(secure);
        for (const end of [secure, upstream]) end.on('error', () => end.destroy());
      });
    });
    await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve));
    const at = (host: string, query = '') =>
      Object.assign(new URL(url), { host: `${host}:${(front.address() as AddressInfo).port}`, search: query }).href;
    const caFile = join(tmpdir(), `adit-ca-${process.pid}.pem`);
    await writeFile(caFile, cert);
    const works = async (address: string, more: Partial<PostgresConfig> = {}) => {
      const one = await open(address, { poolSize: 2, ...more });
      expect(await one.dataSource.query(`SELECT 1 AS one`)).toEqual([{ one: 1 }]);
      await one.close();
    };
    try {
      await works(at('127.0.0.1'), { caFile });
      await works(at('127.0.0.1', `?sslmode=verify-full&sslrootcert=${caFile}`));
      await works(at('127.0.0.1', '?sslmode=require'));
      await works(at('localhost', '?sslmode=verify-ca'), { caFile });
      // Another authority; another name than the certificate's; no TLS at the server.
      await expect(open(at('127.0.0.1', '?sslmode=verify-full'))).rejects.toMatchObject({ code: 'VALIDATION' });
      await expect(open(at('localhost'), { caFile })).rejects.toMatchObject({
        code: 'VALIDATION',
        message: expect.stringContaining("altnames: Host: localhost. is not cert's"),
      });
    } finally {
      front.close();
      await rm(caFile, { force: true });
    }
  });

  it('asks again a server that takes no more connections while a process begins', async () => {
    const { hostname, port } = new URL(url);
    let seen = 0;
    const proxy = createServer((socket) => {
      socket.on('error', () => socket.destroy());
      // The first connection checks the server; of the following ones the first two fail.
      if ([2, 3].includes(++seen)) return void socket.destroy();
      const upstream = connect(Number(port), hostname);
      upstream.on('error', () => socket.destroy());
      socket.pipe(upstream).pipe(socket);
    }).listen(0, '127.0.0.1');
    await once(proxy, 'listening');
    const through = Object.assign(new URL(url), { port: String((proxy.address() as AddressInfo).port) }).href;
    const lines: Record<string, unknown>[] = [];
    configureLogging({ level: 'warn', to: { write: (line) => void lines.push(JSON.parse(line)) } });
    try {
      await (await open(through, { connectSeconds: 120 })).close();
      // A server without pg_trgm is said, too.
      const said = lines.map(({ msg }) => String(msg)).filter((line) => !line.includes('pg_trgm'));
      expect(said).toEqual(Array(2).fill(expect.stringMatching(/is retried/)));
      // It gives up when its time is over, with the reason.
      seen = 0;
      await expect(open(through, { connectSeconds: 0 })).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    } finally {
      configureLogging({ level: 'warn' });
      proxy.close();
    }
  });

  it('waits for a server that is starting', async () => {
    const { hostname, port } = new URL(url);
    const door = createServer();
    await new Promise<void>((resolve) => door.listen(0, '127.0.0.1', resolve));
    const closed = (door.address() as AddressInfo).port;
    await new Promise((resolve) => door.close(resolve));
    const late = Object.assign(new URL(url), { port: String(closed) }).href;
    const opening = open(late, { connectSeconds: 120 });
    await sleep(600);
    const proxy = createServer((socket) => {
      const upstream = connect(Number(port), hostname);
      socket.pipe(upstream).pipe(socket);
      for (const end of [socket, upstream]) end.on('error', () => end.destroy());
    }).listen(closed, '127.0.0.1');
    await (await opening).close();
    proxy.close();
  });
});

const own = await ownServer('postgres');
await describeWith('postgres', 'PostgreSQL that is stopped and started', () => {
  if ('reason' in own) {
    it(`is not tested on a given server (${own.reason})`, () => expect(own.reason).not.toBe(''));
    return;
  }
  afterAll(() => own.remove());

  it('is found again by those who were connected', async () => {
    const database = await open(own.url);
    await database.dataSource.query(`CREATE TABLE kept (one integer)`);
    await own.stop();
    const write = () => inTransaction(database.dataSource, (manager) => manager.query(`INSERT INTO kept VALUES (1)`));
    await expect(write()).rejects.toMatchObject({ code: 'UNAVAILABLE', retryable: true });
    await expect(write()).rejects.toMatchObject({ code: 'UNAVAILABLE', retryable: true });
    await own.start();
    await write();
    expect(await database.dataSource.query(`SELECT one FROM kept`)).toEqual([{ one: 1 }]);
    await database.close();
  });
});
