import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { ImageInput } from '@adit/contracts';
import fc from 'fast-check';
import type { RgbImage } from '@adit/media';
import { fit, seenRegion } from './fit.js';
import { noise } from '../testing/noise.js';

interface Golden {
  cases: { what: string; source: [number, number]; input: Partial<ImageInput>; pixels: string }[];
}

const golden = JSON.parse(await readFile(join(import.meta.dirname, 'golden/resize.json'), 'utf8')) as Golden;

function inputOf(given: Partial<ImageInput>): ImageInput {
  return ImageInput.parse({ tensor: 'x', width: 16, height: 12, ...given });
}

function fitted(image: RgbImage, input: ImageInput): Float32Array {
  const pixels = new Float32Array(input.width * input.height * 3).fill(-1);
  fit(image, input, pixels);
  return pixels;
}

describe("the pixels of a network's input", () => {
  it.each(golden.cases)(
    'equal those of the code it was trained with: $what',
    ({ source: [width, height], input, pixels }) => {
      const own = fitted(noise(width, height), inputOf(input));
      const wanted = Buffer.from(pixels, 'base64');
      expect(Buffer.from(own)).toEqual(wanted);
    },
  );

  it('are integers of 0..255, whatever the picture and the input', () => {
    const side = fc.integer({ min: 1, max: 40 });
    const input = fc.record({
      width: side,
      height: side,
      resize: fc.constantFrom('letterbox', 'stretch', 'crop'),
      filter: fc.constantFrom('nearest', 'bilinear', 'antialiased', 'bicubic'),
      pad: fc.constantFrom(undefined, { value: 114, at: 'corner' as const }, { value: 0, at: 'centre' as const }),
      shorterSide: fc.constantFrom(undefined, 7, 60),
    });
    fc.assert(
      fc.property(side, side, input, (width, height, given) => {
        const pixels = fitted(noise(width, height), inputOf(given as Partial<ImageInput>));
        expect(pixels.every((value) => value >= 0 && value <= 255 && Number.isInteger(value))).toBe(true);
      }),
      { numRuns: 300 },
    );
  });

  it("equal OpenCV's beyond the first and the last row of an enlarged picture", () => {
    const greys = [79, 192, 144, 129];
    const image: RgbImage = { data: Uint8Array.from(greys.flatMap((grey) => [grey, grey, grey])), width: 2, height: 2 };
    const pixels = fitted(image, inputOf({ width: 5, height: 5, resize: 'stretch', filter: 'bilinear' }));
    // cv2.resize of 4.14 and 5.0.
    expect([...pixels].filter((_, at) => at % 3 === 0)).toEqual([
      ...[79, 90, 135, 181, 192],
      ...[85, 96, 135, 176, 186],
      ...[112, 116, 136, 156, 161],
      ...[137, 137, 136, 135, 135],
      ...[144, 142, 136, 130, 129],
    ]);
  });

  it('take no memory for cropped parts', () => {
    const strip: RgbImage = { data: new Uint8Array(60_000).fill(9), width: 20_000, height: 1 };
    const input = inputOf({ width: 224, height: 224, resize: 'crop', filter: 'bicubic' });
    expect(fitted(strip, input).every((value) => value === 9)).toBe(true);
  });
});

describe('the region that a network sees', () => {
  const [picture, grown] = [{ width: 400, height: 300 }, 1.25];
  it.each<[string, Partial<ImageInput>, { x: number; y: number; w: number; h: number }]>([
    ['in the centre', { pad: { value: 114, at: 'centre' } }, { x: 0, y: -50, w: 400, h: 400 }],
    ['in the corner', { pad: { value: 114, at: 'corner' } }, { x: 0, y: 0, w: 400, h: 400 }],
    ['pulled', { resize: 'stretch' }, { x: 0, y: 0, w: 400, h: 300 }],
    ['its middle', { resize: 'crop', shorterSide: 100 * grown }, { x: 80, y: 30, w: 240, h: 240 }],
  ])('is the same to a pixel with a filter and without: %s', (_, given, wanted) => {
    for (const filter of ['bilinear', undefined] as const) {
      // Without a filter the picture is always centred.
      if (filter === undefined && given.pad?.at === 'corner') continue;
      const seen = seenRegion(picture, inputOf({ width: 100, height: 100, ...given, filter }));
      for (const key of ['x', 'y', 'w', 'h'] as const) expect(Math.abs(seen[key] - wanted[key])).toBeLessThan(4);
    }
  });
});
