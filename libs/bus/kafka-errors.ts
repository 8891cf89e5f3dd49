import { AditError, isRecord } from '@adit/contracts';

/** The parts of kafkajs's errors that say what happened; they wrap each other as `cause`. */
interface KafkaFailure {
  name: string | undefined;
  type: string | undefined;
  message: string | undefined;
}

/** The failure and all that it wraps, outermost first. */
function chain(error: unknown): KafkaFailure[] {
  const found = new Map<unknown, KafkaFailure>();
  const visit = (one: unknown): void => {
    if (!isRecord(one) || found.has(one)) return;
    const { name, type, message, cause, errors } = one;
    found.set(one, { name: textOf(name), type: textOf(type), message: textOf(message) });
    visit(cause);
    // Visits each part of a compound error, one for each topic.
    if (Array.isArray(errors)) errors.forEach(visit);
  };
  visit(error);
  return [...found.values()];
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** Tells whether Kafka's answer was one of these error types (`REBALANCE_IN_PROGRESS`, …). */
export function isKafkaAnswer(error: unknown, ...types: string[]): boolean {
  return chain(error).some(({ type }) => type !== undefined && types.includes(type));
}

/** Tells whether a partition has no leader yet, or another one than was known: as it is made, and when its broker goes. */
export function lacksLeader(error: unknown): boolean {
  return isKafkaAnswer(error, 'LEADER_NOT_AVAILABLE', 'NOT_LEADER_FOR_PARTITION');
}

/** Tells whether waiting cannot help: the brokers do not know this user, or do not let it do this. */
export function isRefused(error: unknown): boolean {
  return chain(error).some(
    ({ name, type }) => name === 'KafkaJSSASLAuthenticationError' || (type?.endsWith('AUTHORIZATION_FAILED') ?? false),
  );
}

/**
 * Turns kafkajs's error while `doing` something (as in "send messages") into UNAVAILABLE with the remedy, or into
 * TOO_LARGE for a message’s size.
 */
export function kafkaError(error: unknown, doing: string): AditError {
  if (error instanceof AditError) return error;
  const failures = chain(error);
  if (isKafkaAnswer(error, 'MESSAGE_TOO_LARGE', 'RECORD_LIST_TOO_LARGE')) {
    return new AditError(
      'TOO_LARGE',
      'The brokers refuse a message for its size: let message.max.bytes be 1 MiB or more, which is Kafka’s default.',
      { cause: error },
    );
  }
  const reason = failures.at(-1)?.message ?? String(error);
  return new AditError('UNAVAILABLE', `Kafka did not ${doing}: ${reason}. ${advice(failures)}`, {
    cause: error,
    retryAfterSeconds: 5,
  });
}

function advice(failures: KafkaFailure[]): string {
  const types = failures.map(({ type }) => type);
  if (failures.some(({ name }) => name === 'KafkaJSSASLAuthenticationError')) {
    return 'Check KAFKA_SASL_MECHANISM, KAFKA_SASL_USERNAME and KAFKA_SASL_PASSWORD.';
  }
  if (types.some((type) => type?.endsWith('AUTHORIZATION_FAILED'))) {
    return 'Let the user of KAFKA_SASL_USERNAME read, write and create the topics and groups of KAFKA_TOPIC_PREFIX.';
  }
  if (failures.some(({ message }) => /certificate|SSL routines|TLS/.test(message ?? ''))) {
    return 'Check KAFKA_SSL, and that KAFKA_SSL_CA_FILE is the authority that signed the brokers’ certificates.';
  }
  if (types.includes('INVALID_REPLICATION_FACTOR')) {
    return 'KAFKA_REPLICATION_FACTOR must not be larger than the number of brokers.';
  }
  return 'Check that the brokers of KAFKA_BROKERS run and can be reached from here.';
}

/** Rejects with UNAVAILABLE when `work` takes longer than `ms` milliseconds; the work itself goes on. */
export async function withinTime<T>(ms: number, doing: string, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(kafkaError(new Error(`no answer within ${ms} ms`), doing)), ms);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
