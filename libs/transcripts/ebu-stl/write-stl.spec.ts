import { parseTimecode } from '@adit/contracts';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { buffer } from 'node:stream/consumers';
import { lineText } from '../cue-lines.js';
import { cuesOf } from '../cues.js';
import { anyParagraphs, inked } from '../testing/arbitrary.js';
import { readStl, type ReadStl } from '../testing/read-stl.js';
import type { SpokenParagraph } from '../transcript.js';
import { latinOf } from './latin.js';
import { writeStl, type StlOptions } from './write-stl.js';
import type { StlClock } from './stl-clock.js';

const PAL: StlClock = {
  ...{ format: 'STL25.01', fps: { num: 25, den: 1 }, first: 0 },
  counting: { nominal: 25, dropFrame: false },
};
const NTSC: StlClock = {
  ...{ format: 'STL30.01', fps: { num: 30_000, den: 1001 } },
  counting: { nominal: 30, dropFrame: true },
  first: parseTimecode('09:59:58;00', { nominal: 30, dropFrame: true }),
};

function said(text: string, start: number, end: number): SpokenParagraph {
  return { text, speaker: null, time_start: start, time_end: end, words: [] };
}

function written(
  paragraphs: Iterable<SpokenParagraph>,
  { clock = PAL, title = '', language = null }: Partial<StlOptions> = {},
): Promise<Buffer> {
  return buffer(writeStl([...paragraphs], { clock, title, language }));
}

async function read(...given: Parameters<typeof written>): Promise<ReadStl> {
  return readStl(await written(...given));
}

describe('a file of EBU-STL', () => {
  it('says what it is, and when the programme and the first subtitle begin', async () => {
    const options = { clock: NTSC, title: 'Größe & Ønske – 1', language: 'de' };
    const { subtitles, ...head } = await read([said('Guten Abend.', 2, 4), said('Danke.', 60, 61)], options);
    expect(head).toEqual({
      ...{ format: 'STL30.01', display: '0', table: '00', language: '08', title: 'Grosse & ?nske ? 1' },
      ...{ programmeStart: '09595800', firstIn: '10000000', notes: '' },
    });
    expect(subtitles).toEqual([
      { number: 0, start: '10000000', end: '10000200', lines: ['Guten Abend.'], row: 22, blocks: 1 },
      { number: 1, start: '10005728', end: '10005828', lines: ['Danke.'], row: 22, blocks: 1 },
    ]);
  });

  it.each([
    ['sq', '01'],
    ['en', '09'],
    ['es', '0A'],
    ['fr', '0F'],
    ['nl', '1D'],
    ['tr', '29'],
    ['xx', '00'],
    [null, '00'],
  ])('the language %s is %s', async (language, code) => {
    expect((await read([said('a', 0, 1)], { language })).language).toBe(code);
  });

  it('is whole without a subtitle', async () => {
    expect(await read([], { clock: NTSC })).toMatchObject({ firstIn: '09595800', subtitles: [] });
  });

  it('goes on after midnight', async () => {
    const first = parseTimecode('23:59:59:00', PAL.counting);
    const { subtitles } = await read([said('Eins.', 0.52, 2.52)], { clock: { ...PAL, first } });
    expect(subtitles).toMatchObject([{ start: '23595913', end: '00000113' }]);
  });

  it('has two lines of 40 characters at most, and goes on in the next subtitle', async () => {
    const text = 'Wort '.repeat(60).trim();
    const { subtitles } = await read([said(text, 0, 40)]);
    expect(subtitles.length).toBeGreaterThan(3);
    expect(subtitles.flatMap(({ lines }) => lines).join(' ')).toBe(text);
    for (const { lines, row } of subtitles) expect(row).toBe(23 - lines.length);
  });

  it('goes on in extension blocks where accents make a text longer, and parts no letter from its accent', async () => {
    for (const before of ['', 'a', 'ab', 'abc']) {
      const text = before + 'é'.repeat(39 - before.length) + ' ' + 'ü'.repeat(39);
      const { subtitles } = await read([said(text, 0, 5)]);
      expect(subtitles).toMatchObject([{ blocks: 2 }]);
      expect(subtitles.flatMap(({ lines }) => lines).join(' ')).toBe(text);
    }
  });

  it('counts what it has in other characters', async () => {
    const { subtitles, notes } = await read([said('„Ḥallo“ … 5 € 語 for a text that is long enough', 0, 5)]);
    expect(subtitles[0]?.lines.join(' ')).toBe('“Hallo“ ... 5 EUR ? for a text that is long enough');
    expect(notes).toBe('Characters that code table 00 lacks, replaced: 5');
  });

  it('does not write a text in another script', async () => {
    await expect(written([said('Добрый вечер, дамы и господа.', 0, 5)])).rejects.toThrow(
      /Latin script, which 23 of 25 characters are not in: take ttml/,
    );
  });

  it('does not write more subtitles than it can number', async () => {
    function* many(): Generator<SpokenParagraph> {
      for (let at = 0; at <= 65_536; at += 1) yield { ...said('Ja.', at * 2, at * 2 + 1), speaker: String(at) };
    }
    await expect(buffer(writeStl(many(), { clock: PAL, title: '', language: null }))).rejects.toThrow(
      /holds 65536 subtitles at most/,
    );
  });

  it('has the words and times of the subtitles, whatever was said', async () => {
    await fc.assert(
      fc.asyncProperty(anyParagraphs, fc.constantFrom(PAL, NTSC), async (drawn, clock) => {
        const latin = drawn.map((each) => ({
          ...each,
          text: latinOf(each.text).text,
          words: each.words.map((word) => ({ ...word, text: latinOf(word.text).text })),
        }));
        const { subtitles } = await read(latin, { clock });
        const whole = inked(latin.map(({ text }) => text).join(''));
        expect(inked(subtitles.flatMap(({ lines }) => lines).join(''))).toBe(whole);
        const cues = [];
        for await (const cue of cuesOf(latin, 40)) cues.push(cue);
        expect(subtitles.map(({ lines }) => lines)).toEqual(cues.map(({ lines }) => lines.map(lineText)));
        let free = 0;
        for (const [at, { start, end }] of subtitles.entries()) {
          const [from, to] = [start, end].map((digits) => frameOf(digits, clock) - clock.first) as [number, number];
          expect(from).toBeGreaterThanOrEqual(free);
          expect(to).toBeGreaterThan(from);
          const wanted = ((cues[at]?.start ?? NaN) * clock.fps.num) / clock.fps.den / 1_000;
          expect(from === free || Math.abs(from - wanted) <= 0.5).toBe(true);
          free = to;
        }
      }),
      { numRuns: 100 },
    );
  });
});

