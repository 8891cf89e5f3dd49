import type { Envelope } from '@adit/contracts';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { MAX_PAYLOAD_BYTES, checkMessage, decodeMessage, encodeMessage, parsePayload } from './wire.js';

const envelope = (payload: unknown): Envelope => ({
  id: 'fact-1',
  jobId: 'job-1',
  traceparent: null,
  attempt: 1,
  occurredAt: '2026-01-01T00:00:00.000000Z',
  payload,
});

describe('wire', () => {
  it('gives back any JSON that its topic allows', () => {
    const data = fc.dictionary(fc.string(), fc.jsonValue());
    fc.assert(
      fc.property(data, fc.string({ minLength: 1 }), (values, key) => {
        // Through JSON once, as -0 becomes 0 there and __proto__ is no member.
        const sent = envelope({ event: 'job.on_start', data: JSON.parse(JSON.stringify(values)) });
        const text = encodeMessage('events.raised', { key, envelope: sent });
        expect(decodeMessage('events.raised', text)).toEqual(sent);
      }),
    );
  });

  it('counts bytes, not characters', () => {
    const withText = (text: string) => envelope({ event: 'e', data: { text } });
    const frame = JSON.stringify(withText('').payload).length;
    const fits = 'é'.repeat((MAX_PAYLOAD_BYTES - frame) / 2);
    expect(() => encodeMessage('events.raised', { key: 'k', envelope: withText(fits) })).not.toThrow();
    expect(() => encodeMessage('events.raised', { key: 'k', envelope: withText(`${fits}é`) })).toThrow(
      /bytes of at most/,
    );
  });

  it.each(['', '{', 'null', '[]', '{"id":1}', JSON.stringify({ ...envelope({}), version: 'new' })])(
    'refuses %j as a message',
    (text) =>
      expect(() => decodeMessage('jobs.submitted', text)).toThrow(expect.objectContaining({ code: 'VALIDATION' })),
  );

  it('refuses an empty key: it would put every message into one partition', () => {
    expect(() => encodeMessage('jobs.submitted', { key: '', envelope: envelope({}) })).toThrow(/empty key/);
    expect(() => checkMessage('jobs.submitted', { key: '', payload: {} })).toThrow(/empty key/);
  });

  it('lets nobody write what its readers would refuse', () => {
    expect(() => checkMessage('sources.requested', { key: 'k', payload: { sourceIndex: 'one' } })).toThrow(
      /sourceIndex/,
    );
    expect(() => checkMessage('jobs.imagined', { key: 'k', payload: {} })).toThrow(/There is no topic/);
    expect(() => checkMessage('jobs.submitted', { key: 'k', payload: {} })).not.toThrow();
  });

  it('says which field of a payload is wrong', () => {
    expect(() => parsePayload('sources.requested', { sourceIndex: 'one' })).toThrow(/sourceIndex/);
    expect(() => parsePayload('analyses.faces.requested', { chunkId: 'c' })).toThrow(/analysisDigest/);
    expect(parsePayload('jobs.submitted', {})).toEqual({});
  });

  it('knows the dead letters of every topic and of nothing else', () => {
    const reason = { code: 'INTERNAL', message: 'm', topic: 't', group: 'g', deliveries: 3, failedAt: 'now' };
    const letter = { reason, payload: { chunkId: 'c' } };
    expect(parsePayload('analyses.faces.requested.dead-letters', letter)).toEqual(letter);
    for (const topic of ['imagined.dead-letters', 'jobs.submitted.dead-letters.dead-letters', 'analyses..requested']) {
      expect(() => parsePayload(topic, letter)).toThrow(/There is no topic/);
    }
  });
});
