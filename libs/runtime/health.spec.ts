import { expect, it } from '@jest/globals';
import { Health } from './health.js';

it('a process is ready between its start and its end, while every check passes', async () => {
  const health = new Health();
  let databaseUp = true;
  health.register('bus', async () => undefined);
  const forget = health.register('database', () => {
    if (!databaseUp) throw new Error('connection refused');
  });
  expect(await health.readyz()).toMatchObject({ ok: false, state: 'starting' });
  expect(health.startupz()).toMatchObject({ ok: false, state: 'starting' });
  health.started();
  expect(health.startupz()).toMatchObject({ ok: true, state: 'running' });
  expect(await health.readyz()).toMatchObject({ ok: true, state: 'running', checks: [{ ok: true }, { ok: true }] });
  databaseUp = false;
  expect(await health.readyz()).toMatchObject({
    ok: false,
    checks: [
      { name: 'bus', ok: true },
      { name: 'database', ok: false, reason: 'connection refused' },
    ],
  });
  forget();
  expect((await health.readyz()).ok).toBe(true);
  health.stopping();
  expect(await health.readyz()).toMatchObject({ ok: false, state: 'stopping' });
  health.started();
  expect(health.livez()).toMatchObject({ ok: true, state: 'stopping' });
});

it('does not wait for a check longer than its time, and tells the check to stop', async () => {
  const health = new Health();
  health.started();
  let told = false;
  health.register('slow', (signal) => new Promise(() => signal.addEventListener('abort', () => (told = true))), 20);
  const report = await health.readyz();
  expect(report).toMatchObject({ ok: false, checks: [{ name: 'slow', reason: 'no answer within 20 ms' }] });
  expect(told).toBe(true);
});

it('shows what a check says', async () => {
  const health = new Health();
  health.register('inference', () => 'cuda');
  health.register('database', async () => [{ '?column?': 1 }]);
  const [inference, database] = (await health.readyz()).checks;
  expect(inference).toMatchObject({ ok: true, detail: 'cuda' });
  expect(database).not.toHaveProperty('detail');
});

it('keeps the newer check of a name when the older one is taken away', async () => {
  const health = new Health();
  health.started();
  const forgetOld = health.register('store', () => {
    throw new Error('old');
  });
  health.register('store', () => undefined);
  forgetOld();
  expect(await health.readyz()).toMatchObject({ ok: true, checks: [{ name: 'store' }] });
});

it('reports what it tolerates, and is ready without', async () => {
  const health = new Health();
  health.started();
  health.tolerate('bus');
  health.register('bus', () => {
    throw new Error('connection refused');
  });
  health.register('database', () => undefined);
  expect(await health.readyz()).toMatchObject({
    ok: true,
    checks: [
      { name: 'bus', ok: false, needed: false, reason: 'connection refused' },
      { name: 'database', ok: true, needed: true },
    ],
  });
});
