import { beforeEach, describe, expect, it } from '@jest/globals';
import { KafkaPartition, Work } from './kafka-partition.js';
import type { FetchedMessage } from './kafka-partition.js';

const message = (offset: number, text = ''): FetchedMessage => ({
  offset: BigInt(offset),
  key: 'k',
  text,
  traceparent: null,
  time: 0,
});
const messages = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => message(from + index));

describe('a partition of a member', () => {
  let partition: KafkaPartition;
  const own = (committed: bigint | null = null, failures = 0) => {
    partition.claim();
    partition.settle(committed, failures);
  };
  const start = () => (partition.work = new Work(partition.head as FetchedMessage));
  /** Offsets it would hand out, one after the other. */
  const drain = () => {
    const seen: number[] = [];
    for (; partition.head !== undefined; partition.advance()) seen.push(Number(partition.head.offset));
    return seen;
  };

  beforeEach(() => {
    partition = new KafkaPartition(3);
  });

  it('hands out each message once, though Kafka gives them again after every rebalance', () => {
    own(2n);
    partition.accept(messages(2, 5), 5n);
    partition.advance();
    partition.accept(messages(2, 7), 7n);
    partition.accept(messages(3, 7), 7n);
    expect(drain()).toEqual([3, 4, 5, 6]);
  });

  it('keeps what came before it was known where the group stands', () => {
    partition.claim();
    partition.accept(messages(0, 4), 4n);
    expect(partition.canStart).toBe(false);
    partition.settle(2n, 1);
    expect(partition.canStart).toBe(true);
    expect(partition.failures).toBe(1);
    expect(drain()).toEqual([2, 3]);
  });

  it('keeps everything when the group never committed', () => {
    partition.claim();
    partition.accept(messages(5, 7), 7n);
    partition.settle(null, 0);
    expect(drain()).toEqual([5, 6]);
  });

  it('takes nothing while it is not its own', () => {
    partition.accept(messages(0, 4), 4n);
    expect(partition.head).toBeUndefined();
  });

  it('lets its handler go on when the connection comes back and nobody was faster', () => {
    own(0n);
    partition.accept(messages(0, 3), 3n);
    const work = start();
    partition.orphan();
    expect(work.signal.aborted).toBe(false);
    own(0n);
    expect(work.disowned).toBe(false);
    partition.work = null;
    expect(drain()).toEqual([0, 1, 2]);
  });

  it('stops its handler when somebody else was faster, and goes on behind', () => {
    own(0n);
    partition.accept(messages(0, 3), 3n);
    const work = start();
    partition.orphan();
    own(1n);
    expect([work.disowned, work.signal.aborted]).toEqual([true, true]);
    expect(partition.canStart).toBe(false);
    partition.work = null;
    expect(drain()).toEqual([1, 2]);
  });

  it('stops its handler when the partition is given to another, and starts anew when it comes back', () => {
    own(0n);
    partition.accept(messages(0, 3), 3n);
    const work = start();
    partition.lose();
    expect(work.disowned).toBe(true);
    own(0n);
    partition.accept(messages(0, 3), 3n);
    expect(partition.canStart).toBe(false);
    partition.work = null;
    expect(drain()).toEqual([0, 1, 2]);
  });

  it('counts the failed deliveries of the message at its head, here or noted by another member', () => {
    own(0n, 2);
    partition.accept(messages(0, 2), 2n);
    expect(partition.failures).toBe(2);
    partition.failures = 3;
    partition.orphan();
    own(0n, 2);
    expect(partition.failures).toBe(3);
    partition.advance();
    expect(partition.failures).toBe(0);
  });

  it('starts anew in a topic that was taken away and made again', () => {
    own(40n);
    partition.accept(messages(40, 42), 42n);
    expect(drain()).toEqual([40, 41]);
    partition.accept(messages(0, 2), 2n);
    expect(drain()).toEqual([0, 1]);
  });

  it('a partition is full by number or by size, and low well before it is empty', () => {
    own();
    partition.accept(messages(0, 100), 100n);
    expect([partition.isFull, partition.isLow]).toEqual([true, false]);
    for (let n = 0; n < 51; n++) partition.advance();
    expect([partition.isFull, partition.isLow]).toEqual([false, true]);
    partition.accept([message(100, 'x'.repeat(1024 * 1024))], 101n);
    expect(partition.isFull).toBe(true);
    drain();
    expect([partition.isFull, partition.isLow]).toEqual([false, true]);
  });
});
