import { describe, expect, it } from '@jest/globals';
import { openAudioPack, openAudioPackBuffer, packAudio } from './audio-pack.js';

const place = { sampleRate: 8000, channels: 2, start: 100, end: 110, ownStart: 102, ownEnd: 108 };
const samples = Float32Array.from({ length: 20 }, (_, at) => at / 32);

describe('an audio pack', () => {
  it('reads only the requested samples, addressed by their position in the source', async () => {
    const bytes = packAudio(place, Buffer.from(samples.buffer), 7);
    const reads: number[] = [];
    const pack = await openAudioPack((start, end) => {
      const piece = bytes.subarray(start, end + 1);
      reads.push(piece.length);
      return Promise.resolve(piece);
    });
    expect(pack).toMatchObject({ ...place, decoder: 7 });
    expect(await pack.samples(102, 104)).toEqual(samples.subarray(4, 8));
    expect(await pack.samples(110, 110)).toHaveLength(0);
    expect(reads).toEqual([bytes.length, 16]);
    await expect(pack.samples(99, 104)).rejects.toThrow(RangeError);
    await expect(pack.samples(105, 111)).rejects.toThrow(RangeError);
  });

  it('is refused when its bytes are another format or truncated', async () => {
    const bytes = packAudio(place, Buffer.from(samples.buffer));
    const opened = await openAudioPackBuffer(bytes.subarray(0, -4));
    await expect(opened.samples(100, 110)).rejects.toMatchObject({ code: 'MEDIA_INVALID' });
    for (const other of [Buffer.alloc(0), Buffer.from('ADFP'.padEnd(40)), bytes.subarray(0, 40)]) {
      await expect(openAudioPackBuffer(other)).rejects.toMatchObject({ code: 'MEDIA_INVALID' });
    }
    expect(() => packAudio(place, Buffer.alloc(4))).toThrow(RangeError);
  });
});
