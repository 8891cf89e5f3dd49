import { AditError, Envelope, jsonText, payloadSchema, shortened } from '@adit/contracts';
import type { z } from 'zod';
import { DeadLetter, isDeadLetterTopic, topicOfDeadLetters } from './dead-letter.js';

/** Messages hold references; a larger one is a programming error. Bytes of the payload's JSON. */
export const MAX_PAYLOAD_BYTES = 256 * 1024;
/** Limit of the text about wrong fields. */
const MAX_PLACES_BYTES = 2_000;

/** The schema of a topic's payload, dead-letter topics included. Throws AditError VALIDATION for an unknown topic. */
export function wireSchema(topic: string): z.ZodType {
  try {
    const origin = payloadSchema(isDeadLetterTopic(topic) ? topicOfDeadLetters(topic) : topic);
    return isDeadLetterTopic(topic) ? DeadLetter : origin;
  } catch (error) {
    throw new AditError('VALIDATION', `There is no topic ${topic}; topics are listed in the contracts.`, {
      cause: error,
    });
  }
}

/** Names that every driver can have; whether a topic is known is for its readers to say. */
const TOPIC_NAME = /^[a-z0-9]+(?:[.-][a-z0-9]+)*$/;

/**
 * Checks a message before it is written: its topic is in the contracts, the payload fits the topic's schema and the
 * message can be sent. Throws AditError VALIDATION or TOO_LARGE.
 */
export function checkMessage(topic: string, { key, payload }: { key: string; payload: unknown }): void {
  parse(wireSchema(topic), payload, `payload of a message for ${topic}`);
  checkCarried(topic, key, payload);
}

/**
 * Encodes the envelope as JSON for every driver. The payload is not validated, so that a newer build's message passes
 * through. Throws AditError VALIDATION for a topic that is no name or an empty key, and TOO_LARGE when the payload's
 * JSON is over 256 KiB.
 */
export function encodeMessage(topic: string, { key, envelope }: { key: string; envelope: Envelope }): string {
  checkCarried(topic, key, envelope.payload);
  return JSON.stringify(envelope);
}

function checkCarried(topic: string, key: string, payload: unknown): void {
  if (!TOPIC_NAME.test(topic)) {
    throw new AditError('VALIDATION', `“${shortened(topic, 100)}” cannot be the name of a topic.`);
  }
  if (key === '') throw new AditError('VALIDATION', `A message for ${topic} has an empty key; name one.`);
  const size = Buffer.byteLength(jsonText(payload));
  if (size <= MAX_PAYLOAD_BYTES || isDeadLetterTopic(topic)) return;
  throw new AditError(
    'TOO_LARGE',
    `The payload for ${topic} has ${size} bytes of at most ${MAX_PAYLOAD_BYTES}: store it and send its reference.`,
  );
}

/** The envelope of a message as it came; its payload is checked by `parsePayload`. Throws AditError VALIDATION. */
export function decodeMessage(topic: string, text: string): Envelope {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new AditError('VALIDATION', `A message of ${topic} is not JSON.`, { cause: error });
  }
  return parse(Envelope, value, `envelope of a message of ${topic}`);
}

/** The payload by its topic's schema, defaults filled in. Throws AditError VALIDATION. */
export function parsePayload(topic: string, payload: unknown): unknown {
  return parse(wireSchema(topic), payload, `payload of a message of ${topic}`);
}

function parse<T extends z.ZodType>(schema: T, value: unknown, what: string): z.output<T> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const places = result.error.issues.map((issue) => `${issue.path.join('.') || 'value'}: ${issue.message}`);
  const said = shortened(places.join('; '), MAX_PLACES_BYTES);
  throw new AditError('VALIDATION', `The ${what} does not fit its schema: ${said}.`);
}
