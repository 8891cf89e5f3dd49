import { describe, expect, it } from '@jest/globals';
import type { VideoFacts } from '@adit/contracts';
import type { LivePiece, SampledPictures } from '@adit/media';
import { Succession } from './succession.js';

const spooled = (each: LivePiece) => ({
  id: 'a',
  piece: each,
  facts: {} as VideoFacts,
  zeroAt: new Date(),
  reason: null,
});

/** Fits a piece of pictures. */
function fitted(succession: Succession, each: LivePiece): LivePiece | null {
  const item = succession.fit(spooled(each));
  return item !== null && 'piece' in item ? item.piece : null;
}

/** A second of 25 frames, sampled at 0 and 0.52 s of it. */
function piece(second: number, firstFrame: number): LivePiece {
  const at = (us: number, frame: number) => ({ frame, pts: us, time: us / 1e6, width: 64, height: 36 });
  const start = second * 1_000_000;
  const sampled: SampledPictures = {
    frames: [at(start, firstFrame), at(start + 520_000, firstFrame + 13)],
    jpegs: [Buffer.from('first'), Buffer.from('second')],
  };
  return {
    interval: {
      frameStart: firstFrame,
      frameEnd: firstFrame + 25,
      ptsStart: start,
      ptsEnd: start + 1_000_000,
      seekPts: start,
    },
    pictures: new Map([
      ['faces', sampled],
      ['objects', sampled],
    ]),
    arrived: 0,
  };
}

describe('a recorder that has taken a stream over', () => {
  it('leaves out what is stored, and goes on with its numbers', () => {
    const succession = new Succession({ frames: 500, lastUs: 20_000_000, soundUs: 0 });
    expect(fitted(succession, piece(18, 3))).toBeNull();
    expect(fitted(succession, piece(19, 28))).toBeNull();
    expect(fitted(succession, piece(20, 53))?.interval).toMatchObject({ frameStart: 500, frameEnd: 525 });
    const next = fitted(succession, piece(21, 78));
    expect(next?.interval).toMatchObject({ frameStart: 525, frameEnd: 550, ptsStart: 21_000_000 });
    expect(next?.pictures.get('faces')?.frames.map(({ frame }) => frame)).toEqual([525, 538]);
  });

  it('cuts a piece that is stored in part', () => {
    const succession = new Succession({ frames: 510, lastUs: 20_400_000, soundUs: 0 });
    const cut = fitted(succession, piece(20, 7));
    expect(cut?.interval).toEqual({
      frameStart: 510,
      frameEnd: 525,
      ptsStart: 20_400_000,
      ptsEnd: 21_000_000,
      seekPts: 20_400_000,
    });
    const [faces, objects] = [cut?.pictures.get('faces'), cut?.pictures.get('objects')];
    expect(faces?.frames).toEqual([expect.objectContaining({ frame: 513, pts: 20_520_000 })]);
    expect(faces?.jpegs.map(String)).toEqual(['second']);
    // One pack serves both.
    expect(objects).toBe(faces);
  });

  it('leaves out sound that is stored', () => {
    const succession = new Succession({ frames: 0, lastUs: 0, soundUs: 21_500_500 });
    const heard = (startMs: number, endMs: number) => {
      const sound = { interval: { startMs, endMs }, start: 0, samples: new Float32Array(0), arrived: 0 };
      const item = succession.fit({ id: 'a', sound, zeroAt: new Date(), reason: null });
      return item !== null && 'sound' in item ? item.sound.interval : null;
    };
    expect(heard(16_000, 21_000)).toBeNull();
    expect(heard(21_000, 25_000)).toEqual({ startMs: 21_501, endMs: 25_000 });
    expect(heard(25_000, 30_000)).toEqual({ startMs: 25_000, endMs: 30_000 });
  });
});
