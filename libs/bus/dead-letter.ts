import { ERROR_CODES } from '@adit/contracts';
import type { AditError, Envelope, ErrorCode, Topic } from '@adit/contracts';
import { z } from 'zod';

const SUFFIX = '.dead-letters';

export type DeadLetterTopic = `${Topic}.dead-letters`;

/** Why a message was given up. */
export const DeadLetterReason = z.strictObject({
  code: z.enum(Object.keys(ERROR_CODES) as [ErrorCode, ...ErrorCode[]]),
  message: z.string(),
  /** Where the message came from. */
  topic: z.string(),
  group: z.string(),
  /** How often the group was given the message before it was given up. */
  deliveries: z.int().positive(),
  failedAt: z.string(),
});
export type DeadLetterReason = z.infer<typeof DeadLetterReason>;

/** Payload of a dead letter; its envelope is the failed message's otherwise, and so is its key. */
export const DeadLetter = z.strictObject({ reason: DeadLetterReason, payload: z.unknown() });
export type DeadLetter = z.infer<typeof DeadLetter>;

/** `deadLetterTopic` of the contracts with a type that can be subscribed to. */
export function deadLettersOf(topic: Topic): DeadLetterTopic {
  return `${topic}${SUFFIX}`;
}

export function isDeadLetterTopic(topic: string): topic is DeadLetterTopic {
  return topic.endsWith(SUFFIX);
}

/** The topic whose failures `topic` holds. */
export function topicOfDeadLetters(topic: DeadLetterTopic): string {
  return topic.slice(0, -SUFFIX.length);
}

export function deadLetterEnvelope(
  envelope: Envelope,
  error: AditError,
  origin: { topic: string; group: string; deliveries: number },
): Envelope & { payload: DeadLetter } {
  const reason = { code: error.code, message: error.message, ...origin, failedAt: new Date().toISOString() };
  return { ...envelope, payload: { reason, payload: envelope.payload } };
}
