import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { lineText } from './cue-lines.js';
import { cuesOf, type Cue } from './cues.js';
import { anyParagraphs, inked } from './testing/arbitrary.js';
import type { SpokenParagraph } from './transcript.js';

async function all(paragraphs: SpokenParagraph[]): Promise<Cue[]> {
  const cues: Cue[] = [];
  for await (const cue of cuesOf(paragraphs)) cues.push(cue);
  return cues;
}

const lengthOf = (text: string): number => [...text].length;
const textOf = ({ lines }: Cue): string => lines.map(lineText).join('\n');

function said(text: string, start: number, end: number, speaker: string | null = null): SpokenParagraph {
  return { text, speaker, time_start: start, time_end: end, words: [] };
}

describe('cues', () => {
  it('cues keep order and bounds, and lose no word, whatever was said', async () => {
    await fc.assert(
      fc.asyncProperty(anyParagraphs, async (paragraphs) => {
        const cues = await all(paragraphs);
        expect(inked(cues.map(textOf).join(''))).toBe(inked(paragraphs.map(({ text }) => text).join('')));
        cues.forEach((cue, at) => {
          const next = cues[at + 1];
          expect(Number.isInteger(cue.start) && Number.isInteger(cue.end)).toBe(true);
          expect(cue.end).toBeGreaterThan(cue.start);
          expect(cue.end - cue.start).toBeLessThanOrEqual(7_000);
          expect(next === undefined || next.start >= cue.end).toBe(true);
          expect(cue.lines.length).toBeLessThanOrEqual(2);
          for (const line of cue.lines) {
            expect(lengthOf(lineText(line))).toBeLessThanOrEqual(42);
            expect(line.length).toBeGreaterThan(0);
          }
          const late = cue.start - Math.round(cue.lines[0]![0]!.time_start * 1_000);
          expect(late).toBeGreaterThanOrEqual(0);
          // A voice that leaves no time: somebody speaks already.
          if (late < 2_000) expect(cue.end - cue.start).toBeGreaterThanOrEqual(1_000);
          const readable = (lengthOf(textOf(cue)) - 1) / 17 <= (cue.end - cue.start) / 1_000 + 0.001;
          expect(readable || next!.start === cue.end).toBe(true);
        });
      }),
      { numRuns: 300 },
    );
  });

  it('cues end where sentences do, and break lines evenly', async () => {
    const text =
      'I came here today to speak about weather. It rains, it snows, and sometimes the sun shines on all of us at once. Thank you.';
    expect((await all([said(text, 0, 10)])).map(textOf)).toEqual([
      'I came here today to speak about weather.',
      'It rains, it snows, and sometimes the sun\nshines on all of us at once. Thank you.',
    ]);
  });

  it('cues join short paragraphs of one speaker, never those of two', async () => {
    const paragraphs = [said('Yes.', 0, 0.3, 'A'), said('No.', 0.4, 0.7, 'A'), said('Why?', 0.8, 1.1, 'B')];
    expect((await all(paragraphs)).map((cue) => [cue.start, cue.end, textOf(cue)])).toEqual([
      [0, 1_000, 'Yes. No.'],
      [1_000, 2_000, 'Why?'],
    ]);
  });

  it('cues stay to be read while nobody speaks, and do not wait through a silence', async () => {
    const words = [
      { text: 'Extraordinarily', time_start: 1, time_end: 1.2, confidence: 1 },
      { text: 'quick.', time_start: 9, time_end: 9.4, confidence: 1 },
    ];
    const cues = await all([{ text: 'Extraordinarily quick.', speaker: null, time_start: 1, time_end: 9.4, words }]);
    expect(cues.map(({ start, end }) => [start, end])).toEqual([
      [1_000, 2_000],
      [9_000, 10_000],
    ]);
  });

  it('cues of ten thousand paragraphs come as they are asked for', async () => {
    let asked = 0;
    function* many(): Generator<SpokenParagraph> {
      for (; asked < 10_000; asked += 1)
        yield said('A sentence that is said again and again.', asked * 5, asked * 5 + 3);
    }
    const cues = cuesOf(many());
    await cues.next();
    await cues.return(undefined);
    expect(asked).toBeLessThan(10);
  });
});
