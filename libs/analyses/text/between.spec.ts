import { describe, expect, it } from '@jest/globals';
import type { PixelBox, RgbImage } from '@adit/inference';
import { frameSignature } from '../tracking/shots.js';
import { linesBetween, type Between, type AnalysedFrame } from './between.js';
import { lumaTemplate, type SightedLine } from './follow.js';

const WIDTH = 320;
const HEIGHT = 180;
const PLACE: PixelBox = { x: 0.1, y: 0.8, w: 0.4, h: 0.06 };
const OTHER: PixelBox = { ...PLACE, y: 0.2 };

/** Letters of a kind in a box, blended by `part`; everything around them is grey. */
interface Writing {
  box: PixelBox;
  words?: number;
  part?: number;
}

function frame(writings: readonly Writing[], ground = 100): RgbImage {
  const data = new Uint8Array(WIDTH * HEIGHT * 3).fill(ground);
  for (const { box, words = 3, part = 1 } of writings) {
    for (let y = Math.round(box.y * HEIGHT); y < (box.y + box.h) * HEIGHT; y++) {
      for (let x = Math.round(box.x * WIDTH); x < (box.x + box.w) * WIDTH; x++) {
        // Equally many dark and bright pixels, so that the mean stays the same.
        const letter = Math.sin((x * words) / 5) > 0 ? 60 : -60;
        const noise = ((x * 7919 + y * 104_729) % 41) - 20;
        data.fill(ground + letter * part + noise, (y * WIDTH + x) * 3, (y * WIDTH + x) * 3 + 3);
      }
    }
  }
  return { data, width: WIDTH, height: HEIGHT };
}

const between = (picture: RgbImage): Between => ({
  signature: frameSignature(picture),
  templateOf: (box) => lumaTemplate(picture, box),
});

function analysed(time: number, writings: readonly Writing[], ground?: number): AnalysedFrame {
  const picture = frame(writings, ground);
  const lines = writings.map(({ box }): SightedLine => {
    const { x, y, w, h } = box;
    const corners: SightedLine['corners'] = [
      [x, y],
      [x + w, y],
      [x + w, y + h],
      [x, y + h],
    ];
    return { index: 0, time, box, score: 0.9, corners, appearance: lumaTemplate(picture, box) };
  });
  return { time, signature: frameSignature(picture), lines };
}

const NAME = { box: PLACE };
const shown = analysed(0, [NAME]);
const bare = analysed(0, []);
const later = (seen: AnalysedFrame, time = 1): AnalysedFrame => ({ ...seen, time });

describe('a frame between two analysed ones', () => {
  it('has no lines where neither has, and keeps lines that stay', () => {
    expect(linesBetween(bare, later(bare), between(frame([])))).toEqual([]);
    const lines = linesBetween(shown, later(shown), between(frame([NAME])));
    expect(lines).toEqual([{ score: 0.9, corners: shown.lines[0]!.corners }]);
  });

  it('has a line that came or went where it matches, and none where nothing is left of it', () => {
    for (const [before, after] of [
      [bare, shown],
      [shown, bare],
    ] as const) {
      expect(linesBetween(before, later(after), between(frame([NAME])))).toHaveLength(1);
      expect(linesBetween(before, later(after), between(frame([])))).toEqual([]);
    }
  });

  it('has both of two lines, of which one stays and one goes', () => {
    const both = analysed(0, [NAME, { box: OTHER }]);
    const lines = linesBetween(both, later(shown), between(frame([NAME, { box: OTHER }])));
    expect(lines?.map(({ corners: [[, y]] }) => y)).toEqual([PLACE.y, OTHER.y]);
    expect(linesBetween(both, later(shown), between(frame([NAME])))).toHaveLength(1);
  });

  it('is analysed where words differ or are half visible, or are missing although both neighbours have them', () => {
    const others = analysed(1, [{ box: PLACE, words: 5 }]);
    expect(linesBetween(shown, later(shown), between(frame([])))).toBeNull();
    expect(linesBetween(shown, later(shown), between(frame([{ box: PLACE, words: 5 }])))).toBeNull();
    expect(linesBetween(bare, later(shown), between(frame([{ box: PLACE, part: 0.15 }])))).toBeNull();
    // One of the two is visible, and certainly not the other.
    expect(linesBetween(shown, others, between(frame([NAME])))).toHaveLength(1);
  });

  it('is analysed where it differs from both neighbours', () => {
    expect(linesBetween(bare, later(bare), between(frame([], 140)))).toBeNull();
    // A brightening picture lies between both.
    expect(linesBetween(bare, later(analysed(0, [], 180)), between(frame([], 140)))).toEqual([]);
  });

  it('is analysed where the neighbours are more than a second apart', () => {
    expect(linesBetween(bare, later(bare, 1.001), between(frame([])))).toEqual([]);
    expect(linesBetween(bare, later(bare, 1.2), between(frame([])))).toBeNull();
  });
});
