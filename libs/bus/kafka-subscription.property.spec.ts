import { setTimeout as sleep } from 'node:timers/promises';
import { configureLogging } from '@adit/runtime';
import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Kafka } from 'kafkajs';
import type { Consumer, ConsumerRunConfig, TopicPartitionOffsetAndMetadata } from 'kafkajs';
import { DEFAULT_TIMES, KafkaMember } from './kafka-member.js';
import { KafkaSubscription } from './kafka-subscription.js';

configureLogging({ level: 'silent' });

const TOPIC = 'chunks.requested';
const PARTITIONS = 2;
/** Messages in each partition. */
const MESSAGES = 6;

interface Rebalance {
  /** The member that has each partition from now on. */
  owners: number[];
  /** Milliseconds until the next one. */
  lastsMs: number;
}

interface Scenario {
  rebalances: Rebalance[];
  /** Milliseconds that each answer takes, in turn. */
  delays: number[];
  /** Milliseconds that commits may stay behind the handled messages. */
  commitWithinMs: number;
  /** Offsets of the messages that fail when they are given out for the first time. */
  failing: number[];
}

const scenario: fc.Arbitrary<Scenario> = fc.record({
  rebalances: fc.array(
    fc.record({
      owners: fc.array(fc.nat(1), { minLength: PARTITIONS, maxLength: PARTITIONS }),
      lastsMs: fc.oneof(fc.nat(10), fc.nat(60)),
    }),
    { minLength: 1, maxLength: 6 },
  ),
  delays: fc.array(
    fc.oneof({ weight: 8, arbitrary: fc.nat(2) }, { weight: 1, arbitrary: fc.integer({ min: 20, max: 200 }) }),
    { minLength: 4, maxLength: 40 },
  ),
  commitWithinMs: fc.constantFrom(0, 0, 20),
  failing: fc.array(fc.nat(MESSAGES - 1), { maxLength: 2 }),
});

/**
 * Acts as the broker of one group: keeps its offsets, takes commits of the current generation, and refuses others. Each
 * request arrives and is answered some time later.
 */
class Coordinator {
  readonly committed = Array<number | null>(PARTITIONS).fill(null);
  /** Commits that took the group back. */
  readonly regressions: string[] = [];
  generation = 0;
  private turn = 0;

  constructor(private readonly delays: number[]) {}

  wait(): Promise<void> {
    this.turn += 1;
    return sleep(this.delays[this.turn % this.delays.length]);
  }

  async commit(generation: number, offsets: TopicPartitionOffsetAndMetadata[]): Promise<void> {
    await this.wait();
    if (generation !== this.generation) throw new Error('ILLEGAL_GENERATION');
    for (const { partition, offset } of offsets) {
      const before = this.committed[partition] ?? 0;
      if (Number(offset) < before) this.regressions.push(`${partition}: ${before} → ${offset}`);
      this.committed[partition] = Number(offset);
    }
    await this.wait();
  }

  async stands() {
    await this.wait();
    const stands = this.committed.map((offset, partition) => ({
      partition,
      offset: offset === null ? null : BigInt(offset),
      note: '',
    }));
    await this.wait();
    return stands;
  }
}

/** The parts of kafkajs's consumer that a member uses. */
class Client {
  readonly events = {
    CRASH: 'crash',
    FETCH: 'fetch',
    HEARTBEAT: 'heartbeat',
    GROUP_JOIN: 'join',
    COMMIT_OFFSETS: 'commit',
  };
  private readonly listeners = new Map<string, (event: { payload: unknown }) => void>();
  private generation = 0;
  private settings: ConsumerRunConfig = {};

  constructor(
    private readonly id: number,
    private readonly coordinator: Coordinator,
  ) {}

  readonly connect = async () => undefined;
  readonly subscribe = async () => undefined;
  readonly disconnect = async () => undefined;
  readonly pause = () => undefined;
  readonly resume = () => undefined;
  readonly on = (event: string, listener: (event: { payload: unknown }) => void) =>
    void this.listeners.set(event, listener);
  readonly run = async (config: ConsumerRunConfig) => void (this.settings = config);

  async commitOffsets(offsets: TopicPartitionOffsetAndMetadata[]): Promise<void> {
    await this.coordinator.commit(this.generation, offsets);
    const partitions = offsets.map(({ partition, offset }) => ({ partition: String(partition), offset }));
    this.emit('commit', { topics: [{ topic: TOPIC, partitions }] });
  }

