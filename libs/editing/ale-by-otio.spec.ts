/** @needs build */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { framesPerDay } from '@adit/contracts';
import { pythonWith } from '@adit/testing';
import { describe, expect, it } from '@jest/globals';
import { listOf, RATES, sourceOf, written } from './testing/lists.js';

const testing = join(import.meta.dirname, 'testing');
const python = await pythonWith(join(testing, 'requirements.txt'));
const reason = typeof python === 'string' ? '' : ` (skipped: no python: ${python.reason})`;

/** Starts and lengths in frames: single ones, those about the minutes at which drop-frame leaves numbers out, and long ones. */
const STRETCHES = [0, 1, 1_798, 1_799, 1_800, 1_801, 17_981, 17_982, 107_892, 215_783, 899_999].flatMap((start) =>
  [1, 2, 1_799, 1_800, 17_982, 90_001].map((length) => ({ start, end: start + length })),
);

describe(`the log of OpenTimelineIO's adapter${reason}`, () => {
  (typeof python === 'string' ? it : it.skip)('has every clip to the frame, at the rate of the media', async () => {
    const texts: string[] = [];
    const expected: unknown[] = [];
    for (const [, rate] of RATES) {
      const firstFrame = framesPerDay(rate) - 1_000_000;
      const source = sourceOf(rate, { firstFrame });
      const events = STRETCHES.map((stretch) => ({
        ...{ ...stretch, source, module: 'face_recognition' },
        ...{ label: 'Ada\tLovelace\n', text: 'a\u2028b\u0085c', speaker: null },
      }));
      texts.push(await written('ale', listOf(events, [source], rate)));
      const { num, den } = rate.fps;
      expected.push(STRETCHES.map(({ start, end }) => [num / den, 'EVENING', firstFrame + start, end - start]));
    }
    const input = JSON.stringify(texts);
    const read = execFileSync(String(python), [join(testing, 'read-ale.py')], { input, maxBuffer: 16 * 1024 * 1024 });
    expect(JSON.parse(String(read))).toEqual(expected);
  });
});
