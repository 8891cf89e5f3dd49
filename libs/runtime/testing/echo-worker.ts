/** A thread for the specs of `ThreadClient`. */
import { setTimeout as sleep } from 'node:timers/promises';
import { answerRequests } from '../thread-requests.js';

export interface EchoRequest {
  text: string;
  afterMs?: number;
  bytes?: Uint8Array<ArrayBuffer>;
  then?: 'fail' | 'exit' | 'hang';
}

export interface EchoReply {
  text: string;
  /** Requests of this thread so far, those without a reply included. */
  count: number;
  bytes: Uint8Array<ArrayBuffer>;
}

let count = 0;

answerRequests(
  async ({ text, afterMs, bytes, then }: EchoRequest): Promise<EchoReply> => {
    count += 1;
    if (afterMs !== undefined) await sleep(afterMs);
    if (then === 'fail') throw new Error(`No ${text}.`);
    if (then === 'exit') process.exit();
    if (then === 'hang') for (;;);
    return { text, count, bytes: bytes ?? new Uint8Array() };
  },
  ({ bytes }) => [bytes.buffer],
);
