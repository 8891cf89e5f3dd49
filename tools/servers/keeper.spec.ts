import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openKeeper } from './keeper.mjs';

describe('the keeper of servers', () => {
  let keeper: Awaited<ReturnType<typeof openKeeper>>;
  const ask = async (method: string, path: string) => {
    const response = await fetch(`${keeper.url}/${path}`, { method });
    return { status: response.status, body: (await response.json()) as Record<string, string> };
  };
  const database = process.env.DATABASE_URL;
  beforeAll(async () => {
    delete process.env.DATABASE_URL;
    keeper = await openKeeper();
  });
  afterAll(async () => {
    if (database !== undefined) process.env.DATABASE_URL = database;
    await keeper.close();
  });

  it('gives all who ask the same server, and one of their own to those who mean to stop it', async () => {
    const [first, second, own] = await Promise.all([
      ask('GET', 'shared/postgres'),
      ask('GET', 'shared/postgres'),
      ask('POST', 'own/postgres'),
    ]);
    if (first.status !== 200) {
      expect([...keeper.missing.keys()]).toEqual(['postgres']);
      return;
    }
    expect(second.body.url).toBe(first.body.url);
    expect(own.body.url).toMatch(/^postgres:/);
    expect(own.body.url).not.toBe(first.body.url);
    for (const action of ['kill', 'start', 'stop']) {
      expect(await ask('POST', `own/${own.body.id}/${action}`)).toEqual({ status: 200, body: {} });
    }
    expect(await ask('DELETE', `own/${own.body.id}`)).toEqual({ status: 200, body: {} });
    expect((await ask('DELETE', `own/${own.body.id}`)).status).toBe(404);
  }, 600_000);

  it('knows nothing else', async () => {
    expect((await ask('GET', 'shared/oracle')).status).toBe(404);
    expect((await ask('POST', 'shared/postgres')).status).toBe(404);
    const { origin } = new URL(keeper.url);
    expect((await fetch(`${origin}/guess/shared/postgres`)).status).toBe(404);
  });
});
