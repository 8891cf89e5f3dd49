import { jsonText, shortened } from '@adit/contracts';
import type { AditError, Envelope, Topic } from '@adit/contracts';
import { z } from 'zod';

const SUFFIX = '.dead-letters';

export type DeadLetterTopic = `${Topic}.dead-letters`;

/** Why a message was given up. */
const DeadLetterReason = z.object({
  /** A code of ERROR_CODES, as its writer knew them. */
  code: z.string(),
  message: z.string(),
  /** Topic of the message. */
  topic: z.string(),
  group: z.string(),
  /** Number of times that the group was given the message before it was given up. */
  deliveries: z.int().positive(),
  failedAt: z.string(),
});
type DeadLetterReason = z.infer<typeof DeadLetterReason>;

/** Payload of a dead letter; its envelope is the failed message's otherwise, and so is its key. */
export const DeadLetter = z.object({ reason: DeadLetterReason, payload: z.unknown() });
export type DeadLetter = z.infer<typeof DeadLetter>;

/** A message that could not be handled goes there with the reason, under the same key. */
export function deadLettersOf<T extends string>(topic: T): `${T}.dead-letters` {
  return `${topic}${SUFFIX}`;
}

export function isDeadLetterTopic(topic: string): topic is DeadLetterTopic {
  return topic.endsWith(SUFFIX);
}

/** The topic whose failures `topic` holds. */
export function topicOfDeadLetters(topic: DeadLetterTopic): string {
  return topic.slice(0, -SUFFIX.length);
}

/** Characters kept of a payload that is too large to be sent, or is not Adit's. */
const MAX_KEPT_CHARACTERS = 64 * 1024;
const MAX_MESSAGE_BYTES = 4_000;

export function deadLetterEnvelope(
  envelope: Envelope,
  error: AditError,
  origin: { topic: string; group: string; deliveries: number },
): Envelope & { payload: DeadLetter } {
  const message = shortened(error.message, MAX_MESSAGE_BYTES);
  const reason = { code: error.code, message, ...origin, failedAt: new Date().toISOString() };
  return { ...envelope, payload: { reason, payload: kept(envelope.payload) } };
}

/** The payload, or the beginning of its JSON when that is too much for a dead letter, too. */
function kept(payload: unknown): unknown {
  const text = jsonText(payload);
  return text.length > MAX_KEPT_CHARACTERS * 4 ? Buffer.from(text.slice(0, MAX_KEPT_CHARACTERS)).toString() : payload;
}
