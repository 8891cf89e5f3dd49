import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { freshDatabase } from '@adit/testing';
import { elsewhere, expectToEndAndStart, lives, until } from './elsewhere.js';
import { startServers } from './index.mjs';
import { answers } from './ports.mjs';

type Servers = Awaited<ReturnType<typeof startServers>>;

const scratch = mkdtempSync(join(tmpdir(), 'adit-servers-spec-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

describe('servers of a process', () => {
  let servers: Servers;
  beforeAll(async () => {
    servers = await startServers({ from: ['packages'], durable: false, env: {} });
  }, 600_000);
  afterAll(async () => {
    await servers.stop();
    expect(existsSync(dirname(servers.postgres?.logFile ?? scratch))).toBe(servers.postgres === undefined);
  });

  const cases = [
    ['kafka', () => Number(servers.kafka?.brokers.split(':')[1])],
    ['postgres', () => Number(new URL(servers.postgres?.url ?? '').port)],
    ['minio', () => Number(new URL(servers.minio?.endpoint ?? '').port)],
  ] as const;

  it.each(cases)(
    '%s stops, is killed and starts again on the same port',
    async (name, portOf) => {
      // Where a server cannot be had, there is a reason; npm test names it.
      const absent = servers.missing.find((each) => each.name === name);
      if (absent !== undefined) {
        expect(absent.reason).toMatch(/\S/);
        return;
      }
      const server = servers[name]!;
      const port = portOf();
      await expectToEndAndStart(server, port);
    },
    60_000,
  );

  it('postgres keeps what was committed before it was killed', async () => {
    if (servers.postgres === undefined) return;
    const { url } = await freshDatabase(servers.postgres.url);
    await servers.postgres.kill();
    await servers.postgres.start();
    // Only a database that exists can be connected to.
    await (await freshDatabase(url)).drop();
  });
});

it('servers end with the process that started them, even when it is killed', async () => {
  const { child, ended, line } = await elsewhere(`
    const servers = await startServers({ postgres: true, durable: false, env: {} });
    console.log(JSON.stringify({ ...servers.postgres, pid: servers.postgres.pid() }));
    setInterval(() => undefined, 1_000);`);
  const { pid, logFile, url } = JSON.parse(line) as { pid: number; logFile: string; url: string };
  expect([lives(pid), existsSync(logFile)]).toEqual([true, true]);
  child.kill('SIGKILL');
  await ended;
  await until(() => !lives(pid) && !existsSync(dirname(logFile)));
  expect([lives(pid), existsSync(dirname(logFile))]).toEqual([false, false]);
  expect(await answers(Number(new URL(url).port))).toBe(false);
});

it('given servers are used and are not ours to stop', async () => {
  const env = {
    KAFKA_BROKERS: 'a.example:9092,b.example:9092',
    S3_ENDPOINT: 'https://store.example',
    S3_ACCESS_KEY: 'key',
    S3_SECRET_KEY: 'secret',
  };
  const servers = await startServers({ kafka: true, minio: true, env });
  expect(servers.missing).toEqual([]);
  expect(servers.environment).toEqual(env);
  expect(servers.postgres).toBeUndefined();
  await expect(servers.kafka?.stop()).rejects.toThrow(/given by the environment/);
  await servers.stop();
});

it('what cannot be had is told with what to do, and keeps nothing else from starting', async () => {
  const { ended, line } = await elsewhere(
    `const servers = await startServers({ kafka: true, minio: true, env: { S3_ENDPOINT: 'http://store.example' } });
    await servers.stop();
    console.log(JSON.stringify(servers));`,
    // Where a Docker engine answers, it does not find this image.
    { PATH: scratch, ADIT_CACHE_DIR: join(scratch, 'cache'), KAFKA_IMAGE: '127.0.0.1:1/kafka:none' },
  );
  await ended;
  const servers = JSON.parse(line) as Servers;
  expect(servers.minio).toMatchObject({ endpoint: 'http://store.example' });
  expect(servers.missing).toEqual([
    {
      name: 'kafka',
      reason: expect.stringMatching(
        /Java is not installed.*KAFKA_BROKERS.*\n.*(No Docker engine|127\.0\.0\.1:1\/kafka:none)/,
      ),
    },
  ]);
});
