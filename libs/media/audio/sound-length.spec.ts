/** @needs ffmpeg */
import { readFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { transcode } from '@adit/testing';
import { probeMedia } from '../index.js';

/** Quiet for most of its length, so that the first packets misrepresent the rest. */
const uneven = ['-f', 'lavfi', '-i', "aevalsrc='if(lt(t,7),0.0001,0.5)*random(0)':d=14:s=44100"];

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'adit-length-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function lengthOf(path: string): Promise<number> {
  const { facts } = await probeMedia(path);
  if (facts.kind !== 'audio') throw new Error(`It is taken for ${facts.kind}.`);
  return facts.duration;
}

describe('the length of sound', () => {
  it.each([
    ['without-table.mp3', ['-write_xing', '0', '-q:a', '4']],
    ['with-table.mp3', ['-q:a', '4']],
    ['constant.mp3', ['-b:a', '128k']],
    ['raw.aac', ['-c:a', 'aac']],
    ['boxed.m4a', ['-c:a', 'aac']],
    ['streamed.flac', ['-flush_packets', '1', '-f', 'flac']],
    ['opus.ogg', ['-c:a', 'libopus']],
    ['plain.wav', []],
  ])('is the sum of its packets, not an estimate from the bit rate: %s', async (name, codec) => {
    expect(Math.abs((await lengthOf(await transcode(name, [...uneven, ...codec]))) - 14)).toBeLessThan(0.06);
  });

  it('is the remaining length of a truncated file', async () => {
    const whole = await readFile(await transcode('plain.wav', uneven));
    const path = join(folder, 'cut.wav');
    await writeFile(path, whole.subarray(0, whole.length / 2));
    expect(Math.abs((await lengthOf(path)) - 7)).toBeLessThan(0.1);
  });
});
