/** @needs build */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { pythonWith } from '@adit/testing';
import { describe, expect, it } from '@jest/globals';
import { lineText } from './cue-lines.js';
import { cuesOf } from './cues.js';
import { writeStl } from './ebu-stl/write-stl.js';
import type { StlClock } from './ebu-stl/stl-clock.js';
import type { SpokenParagraph } from './transcript.js';

const testing = join(import.meta.dirname, 'testing');
const python = await pythonWith(join(testing, 'requirements.txt'));
const reason = typeof python === 'string' ? '' : ` (skipped: no python: ${python.reason})`;

const TEXT =
  'Guten Abend, meine Damen und Herren! Ça va très bien, señor Łukasz Dvořák: 5 £, 20 °C, “vielleicht” ½ Stück — ♪ la la ♪. ' +
  'Þetta er íslenska, og dette er Øystein; ünïçödé wïth äçcénts ñëvér ënds, së ëvërÿ lëttër hàs ïts öwn hërë. İstanbul, Győr.';

const CLOCKS: [string, StlClock][] = [
  [
    'STL25.01',
    {
      ...{ format: 'STL25.01', fps: { num: 25, den: 1 }, first: 10 * 3600 * 25 },
      counting: { nominal: 25, dropFrame: false },
    },
  ],
  [
    'STL30.01',
    {
      ...{ format: 'STL30.01', fps: { num: 30_000, den: 1001 }, first: 1_078_920 },
      counting: { nominal: 30, dropFrame: true },
    },
  ],
];

describe(`EBU-STL by ttconv${reason}`, () => {
  (typeof python === 'string' ? it.each(CLOCKS) : it.skip.each(CLOCKS))(
    '%s has every subtitle with its words, to the frame',
    async (_, clock) => {
      const paragraphs = Array.from({ length: 300 }, (__, at): SpokenParagraph => {
        const start = at * 30 + (at % 7) / 7;
        return { text: TEXT, speaker: null, time_start: start, time_end: start + 25, words: [] };
      });
      const input = await buffer(writeStl(paragraphs, { clock, title: '', language: 'de' }));
      const output = execFileSync(String(python), [join(testing, 'read-stl.py')], {
        input,
        maxBuffer: 64 * 1024 * 1024,
      });
      const read = JSON.parse(String(output)) as [start: number, end: number, lines: string[]][];
      const cues = [];
      for await (const cue of cuesOf(paragraphs, 40)) cues.push(cue);
      expect(read.map(([, , lines]) => lines)).toEqual(cues.map(({ lines }) => lines.map(lineText)));
      const fps = clock.fps.num / clock.fps.den;
      const nearest = (ms: number): number => Math.round((ms * clock.fps.num) / (clock.fps.den * 1_000));
      const frames = (seconds: number): number => Math.round(seconds * fps * 1_000) / 1_000;
      expect(read.map(([start, end]) => [frames(start), frames(end)])).toEqual(
        cues.map(({ start, end }) => [nearest(start), nearest(end)]),
      );
    },
  );
});
