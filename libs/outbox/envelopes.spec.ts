import { currentTraceparent, withContext, withSpan } from '@adit/runtime';
import { describe, expect, it } from '@jest/globals';
import { envelopeText, outboxColumns } from './outbox.js';

const TRACE = `00-${'a'.repeat(32)}-${'1'.repeat(16)}-01`;
const OTHER = `00-${'b'.repeat(32)}-${'2'.repeat(16)}-01`;
const message = { topic: 'events.raised', key: 'k', jobId: 'j', payload: { event: 'e', data: {} } } as const;
const envelopeOf = (more: Partial<Parameters<typeof envelopeText>[0]> = {}) =>
  JSON.parse(envelopeText({ ...message, ...more }));

describe('the envelope of a message', () => {
  it('has an id and a time of its own, and is the first attempt by default', () => {
    const { id, occurredAt, ...rest } = envelopeOf();
    expect(rest).toEqual({ jobId: 'j', traceparent: null, attempt: 1, payload: message.payload });
    expect(id).not.toBe(envelopeOf().id);
    expect(Date.parse(occurredAt)).not.toBeNaN();
  });

  it('names the requested attempt, and the build that reads it as intended', () => {
    expect(envelopeOf({ attempt: 3, version: 2 })).toMatchObject({ attempt: 3, version: 2 });
  });

  it('comes from the span in which it is written, where that is of the trace of its job', async () => {
    expect(envelopeOf({ traceparent: TRACE }).traceparent).toBe(TRACE);
    expect(envelopeOf({ traceparent: 'of no trace' }).traceparent).toBe('of no trace');
    withContext({ traceparent: 'of no trace' }, () =>
      expect(envelopeOf({ traceparent: TRACE }).traceparent).toBe(TRACE),
    );
    await withSpan('work', { parent: TRACE }, () => {
      const here = currentTraceparent();
      expect(here).not.toBe(TRACE);
      expect(envelopeOf().traceparent).toBe(here);
      expect(envelopeOf({ traceparent: TRACE }).traceparent).toBe(here);
      expect(envelopeOf({ traceparent: OTHER }).traceparent).toBe(OTHER);
      expect(envelopeOf({ traceparent: 'of no trace' }).traceparent).toBe('of no trace');
    });
  });

  it('is stored beside the topic and the key of its message', () => {
    const [topics, keys, envelopes] = outboxColumns([message, { ...message, key: 'l', jobId: 'i' }]);
    expect([topics, keys]).toEqual([
      ['events.raised', 'events.raised'],
      ['k', 'l'],
    ]);
    expect(envelopes.map((text) => JSON.parse(text).jobId)).toEqual(['j', 'i']);
  });
});
