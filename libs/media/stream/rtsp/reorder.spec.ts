import { describe, expect, it } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import { soundPacket } from '../testing/rtsp-server.js';
import { Reorder } from './reorder.js';

function reordering(): { add: (...sequences: number[]) => void; got: number[]; reorder: Reorder } {
  const got: number[] = [];
  const reorder = new Reorder((packet) => got.push(packet.readUInt16BE(2)));
  return { got, reorder, add: (...all) => all.forEach((sequence) => reorder.add(soundPacket(sequence))) };
}

describe('datagrams', () => {
  it('come in the order of their numbers, also where these begin anew', () => {
    const { add, got } = reordering();
    add(65_533, 65_535, 65_534, 1, 0, 0, 65_534, 2);
    expect(got).toEqual([65_533, 65_534, 65_535, 0, 1, 2]);
  });

  it('wait for those before them for a moment', async () => {
    const { add, got } = reordering();
    add(1, 3, 4, 7);
    expect(got).toEqual([1]);
    await sleep(130);
    expect(got).toEqual([1, 3, 4]);
    await sleep(130);
    expect(got).toEqual([1, 3, 4, 7]);
    add(2, 8);
    expect(got).toEqual([1, 3, 4, 7, 8]);
  });

  it('do not wait in any number', () => {
    const { add, got, reorder } = reordering();
    add(0, ...Array.from({ length: 300 }, (_, index) => index + 2));
    expect(got.length).toBeGreaterThan(250);
    reorder.close();
  });
});
