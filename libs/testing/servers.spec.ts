/** @needs servers */
import { afterAll, describe, expect, it } from '@jest/globals';
import { ownServer, testServer, uniqueName } from './servers.js';

describe('servers of tests', () => {
  const before = { ...process.env };
  afterAll(() => {
    process.env = before;
  });

  it('are the ones that the environment names', async () => {
    Object.assign(process.env, {
      KAFKA_BROKERS: 'broker.example:9092',
      S3_ENDPOINT: 'http://store.example',
      S3_ACCESS_KEY: 'a',
      S3_SECRET_KEY: 's',
    });
    expect(await testServer('kafka')).toEqual({ brokers: 'broker.example:9092' });
    expect(await testServer('minio')).toEqual({ endpoint: 'http://store.example', accessKey: 'a', secretKey: 's' });
  });

  it('say why they are not there', async () => {
    for (const name of ['KAFKA_BROKERS', 'ADIT_TEST_SERVERS']) delete process.env[name];
    expect(await testServer('kafka')).toEqual({ reason: expect.stringContaining('npm run servers') });
    process.env.ADIT_TEST_SERVERS = 'off';
    expect(await ownServer('kafka')).toEqual({ reason: 'ADIT_TEST_SERVERS is off' });
    process.env.ADIT_TEST_SERVERS = 'http://127.0.0.1:1/gone';
    expect(await testServer('kafka')).toEqual({ reason: expect.stringContaining('ECONNREFUSED') });
  });

  it('get names that differ', () => {
    expect(new Set(Array.from({ length: 100 }, () => uniqueName())).size).toBe(100);
    expect(uniqueName('bucket')).toMatch(/^bucket-[0-9a-f]{12}$/);
  });
});