  /** Joins the generation that is on, and fetches from where the group stands then. */
  async join(partitions: number[]): Promise<void> {
    this.generation = this.coordinator.generation;
    this.emit('join', { memberId: `member-${this.id}`, memberAssignment: { [TOPIC]: partitions } });
    const { generation } = this;
    const stands = await this.coordinator.stands();
    for (const partition of partitions) {
      if (generation !== this.generation) return;
      const from = Number(stands[partition]?.offset ?? 0);
      const messages = Array.from({ length: MESSAGES - from }, (_, n) => ({
        offset: String(from + n),
        key: Buffer.from(String(partition)),
        value: Buffer.from('{}'),
        timestamp: '0',
      }));
      const batch = { partition, messages, highWatermark: String(MESSAGES) };
      await this.settings.eachBatch?.({ batch } as unknown as Parameters<
        NonNullable<ConsumerRunConfig['eachBatch']>
      >[0]);
    }
  }

  private emit(event: string, payload: unknown): void {
    this.listeners.get(event)?.({ payload });
  }
}

async function play({ rebalances, delays, commitWithinMs, failing }: Scenario) {
  const coordinator = new Coordinator(delays);
  const handled = new Set<string>();
  const member = (id: number) => {
    const client = new Client(id, coordinator);
    const subscription = new KafkaSubscription({
      topic: TOPIC,
      group: 'decoder',
      concurrency: PARTITIONS,
      policy: { maxDeliveries: 3, baseMs: 1, maxMs: 2 },
      closeGraceMs: 100,
      commitWithinMs,
      committed: () => coordinator.stands(),
      oldest: async () => {
        await coordinator.wait();
        return new Map(coordinator.committed.map((_, partition) => [partition, 0n]));
      },
      decode: ({ key, offset }) => ({
        topic: TOPIC,
        key,
        envelope: { id: String(offset), jobId: '', traceparent: null, attempt: 1, occurredAt: '', payload: null },
      }),
      giveUp: async () => undefined,
      async handle({ key, envelope: { id: offset } }, { delivery }) {
        await coordinator.wait();
        if (delivery === 1 && failing.includes(Number(offset))) throw new Error('once');
        handled.add(`${key}/${offset}`);
      },
    });
    const kafka = new Kafka({ brokers: [] });
    kafka.consumer = () => client as unknown as Consumer;
    const member = new KafkaMember({
      kafka,
      topic: TOPIC,
      group: 'decoder',
      ephemeral: false,
      times: DEFAULT_TIMES,
      prepare: async () => undefined,
      fetched: (partition, messages, end) => subscription.fetched(partition, messages, end),
      assigned: (partitions, continuous) => subscription.assigned(partitions, continuous),
      orphaned: () => subscription.orphaned(),
      holdings: () => subscription.holdings(),
    });
    subscription.joinAs(member);
    return { client, subscription, started: member.start() };
  };
  const members = [member(0), member(1)];
  await Promise.all(members.map(({ started }) => started));
  for (const { owners, lastsMs } of rebalances) {
    coordinator.generation += 1;
    for (const [id, { client }] of members.entries()) {
      void client.join(owners.flatMap((owner, partition) => (owner === id ? [partition] : [])));
    }
    await sleep(lastsMs);
  }
  const until = performance.now() + 30_000;
  while (coordinator.committed.some((offset) => offset !== MESSAGES) && performance.now() < until) await sleep(5);
  // Requests still on their way must not take the group back either.
  await sleep(100);
  await Promise.all(members.map(({ subscription }) => subscription.close()));
  return { regressions: coordinator.regressions, committed: coordinator.committed, handled: handled.size };
}

it('a group never goes back and comes to the end, whenever partitions change hands', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(scenario, { minLength: 100, maxLength: 100 }), async (scenarios) => {
      // Side by side, since they mostly wait.
      const ends = await Promise.all(scenarios.map((one) => play(one)));
      const wanted = {
        regressions: [],
        committed: Array(PARTITIONS).fill(MESSAGES),
        handled: PARTITIONS * MESSAGES,
      };
      expect(ends.map((end, index) => ({ ...end, ...scenarios[index] }))).toEqual(
        scenarios.map((one) => ({ ...wanted, ...one })),
      );
    }),
    { numRuns: 3, endOnFailure: true },
  );
}, 120_000);
