import { AsyncResource } from 'node:async_hooks';
import { CompressionTypes, Partitioners } from 'kafkajs';
import type { Kafka, Producer, TopicMessages } from 'kafkajs';
import { lacksLeader, kafkaError } from './kafka-errors.js';

/** One message, encoded, under Kafka's name of its topic. */
export interface KafkaRecord {
  topic: string;
  key: string;
  text: string;
  headers: Record<string, string>;
}

/** All records of one `publish`: it succeeds or fails as a whole. */
interface Call {
  records: KafkaRecord[];
  sent: number;
  resolve: () => void;
  reject: (error: unknown) => void;
}

/** A request that a broker with default settings takes even when all goes to one partition (1 MiB). */
const MAX_BATCH_BYTES = 512 * 1024;
const MAX_BATCH_MESSAGES = 1_000;
/** Smaller requests are not worth the time of compressing them. */
const COMPRESS_FROM_BYTES = 16 * 1024;
/** A broker that hangs is asked three times. */
export const REQUEST_TIMEOUT_MS = 3_500;
/** A topic that was made just now, or whose broker has gone, has leaders after a second or two; then it takes what it refused. */
const LEADERS_MS = 10_000;
const LEADERS_PAUSE_MS = 250;

/**
 * Sends records in the order they came, one request at a time; whatever comes meanwhile goes together with the next. One
 * request at a time, because kafkajs gives the sequence numbers of a request that failed to the next one: with two of
 * them Kafka would take the second for a repetition of the first and drop it. For the same reason a producer that
 * failed is never used again.
 */
export class KafkaPublisher {
  private readonly scope = new AsyncResource('KafkaPublisher');
  private producer: Promise<Producer> | null = null;
  private calls: Call[] = [];
  private sending: Promise<void> | null = null;
  /** Calls to be sent one by one, because something in a request of all of them was refused. */
  private singly = 0;

  constructor(private readonly kafka: Kafka) {}

  /** Resolves when Kafka has all of them (acks=all). Throws AditError UNAVAILABLE after some seconds without an answer, TOO_LARGE. */
  publish(records: KafkaRecord[]): Promise<void> {
    if (records.length === 0) return Promise.resolve();
    return new Promise((resolve, reject) => {
      this.calls.push({ records, sent: 0, resolve, reject });
      // Not in the context of the job that happened to publish first.
      this.sending ??= this.scope.runInAsyncScope(() => this.send());
    });
  }

  /** Lets what was given be sent, or fail, and disconnects. */
  async close(): Promise<void> {
    await this.sending;
    await this.disconnect();
  }

  /** Never rejects. */
  private async send(): Promise<void> {
    // Messages of this iteration of the event loop go together.
    await new Promise(setImmediate);
    while (this.calls.length > 0) {
      const batch = this.take();
      try {
        await this.sendAwaitingLeaders(batch.flatMap(({ records }) => records));
        for (const { call, records } of batch) {
          call.sent += records.length;
          if (call.sent < call.records.length) continue;
          this.calls.splice(this.calls.indexOf(call), 1);
          call.resolve();
        }
      } catch (error) {
        await this.disconnect();
        // Kafka is away: who waits behind would only wait as long again. What it refuses is refused alone.
        const refusal = kafkaError(error, 'take the messages');
        if (refusal.retryable) for (const call of this.calls.splice(0)) call.reject(refusal);
        else if (batch.length > 1) this.singly = batch.length;
        else this.calls.shift()?.reject(refusal);
      }
    }
    this.sending = null;
  }

  /** The next records, up to the size of one request, by call. */
  private take(): { call: Call; records: KafkaRecord[] }[] {
    const batch: { call: Call; records: KafkaRecord[] }[] = [];
    let bytes = 0;
    let messages = 0;
    const calls = this.singly > 0 ? this.calls.slice(0, 1) : this.calls;
    if (this.singly > 0) this.singly -= 1;
    for (const call of calls) {
      const records: KafkaRecord[] = [];
      for (const record of call.records.slice(call.sent, call.sent + MAX_BATCH_MESSAGES)) {
        const size = sizeOf(record);
        const full = messages >= MAX_BATCH_MESSAGES || (messages > 0 && bytes + size > MAX_BATCH_BYTES);
        if (full) return records.length > 0 ? [...batch, { call, records }] : batch;
        records.push(record);
        bytes += size;
        messages += 1;
      }
      batch.push({ call, records });
      if (call.sent + records.length < call.records.length) return batch;
    }
    return batch;
  }

  /** Waits for partitions that have no leader yet: the brokers are there, and whoever publishes would only come again. */
  private async sendAwaitingLeaders(records: KafkaRecord[]): Promise<void> {
    for (const end = performance.now() + LEADERS_MS; ;) {
      try {
        return await this.sendBatch(records);
      } catch (error) {
        if (!lacksLeader(error) || performance.now() > end) throw error;
        await this.disconnect();
        await new Promise((resolve) => setTimeout(resolve, LEADERS_PAUSE_MS));
      }
    }
  }

  private async sendBatch(records: KafkaRecord[]): Promise<void> {
    const producer = await (this.producer ??= this.connect());
    const byTopic = new Map<string, TopicMessages>();
    for (const { topic, key, text, headers } of records) {
      const group = byTopic.get(topic) ?? { topic, messages: [] };
      group.messages.push({ key, value: text, headers });
      byTopic.set(topic, group);
    }
    const bytes = records.reduce((sum, record) => sum + sizeOf(record), 0);
    await producer.sendBatch({
      acks: -1,
      timeout: REQUEST_TIMEOUT_MS,
      compression: bytes >= COMPRESS_FROM_BYTES ? CompressionTypes.GZIP : CompressionTypes.None,
      topicMessages: [...byTopic.values()],
    });
  }

  private async connect(): Promise<Producer> {
    const producer = this.kafka.producer({
      idempotent: true,
      allowAutoTopicCreation: false,
      createPartitioner: Partitioners.DefaultPartitioner,
    });
    try {
      await producer.connect();
      return producer;
    } catch (error) {
      void producer.disconnect().catch(() => undefined);
      throw error;
    }
  }

  private async disconnect(): Promise<void> {
    const producer = await this.producer?.catch(() => null);
    this.producer = null;
    await producer?.disconnect().catch(() => undefined);
  }
}

function sizeOf({ text }: KafkaRecord): number {
  return Buffer.byteLength(text);
}
