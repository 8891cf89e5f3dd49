/** @needs ffmpeg */
import { afterEach, expect, it } from '@jest/globals';
import { counter, Health } from '@adit/runtime';
import { startOperationsServer, type OperationsServer } from './operations-server.js';

let server: OperationsServer | undefined;
afterEach(() => server?.close());

it('answers probes by the state of the process and its dependencies, and its metrics', async () => {
  const health = new Health();
  let reachable = true;
  health.register('database', () => {
    if (!reachable) throw new Error('connection refused');
  });
  server = await startOperationsServer({ port: 0, host: '127.0.0.1' }, health);
  const ask = (path: string, init?: RequestInit) => fetch(`http://127.0.0.1:${server!.port}${path}`, init);
  const status = async (path: string) => (await ask(path)).status;

  expect([await status('/healthz'), await status('/startupz'), await status('/readyz')]).toEqual([200, 503, 503]);
  health.started();
  expect([await status('/healthz'), await status('/startupz/'), await status('/readyz?verbose')]).toEqual([
    200, 200, 200,
  ]);
  reachable = false;
  const unready = await ask('/readyz');
  expect(unready.status).toBe(503);
  expect(await unready.json()).toMatchObject({
    ok: false,
    checks: [{ name: 'database', reason: 'connection refused' }],
  });
  expect([await status('/healthz'), await status('/startupz')]).toEqual([200, 200]);

  counter('adit_operations_spec_total', 'Counted by a test').inc(3);
  const metrics = await ask('/metrics');
  expect(metrics.headers.get('content-type')).toContain('text/plain');
  expect(await metrics.text()).toContain('adit_operations_spec_total 3');
  expect(await status('/../etc/passwd')).toBe(404);
  expect((await ask('/healthz', { method: 'POST' })).status).toBe(405);
});

it('says so when its port is taken', async () => {
  server = await startOperationsServer({ port: 0, host: '127.0.0.1' }, new Health());
  await expect(startOperationsServer({ port: server.port, host: '127.0.0.1' })).rejects.toThrow('EADDRINUSE');
});
