import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { freshDatabase } from '@adit/testing';
import { startServers } from './index.mjs';
import { answers } from './ports.mjs';

type Servers = Awaited<ReturnType<typeof startServers>>;

const index = new URL('./index.mjs', import.meta.url).href;
const scratch = mkdtempSync(join(tmpdir(), 'adit-servers-spec-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

/** A process that runs `script`, where `startServers` is at hand, and the first line it writes. */
async function elsewhere(script: string, env: NodeJS.ProcessEnv = process.env) {
  const code = `const { startServers } = await import(${JSON.stringify(index)});\n${script}`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', code], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  for await (const line of createInterface({ input: child.stdout })) return { child, ended, line };
  throw new Error('It wrote nothing.');
}

async function until(condition: () => boolean): Promise<void> {
  const deadline = Date.now() + 15_000;
  while (!condition() && Date.now() < deadline) await sleep(50);
}

function lives(pid: number): boolean {
  try {
    // A process that has ended but was not waited for still has its entry.
    return !/^State:\s*Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

describe('servers of a process', () => {
  let servers: Servers;
  beforeAll(async () => {
    servers = await startServers({ durable: false, env: {} });
  }, 600_000);
  afterAll(async () => {
    await servers.stop();
    expect(existsSync(dirname(servers.postgres?.logFile ?? scratch))).toBe(servers.postgres === undefined);
  }, 30_000);

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
      for (const way of ['stop', 'kill'] as const) {
        const pid = server.pid()!;
        expect(await answers(port)).toBe(true);
        await server[way]();
        expect([await answers(port), lives(pid), server.pid()]).toEqual([false, false, null]);
        await server.start();
        expect(server.pid()).not.toBe(pid);
      }
      expect(await answers(port)).toBe(true);
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
  }, 30_000);
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
}, 60_000);

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
    { PATH: scratch, ADIT_CACHE_DIR: join(scratch, 'cache') },
  );
  await ended;
  const servers = JSON.parse(line) as Servers;
  expect(servers.minio).toMatchObject({ endpoint: 'http://store.example' });
  expect(servers.missing).toEqual([
    { name: 'kafka', reason: expect.stringMatching(/Java is not installed.*KAFKA_BROKERS/) },
  ]);
}, 30_000);
