import { readFileSync } from 'node:fs';
import { decodeMessage, parsePayload } from '@adit/bus';
import { TOPICS, type Envelope } from '@adit/contracts';
import { describe, expect, it } from '@jest/globals';
import { envelopeText } from '@adit/outbox';
import { ResourceNotice } from '@adit/webhooks';
import { WebhookNotice } from './state/webhook-notice.js';

/** One message of each kind as 0.1.0 wrote it. Messages of later versions are added, none is ever changed. */
const recorded = Object.entries(
  JSON.parse(readFileSync(new URL('testing/messages-of-0.1.0.json', import.meta.url), 'utf8')) as Record<
    string,
    Envelope[]
  >,
);
const each = recorded.flatMap(([topic, messages]) => messages.map((message) => ({ topic, message })));

/** Adds an unknown field to every object that a schema describes; `modules` maps ids to objects. */
function ofTheFuture(value: unknown, name = ''): unknown {
  if (Array.isArray(value)) return value.map((item) => ofTheFuture(item));
  if (value === null || typeof value !== 'object') return value;
  const known = Object.entries(value).map(([key, member]) => [key, ofTheFuture(member, key)]);
  return { ...Object.fromEntries(known), ...(name !== 'modules' && { fieldOfALaterVersion: { more: [1] } }) };
}

function read(topic: string, text: string): Envelope {
  const envelope = decodeMessage(topic, text);
  return { ...envelope, payload: parsePayload(topic, envelope.payload) };
}

/**
 * `data` of events and the payload of a dead letter are passed on unchanged; their readers have schemas of their own.
 */
function noticesOf({ payload }: Envelope): unknown[] {
  const { data = {} } = payload as { data?: Record<string, unknown> };
  return [
    'webhook' in data && WebhookNotice.parse(data['webhook']),
    'resource' in data && ResourceNotice.parse(data['resource']).workspaceId,
  ];
}

describe('messages of an older build', () => {
  it('are recorded for every topic', () => {
    const topics = new Set(recorded.map(([topic]) => topic));
    for (const topic of [...Object.keys(TOPICS), 'analyses.faces.requested']) expect(topics).toContain(topic);
  });

  it.each(each)('$topic is read as it was meant', ({ topic, message }) => {
    expect(read(topic, JSON.stringify(message))).toEqual(message);
    noticesOf(message);
  });
});

describe('messages of a newer build', () => {
  /** @hardening jobs: A build cannot read messages and rows of the next one */
  it.each(each)('$topic is read without the unknown fields', ({ topic, message }) => {
    const later = ofTheFuture(message) as Envelope;
    const seen = read(topic, JSON.stringify(later));
    expect(noticesOf(seen)).toEqual(noticesOf(message));
    if (topic === 'events.raised' || topic.endsWith('.dead-letters')) expect(seen).toMatchObject(message);
    else expect(seen).toEqual(message);
  });
});

it('an envelope can be read by the first readers, who know no other fields', () => {
  const text = envelopeText({ topic: 'chunks.requested', key: 'k', jobId: 'j', payload: { chunkId: 'c' } });
  expect(Object.keys(JSON.parse(text)).sort()).toEqual(Object.keys(each[0]!.message).sort());
});
