import { framesPerDay } from '@adit/contracts';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { EditEvent, EditList, EditSource } from './edit-list.js';
import { knownRate, type EditRate } from './edit-rate.js';
import { EDIT_FORMATS } from './formats.js';
import { READERS } from './testing/read-back.js';
import { all, xmlTree } from './testing/xml-tree.js';

const rate = (num: number, den: number, drop = false): EditRate => {
  const known = knownRate({ num, den }, drop);
  if (known === null) throw new RangeError(`${num}/${den} is not known.`);
  return known;
};

const RATES: [string, EditRate][] = [
  ['23.976', rate(24_000, 1001)],
  ['24', rate(24, 1)],
  ['25', rate(25, 1)],
  ['29.97 drop-frame', rate(30_000, 1001, true)],
  ['29.97', rate(30_000, 1001)],
  ['50', rate(50, 1)],
  ['59.94 drop-frame', rate(60_000, 1001, true)],
  ['59.94', rate(60_000, 1001)],
];

function sourceOf(editRate: EditRate, more: Partial<EditSource> = {}): EditSource {
  return {
    index: 0,
    name: 'Evening "News" & more.mov',
    location: '/media/Evening News & more.mov',
    reel: 'EVENING',
    rate: editRate,
    firstFrame: 0,
    length: 1_000_000,
    size: { width: 1280, height: 720 },
    hasSound: true,
    ...more,
  };
}

function listOf(events: EditEvent[], sources: EditSource[], editRate: EditRate): EditList {
  return {
    title: 'A job',
    rate: editRate,
    sources,
    events: async function* () {
      yield* events;
    },
  };
}

async function written(name: keyof typeof EDIT_FORMATS, list: EditList): Promise<string> {
  let text = '';
  for await (const piece of EDIT_FORMATS[name].write(list)) text += piece;
  return text;
}

const label = fc.string({
  unit: fc.constantFrom('A', 'é', '|', '\t', '\n', '<', '&', '"', "'", '*', '𝄞'),
  maxLength: 30,
});

/** Stretches anywhere on a source that begins anywhere in the day. */
const edits = (editRate: EditRate) =>
  fc.record({
    firstFrame: fc.integer({ min: 0, max: framesPerDay(editRate) - 1 }),
    stretches: fc.array(
      fc.record({ start: fc.nat(500_000), length: fc.integer({ min: 1, max: 90_000 }), label, text: label }),
      { minLength: 1, maxLength: 5 },
    ),
  });

describe.each(RATES)('at %s', (_, editRate) => {
  it.each(Object.entries(READERS))('the file of %s has what was found, to the frame', async (name, read) => {
    const format = name as keyof typeof READERS;
    await fc.assert(
      fc.asyncProperty(edits(editRate), async ({ firstFrame, stretches }) => {
        const source = sourceOf(editRate, { firstFrame });
        const events = stretches.map(({ start, length, ...more }) => ({
          ...{ source, start, end: start + length, module: 'face_recognition', speaker: null },
          ...more,
        }));
        const list = listOf(events, [source], editRate);
        const day = framesPerDay(editRate);
        // Timecode begins anew at midnight, frames of the others go on.
        const wraps = !['fcp7xml', 'fcpxml', 'otio'].includes(format);
        const found = read(await written(format, list), editRate);
        expect(found.map(({ start, end }) => [start, end - start])).toEqual(
          events.map(({ start, end }) => [wraps ? (firstFrame + start) % day : firstFrame + start, end - start]),
        );
        if (EDIT_FORMATS[format].layout === 'in place') return;
        let record = editRate.nominal * 3600 - (editRate.dropFrame ? (108 * editRate.nominal) / 30 : 0);
        for (const [at, { start, end }] of events.entries()) {
          expect(found[at]?.record).toBe(record);
          record += end - start;
        }
      }),
      { numRuns: 40 },
    );
  });
});

const film = sourceOf(rate(25, 1), { firstFrame: 90_000, length: 500 });
const said = {
  source: film,
  module: 'speech_recognition',
  label: 'de',
  text: 'Guten\nAbend | <hier>',
  speaker: 'Anna',
};
const events: EditEvent[] = [
  { ...said, start: 10, end: 60 },
  { source: film, start: 100, end: 101, label: 'Ada Lovelace', module: 'face_recognition', text: '', speaker: null },
];

describe('a list of CMX 3600', () => {
  it('a list is as its readers expect it', async () => {
    expect(await written('edl', listOf(events, [film], film.rate))).toBe(
      [
        'TITLE: A job',
        'FCM: NON-DROP FRAME',
        '',
        '001  EVENING  AA/V  C        01:00:00:10 01:00:02:10 01:00:00:00 01:00:02:00',
        '* FROM CLIP NAME: Evening "News" & more.mov',
        '* SOURCE FILE: /media/Evening News & more.mov',
        '* LOC: 01:00:00:00 GREEN   Anna',
        '* COMMENT: speech_recognition: Guten Abend | <hier>',
        '002  EVENING  AA/V  C        01:00:04:00 01:00:04:01 01:00:02:00 01:00:02:01',
        '* FROM CLIP NAME: Evening "News" & more.mov',
        '* SOURCE FILE: /media/Evening News & more.mov',
        '* LOC: 01:00:02:00 GREEN   Ada Lovelace',
        '* COMMENT: face_recognition',
        '',
      ].join('\n'),
    );
  });
});

