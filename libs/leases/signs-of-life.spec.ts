import { AditError } from '@adit/contracts';
import { expect, it } from '@jest/globals';
import { LiveProcess } from './live-processes.js';
import { WorkerSlots } from './worker-slots.js';

/** @hardening setup: A database that is away skips the rest of a shutdown */
it('signs of life that cannot be removed at the end of a process do not fail its shutdown', async () => {
  let asked = 0;
  const query = () => {
    asked += 1;
    return Promise.reject(new AditError('UNAVAILABLE', 'It is away.'));
  };
  await new LiveProcess({ query }, { service: 'decoder', version: '1' }).onApplicationShutdown();
  await new WorkerSlots({ query }, 2).onApplicationShutdown();
  expect(asked).toBe(2);
});
