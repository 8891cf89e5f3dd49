import { health } from '@adit/runtime';
import type { ObjectStore } from '@adit/objects';
import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import type { DataSource } from 'typeorm';
import { DependenciesModule } from './dependencies.module.js';

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

it.each([
  ['a slow answer leaves a process ready', 3_000, true],
  ['none at all does not', 60_000, false],
])('%s', async (_, milliseconds, isReady) => {
  const slowly = () => new Promise((resolve) => setTimeout(resolve, milliseconds));
  const dependencies = new DependenciesModule(
    { query: slowly } as unknown as DataSource,
    { ping: slowly } as unknown as ObjectStore,
  );
  dependencies.onModuleInit();
  health.started();
  const asked = health.readyz();
  // The period of Kubernetes' probes.
  await jest.advanceTimersByTimeAsync(10_000);
  expect(await asked).toMatchObject({ ok: isReady, checks: [{ name: 'database' }, { name: 'objects' }] });
  dependencies.onApplicationShutdown();
});
