import { AditError, Envelope, payloadSchema } from '@adit/contracts';
import type { z } from 'zod';
import { DeadLetter, isDeadLetterTopic, topicOfDeadLetters } from './dead-letter.js';

/** Messages hold references; a larger one is a programming error. Bytes of the payload's JSON. */
export const MAX_PAYLOAD_BYTES = 256 * 1024;

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

/**
 * What every driver sends: the envelope's JSON. Throws AditError VALIDATION when the envelope or the payload does not fit
 * its schema, TOO_LARGE when the payload's JSON is over 256 KiB.
 */
export function encodeMessage(topic: string, message: { key: string; envelope: Envelope }): string {
  const schema = wireSchema(topic);
  if (message.key === '') throw new AditError('VALIDATION', `A message for ${topic} has an empty key; name one.`);
  parse(Envelope, message.envelope, `envelope of a message for ${topic}`);
  parse(schema, message.envelope.payload, `payload of a message for ${topic}`);
  const size = Buffer.byteLength(JSON.stringify(message.envelope.payload));
  if (size > MAX_PAYLOAD_BYTES && !isDeadLetterTopic(topic)) {
    throw new AditError(
      'TOO_LARGE',
      `The payload for ${topic} has ${size} bytes of at most ${MAX_PAYLOAD_BYTES}: store it and send its reference.`,
    );
  }
  return JSON.stringify(message.envelope);
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
  throw new AditError('VALIDATION', `The ${what} does not fit its schema: ${places.join('; ')}.`);
}
