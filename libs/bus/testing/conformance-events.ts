import { randomUUID } from 'node:crypto';
import { isRecord, type Payload } from '@adit/contracts';
import type { OutgoingMessage, ReceivedMessage } from '../port.js';

export interface Seen extends ReceivedMessage {
  n: number;
  delivery: number;
  at: number;
}

type EventMessage = OutgoingMessage<'events.raised'> & {
  envelope: { payload: Payload<'events.raised'> & { data: { n: number; text?: string } } };
};

export function event(key: string, n: number): EventMessage {
  return {
    topic: 'events.raised',
    key,
    envelope: {
      id: randomUUID(),
      jobId: 'job-1',
      traceparent: null,
      attempt: 1,
      occurredAt: new Date().toISOString(),
      payload: { event: 'job.on_start', data: { n } },
    },
  };
}

export function dataOf({ envelope: { payload } }: ReceivedMessage): { n: number } {
  // The data that `event` wrote, by reference, because one test changes it there.
  return (payload as EventMessage['envelope']['payload']).data;
}

/** -1 for messages of other topics. */
export function numberOf({ envelope: { payload } }: ReceivedMessage): number {
  const data = isRecord(payload) ? payload['data'] : undefined;
  return isRecord(data) && typeof data['n'] === 'number' ? data['n'] : -1;
}

export function range(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index);
}

/** The different numbers, sorted. */
export function numbers(seen: Seen[]): number[] {
  return [...new Set(seen.map(({ n }) => n))].sort((a, b) => a - b);
}