describe('markers', () => {
  it('markers of Resolve have their name, colour and length behind bars', async () => {
    const text = await written('resolve_edl', listOf(events, [film], film.rate));
    expect(text.split('\n').slice(3, 5)).toEqual([
      '001  001      V     C        01:00:00:10 01:00:00:11 01:00:00:10 01:00:00:11',
      'speech_recognition: Guten Abend / <hier> |C:ResolveColorGreen |M:Anna |D:50',
    ]);
  });

  it('markers of Media Composer are a line each, with tabs', async () => {
    expect(await written('avid_markers', listOf(events, [film], film.rate))).toBe(
      'Anna\t01:00:00:10\tV1\tgreen\tAnna: speech_recognition: Guten Abend | <hier>\t50\n' +
        'Ada Lovelace\t01:00:04:00\tV1\tgreen\tAda Lovelace: face_recognition\t1\n',
    );
  });

  it('markers of a player are chapters in time of the film', async () => {
    expect(await written('vtt', listOf(events, [film], film.rate))).toBe(
      'WEBVTT\n\n00:00:00.400 --> 00:00:02.400\nAnna\n\n00:00:04.000 --> 00:00:04.040\nAda Lovelace\n\n',
    );
  });
});

describe('sound', () => {
  it.each(['edl', 'fcp7xml', 'fcpxml', 'otio'] as const)('is cut without a picture by %s', async (name) => {
    const source = sourceOf(rate(25, 1), { size: null, length: 500 });
    const list = listOf([{ ...said, source, start: 3, end: 9 }], [source], source.rate);
    const text = await written(name, list);
    expect(READERS[name](text, source.rate)).toMatchObject([{ start: 3, end: 9, record: 90_000 }]);
    expect(text).not.toMatch(/ V  |hasVideo|"Video"|<clipitem id="video/);
  });
});

it('every format is announced as what it is', () => {
  const announced = Object.entries(EDIT_FORMATS).map(([key, { name, extension, mimeType }]) => {
    expect(key).toBe(name);
    return [name, extension, mimeType];
  });
  expect(announced).toEqual([
    ['otio', 'otio', 'application/json'],
    ['edl', 'edl', 'text/plain; charset=utf-8'],
    ['fcp7xml', 'xml', 'application/xml'],
    ['fcpxml', 'fcpxml', 'application/xml'],
    ['avid_markers', 'txt', 'text/plain; charset=utf-8'],
    ['resolve_edl', 'edl', 'text/plain; charset=utf-8'],
    ['vtt', 'vtt', 'text/vtt; charset=utf-8'],
    ['csv', 'csv', 'text/csv; charset=utf-8'],
  ]);
});

describe('sources of several rates', () => {
  it('sources stay as long as they are, and say their own rate', async () => {
    const slow = sourceOf(rate(24, 1), { index: 1, name: 'slow.mov', reel: 'SLOW' });
    const list = listOf([{ ...said, source: slow, start: 24, end: 72 }], [film, slow], film.rate);
    const text = await written('fcpxml', list);
    expect(text).toContain('<asset-clip ref="a1" offset="90000/25s" name="Anna" start="24/24s" duration="50/25s"');
    expect(text).toContain('<conform-rate scaleEnabled="0" srcFrameRate="24"/>');
    expect(await written('otio', list)).toContain(
      '"source_range":{"OTIO_SCHEMA":"TimeRange.1","start_time":{"OTIO_SCHEMA":"RationalTime.1","value":24,"rate":24}',
    );
    expect(Object.entries(EDIT_FORMATS).flatMap(([each, { mixesRates }]) => (mixesRates ? [each] : []))).toEqual([
      'otio',
      'fcpxml',
      'csv',
    ]);
  });
});

describe('names that somebody means harm by', () => {
  const evil = `\u0001\u001b[2J\r\n* FROM CLIP NAME: x\u2028\u0085</name>]]>&"' |C:ResolveColorRed\t\ufffe--> 𝄞${'ä'.repeat(3_000)}`;
  const listNamed = (name: string): EditList => {
    const source = sourceOf(rate(25, 1), { name, location: `https://example.org/${name}` });
    const event = { source, module: 'face_recognition', label: name, text: name, speaker: name, start: 3, end: 9 };
    return { ...listOf([event, { ...event, speaker: null }], [source], source.rate), title: name };
  };
  const linesOf = (text: string): number => text.split(/\r\n|[\n\r\v\f\u0085\u2028\u2029]/).length;

  // A table quotes them.
  const formats = Object.values(EDIT_FORMATS).flatMap(({ name }) => (name === 'csv' ? [] : [name]));

  it.each(formats)('leave %s as it is', async (format) => {
    const [hostile, plain] = [await written(format, listNamed(evil)), await written(format, listNamed('a'))];
    if (format === 'otio') expect(JSON.parse(hostile)).toHaveProperty('tracks');
    else if (format === 'fcp7xml' || format === 'fcpxml') expect(all(xmlTree(hostile), 'marker')).toHaveLength(2);
    else {
      expect(hostile).not.toMatch(/[^\P{Cc}\t\n]/u);
      expect(linesOf(hostile)).toBe(linesOf(plain));
    }
  });
});
