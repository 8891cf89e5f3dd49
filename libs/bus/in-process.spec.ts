import { expect, it } from '@jest/globals';
import { AditError } from '@adit/contracts';
import { InProcessBus, deadLettersOf } from './index.js';

const message = (key: string, chunkId: string) => ({
  topic: 'chunks.requested' as const,
  key,
  envelope: {
    id: chunkId,
    jobId: 'j',
    traceparent: null,
    attempt: 1,
    occurredAt: new Date().toISOString(),
    payload: { chunkId },
  },
});

it('redelivers and gives up', async () => {
  const bus = new InProcessBus({ delivery: { baseMs: 1, maxMs: 2 } });
  await bus.publish([message('a', '1'), message('a', 'poison'), message('a', '2')]);
  const seen: string[] = [];
  const letters: unknown[] = [];
  await bus.subscribe({
    topic: 'chunks.requested',
    group: 'g',
    concurrency: 2,
    async handle({ envelope }, { delivery }) {
      seen.push(`${envelope.id}:${delivery}`);
      if (envelope.id === 'poison') throw new AditError('UNAVAILABLE', 'down');
    },
  });
  await bus.subscribe({
    topic: deadLettersOf('chunks.requested'),
    group: 'g',
    concurrency: 2,
    async handle({ envelope }) {
      letters.push(envelope.payload);
    },
  });
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(seen).toEqual(['1:1', 'poison:1', 'poison:2', 'poison:3', '2:1']);
  expect(letters).toMatchObject([{ reason: { code: 'UNAVAILABLE', deliveries: 3 }, payload: { chunkId: 'poison' } }]);
  await bus.close();
});
