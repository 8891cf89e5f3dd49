import { expect, it } from '@jest/globals';
import type { VideoFacts } from '@adit/contracts';
import { LiveSpool, type SpooledItem } from './live-spool.js';

const AT = new Date();

function picture(second: number, reason: string | null = null): SpooledItem {
  const ptsStart = second * 1e6;
  const interval = { frameStart: 0, frameEnd: 25, ptsStart, ptsEnd: ptsStart + 1e6, seekPts: ptsStart };
  const piece = { interval, pictures: new Map(), arrived: 0 };
  return { id: `picture ${second}`, piece, facts: {} as VideoFacts, zeroAt: AT, reason };
}

function sound(second: number): SpooledItem {
  const interval = { startMs: second * 1000, endMs: second * 1000 + 1000 };
  return {
    id: `sound ${second}`,
    sound: { interval, start: 0, samples: new Float32Array(0), arrived: 0 },
    zeroAt: AT,
    reason: null,
  };
}

async function left(spool: LiveSpool): Promise<[string, string | null][]> {
  spool.end();
  const all: [string, string | null][] = [];
  for await (const { id, reason } of spool) all.push([id, reason]);
  return all;
}

it('the item behind what was dropped names the reason, and no later one', async () => {
  const spool = new LiveSpool(100, 'job');
  for (const second of [0, 1, 2, 3]) spool.push(picture(second), 40);
  spool.push(picture(4, 'The stream ended.'), 20);
  expect(await left(spool)).toEqual([
    ['picture 2', 'Pictures could not be stored in time.'],
    ['picture 3', null],
    ['picture 4', 'The stream ended.'],
  ]);
});

it('pictures and sound have reasons of their own, and the next of a kind may still have to come', async () => {
  const spool = new LiveSpool(100, 'job');
  spool.push(sound(0), 60);
  spool.push(picture(0), 30);
  // The only sound goes.
  spool.push(picture(1), 30);
  spool.push(sound(3), 10);
  spool.push(sound(4), 10);
  expect(await left(spool)).toEqual([
    ['picture 0', null],
    ['picture 1', null],
    ['sound 3', 'it could not be stored in time.'],
    ['sound 4', null],
  ]);
});