function frameOf(digits: string, { counting }: StlClock): number {
  const [hours, minutes, seconds, frames] = digits.match(/../g) ?? [];
  return parseTimecode(`${hours}:${minutes}:${seconds}:${frames}`, counting);
}

describe('code table 00', () => {
  it('has the letters of the languages in Latin script, each as itself', async () => {
    const letters =
      'ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÑÒÓÔÕÖØÙÚÛÜÝÞßàáâãäåæçèéêëìíîïðñòóôõöøùúûüýþÿĀāĂăĄąĆćĈĉĊċČčĎďĐđĒēĖėĘęĚěĜĝĞğĠġĢģĤĥĦħĨĩĪīĮįİı' +
      'ĲĳĴĵĶķĸĹĺĻļĽľĿŀŁłŃńŅņŇňŉŊŋŌōŐőŒœŔŕŖŗŘřŚśŜŝŞşŠšŢţŤťŦŧŨũŪūŬŭŮůŰűŲųŴŵŶŷŸŹźŻżŽž';
    expect(latinOf(letters)).toEqual({ text: letters, replaced: 0, unknown: 0 });
    const others = '¡¢£¥§¤‘“«←↑→↓°±²³×µ¶·÷’”»¼½¾¿—¹®©™♪¬¦⅛⅜⅝⅞Ωªº !"#$%&\'()*+,-./0123456789:;<=>?@[\\]^_`{|}~';
    expect(latinOf(others.replace(' ', ''))).toMatchObject({ replaced: 0 });
    const words = [...letters, ...others.replace(' ', '')].join(' ');
    const { subtitles } = await read([said(words, 0, 200)]);
    expect(subtitles.flatMap(({ lines }) => lines).join(' ')).toBe(words);
  });

  it.each([
    ['e\u0301', 'é', 0, 0],
    ['a\tb\nc\u0085d', 'a b c d', 0, 0],
    ['ﬁ ẞ ș', 'fi SS ş', 3, 0],
    ['ộ', 'o', 1, 0],
    ['👍🏽!\u200d', '!', 3, 0],
    ['語', '?', 1, 1],
  ])('%j is written as %j', (text, latin, replaced, unknown) => {
    expect(latinOf(text)).toEqual({ text: latin, replaced, unknown });
  });
});
