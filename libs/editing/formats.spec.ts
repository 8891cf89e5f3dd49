import { framesPerDay } from '@adit/contracts';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { EditEvent, EditList } from './edit-list.js';
import type { EditRate } from './edit-rate.js';
import { EDIT_FORMATS } from './formats.js';
import { listOf, rate, RATES, sourceOf, written } from './testing/lists.js';
import { READERS } from './testing/read-back.js';
import { all, xmlTree } from './testing/xml-tree.js';

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
        if (EDIT_FORMATS[format].layout !== 'put together') return;
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

describe('a log of Media Composer', () => {
  it('has its headings, and a clip for each event', async () => {
    const text = await written('ale', listOf(events, [film], film.rate));
    expect(text.split('\n').map((line) => line.split('\t'))).toEqual([
      ['Heading'],
      ['FIELD_DELIM', 'TABS'],
      ['VIDEO_FORMAT', '720'],
      ['AUDIO_FORMAT', '48khz'],
      ['FPS', '25'],
      [''],
      ['Column'],
      ['Name', 'Tracks', 'Start', 'End', 'Duration', 'Tape', 'Source File', 'Source Path', 'COMMENTS'],
      [''],
      ['Data'],
      [
        ...['Anna', 'VA1A2', '01:00:00:10', '01:00:02:10', '00:00:02:00', 'EVENING', 'Evening "News" & more.mov'],
        ...['/media/Evening News & more.mov', 'speech_recognition: Guten Abend | <hier>'],
      ],
      [
        ...['Ada Lovelace', 'VA1A2', '01:00:04:00', '01:00:04:01', '00:00:00:01', 'EVENING'],
        ...['Evening "News" & more.mov', '/media/Evening News & more.mov', 'face_recognition'],
      ],
      [''],
    ]);
  });

  it.each(RATES)('says its rate, %s, and counts as the media does', async (name, each) => {
    const source = sourceOf(each, { firstFrame: 10 * 60 * each.nominal });
    const text = await written('ale', listOf([{ ...said, source, start: 0, end: 5 }], [source], each));
    expect(/^FPS\t(.*)$/m.exec(text)?.[1]).toBe(name.replace(' drop-frame', ''));
    expect(/\d\d:\d\d:\d\d[:;]\d\d/.exec(text)?.[0]).toMatch(each.dropFrame ? /;/ : /^[^;]*$/);
  });

  it.each([
    [{ width: 720, height: 576 }, true, 'PAL', 'VA1A2'],
    [{ width: 720, height: 486 }, true, 'NTSC', 'VA1A2'],
    [{ width: 1920, height: 1080 }, false, '1080', 'V'],
    [{ width: 2048, height: 1080 }, false, 'CUSTOM', 'V'],
    [{ width: 360, height: 288 }, true, 'CUSTOM', 'VA1A2'],
    [null, true, '1080', 'A1A2'],
  ])('a picture of %j with sound %s is %s, tracks %s', async (size, hasSound, format, tracks) => {
    const source = sourceOf(rate(25, 1), { size, hasSound });
    const text = await written('ale', listOf([{ ...said, source, start: 0, end: 5 }], [source], source.rate));
    expect(text).toContain(`VIDEO_FORMAT\t${format}\n`);
    expect(text).toContain(`Anna\t${tracks}\t`);
  });

  it('a name is as long as the format allows', async () => {
    const long = { ...said, speaker: 'ä𝄞'.repeat(40), source: film, start: 0, end: 5 };
    const text = await written('ale', listOf([long], [film], film.rate));
    const [name = ''] = text.split('Data\n')[1]?.split('\t') ?? [];
    expect([...name]).toHaveLength(32);
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
    ['ale', 'ale', 'text/plain; charset=utf-8'],
    ['avid_markers', 'txt', 'text/plain; charset=utf-8'],
    ['resolve_edl', 'edl', 'text/plain; charset=utf-8'],
    ['stl', 'stl', 'application/octet-stream'],
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

  // A table quotes them, and subtitles are blocks of bytes.
  const formats = Object.values(EDIT_FORMATS).flatMap(({ name }) => (name === 'csv' || name === 'stl' ? [] : [name]));

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
