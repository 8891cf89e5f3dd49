import { afterAll, describe, expect, it } from '@jest/globals';
import { freshDatabase } from '@adit/testing';
import { dockerEngine, imageOf } from './docker-engine.mjs';
import { elsewhere, expectToEndAndStart, until } from './elsewhere.js';
import { kinds, startServers } from './index.mjs';
import { answers } from './ports.mjs';

type Name = 'kafka' | 'postgres' | 'minio';

describe('images', () => {
  it('are those of the compose file, or what the environment names in their place', async () => {
    for (const name of Object.keys(kinds)) expect(await imageOf(name, {})).toMatch(/^[a-z]+\/[a-z]+:\S*\d/);
    expect(await imageOf('kafka', {})).toMatch(/^apache\/kafka:/);
    expect(await imageOf('kafka', { KAFKA_IMAGE: 'registry.example/kafka:3.9.1' })).toBe(
      'registry.example/kafka:3.9.1',
    );
  });
});

const servers = await startServers({ from: ['containers'], durable: false, env: {} });
afterAll(() => servers.stop());
const portOf = (name: Name): number => {
  const { kafka, postgres, minio } = servers;
  return Number(
    {
      kafka: kafka?.brokers.split(':')[1],
      postgres: postgres && new URL(postgres.url).port,
      minio: minio && new URL(minio.endpoint).port,
    }[name],
  );
};

/** @hardening setup: A fault has a suite skipped instead of failed */
it('run, unless there is no engine here or no image to be had', () => {
  const why = /^(No Docker engine answers|The Docker engine is at|The image \S+ could not be had)/;
  for (const { reason } of servers.missing) expect(reason).toMatch(why);
});

for (const name of ['kafka', 'postgres', 'minio'] as const) {
  const absent = servers.missing.find((each) => each.name === name);
  if (absent === undefined) describe(`${name} as a container`, () => held(name));
  else {
    describe(`${name} as a container (skipped: ${absent.reason})`, () => {
      it.skip('everything in it', () => undefined);
    });
  }
}

function held(name: Name): void {
  it('listens on this machine alone, stops, is killed and starts again on the same port', async () => {
    const server = servers[name]!;
    const port = portOf(name);
    const container = (await dockerEngine()).container.getById(`adit-${name}-${port}`);
    const { NetworkSettings } = await container.inspect();
    const published = Object.values(NetworkSettings.Ports as Record<string, { HostIp: string }[] | null>).flat();
    expect(published.filter((each) => each !== null)).toEqual([{ HostIp: '127.0.0.1', HostPort: String(port) }]);
    await expectToEndAndStart(server, port);
  }, 600_000);

  if (name !== 'postgres') return;

  it('keeps what was committed before it was stopped', async () => {
    const { url } = await freshDatabase(servers.postgres!.url);
    await servers.postgres!.stop();
    await servers.postgres!.start();
    // Only a database that exists can be connected to.
    await (await freshDatabase(url)).drop();
  });

  it('ends with the process that started it, even when that is killed', async () => {
    const { child, ended, line } = await elsewhere(`
      const servers = await startServers({ postgres: true, from: ['containers'], durable: false, env: {} });
      console.log(servers.postgres.url);
      setInterval(() => undefined, 1_000);`);
    const { port } = new URL(line);
    const container = (await dockerEngine()).container.getById(`adit-postgres-${port}`);
    const exists = async (): Promise<boolean> =>
      container.inspect().then(
        () => true,
        () => false,
      );
    expect(await exists()).toBe(true);
    child.kill('SIGKILL');
    await ended;
    await until(async () => !(await exists()));
    expect([await exists(), await answers(Number(port))]).toEqual([false, false]);
  }, 600_000);
}
