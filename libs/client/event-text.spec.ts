import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { eventBlocks, type EventBlock } from './event-text.js';

const STREAM =
  'retry: 2000\n\nid: 7\n\n: still here\n\nid:8\r\nevent: svc.job.on_started\r\ndata: {"a":\r\ndata:  "ä\u2028€"}\r\nother: 1\r\n\r\n' +
  'data\rid: 9\r\rid: 10\ndata: not whole';
const BLOCKS: EventBlock[] = [
  { retry: '2000' },
  { id: '7' },
  { id: '8', event: 'svc.job.on_started', data: '{"a":\n "ä\u2028€"}' },
  { data: '', id: '9' },
];

async function read(pieces: Uint8Array[]): Promise<EventBlock[]> {
  const stream = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const piece of pieces) controller.enqueue(piece);
      controller.close();
    },
  });
  const found = [];
  for await (const block of eventBlocks(stream)) found.push(block);
  return found;
}

describe('the text of an event stream', () => {
  it('the text has the same blocks however it is cut', async () => {
    const bytes = new TextEncoder().encode(STREAM);
    await fc.assert(
      fc.asyncProperty(fc.uniqueArray(fc.nat(bytes.length)), async (cuts) => {
        const ends = [0, ...cuts.sort((a, b) => a - b), bytes.length];
        const pieces = ends.slice(1).map((end, at) => bytes.subarray(ends[at], end));
        expect(await read(pieces)).toEqual(BLOCKS);
      }),
    );
  });
});
