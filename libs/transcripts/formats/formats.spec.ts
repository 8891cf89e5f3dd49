import { execFileSync } from 'node:child_process';
import { buffer, text } from 'node:stream/consumers';
import { TranscriptFormat } from '@adit/contracts';
import { unzip } from '@adit/testing';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { SaxesParser } from 'saxes';
import { anyParagraphs, inked } from '../testing/arbitrary.js';
import { cuesOf } from '../cues.js';
import type { SpokenParagraph } from '../transcript.js';
import { TRANSCRIPT_FORMATS, writeTranscript } from '../transcript-formats.js';

const paragraphs: SpokenParagraph[] = [
  {
    text: 'Good evening & welcome. Tonight we speak <live> with the people who made all of this possible.',
    speaker: 'Ada "A" <host>',
    time_start: 0.5,
    time_end: 6.25,
    words: [
      { text: 'Good', time_start: 0.5, time_end: 0.7, confidence: 0.9 },
      { text: 'evening', time_start: 0.7, time_end: 1.1, confidence: 0.9 },
    ],
  },
  { text: 'Thanks.', speaker: null, time_start: 3_661, time_end: 3_661.5, words: [] },
];
const transcript = { language: 'en', paragraphs };

const written = (format: TranscriptFormat, underlineWords = false) =>
  text(writeTranscript(format, transcript, { underlineWords }));

/** Throws where the document is not well-formed; answers its text by elements, `br` as a line break. */
function parsed(xml: string): { name: string; attributes: Record<string, string>; text: string }[] {
  const found: { name: string; attributes: Record<string, string>; text: string }[] = [];
  const open: typeof found = [];
  const parser = new SaxesParser({ xmlns: false });
  parser.on('error', (error) => {
    throw error;
  });
  parser.on('opentag', ({ name, attributes }) => {
    const element = { name, attributes: attributes as Record<string, string>, text: '' };
    found.push(element);
    open.push(element);
  });
  parser.on('closetag', ({ name }) => {
    const closed = open.pop()!;
    const around = open.at(-1);
    if (around !== undefined && name !== 'ttm:agent') around.text += name.endsWith('br') ? '\n' : closed.text;
  });
  parser.on('text', (piece) => {
    const element = open.at(-1);
    if (element !== undefined) element.text += piece;
  });
  parser.write(xml).close();
  return found;
}

/** The packets that ffprobe reads: begin and length in milliseconds, and the text. */
function packetsOf(format: 'srt' | 'vtt', content: string): { start: number; length: number; text: string }[] {
  const demuxer = format === 'vtt' ? 'webvtt' : 'srt';
  const input = ['-v', 'error', '-f', demuxer, '-i', 'pipe:0'];
  const output = String(
    execFileSync(process.env['ADIT_FFPROBE'] ?? 'ffprobe', [...input, '-show_packets', '-show_data', '-of', 'json'], {
      input: content,
      stdio: ['pipe', 'pipe', 'pipe'],
    }),
  );
  const { packets } = JSON.parse(output) as { packets: { pts: number; duration: number; data: string }[] };
  return packets.map(({ pts, duration, data }) => ({ start: pts, length: duration, text: fromDump(data) }));
}

/** Reads a dump such as `00000000: 476f 6f64  Good`. */
function fromDump(dump: string): string {
  const hex = dump
    .trim()
    .split('\n')
    .map(
      (line) =>
        line
          .slice(line.indexOf(':') + 1)
          .trimStart()
          .split('  ')[0]!,
    );
  return Buffer.from(hex.join('').replace(/\s/g, ''), 'hex').toString();
}

describe('SRT', () => {
  it('an SRT file is what players read', async () => {
    expect(await written('srt')).toMatchInlineSnapshot(`
      "1
      00:00:00,500 --> 00:00:01,853
      Good evening & welcome.

      2
      00:00:01,854 --> 00:00:06,250
      Tonight we speak <⁠live> with the
      people who made all of this possible.

      3
      01:01:01,000 --> 01:01:02,000
      Thanks.

      "
    `);
  });

  it('underlines each word while it is said', async () => {
    expect((await written('srt', true)).split('\n\n').slice(0, 4)).toMatchInlineSnapshot(`
      [
        "1
      00:00:00,500 --> 00:00:00,700
      <u>Good</u> evening & welcome.",
        "2
      00:00:00,700 --> 00:00:01,100
      Good <u>evening</u> & welcome.",
        "3
      00:00:01,100 --> 00:00:01,163
      Good evening & welcome.",
        "4
      00:00:01,163 --> 00:00:01,226
      Good evening <u>&</u> welcome.",
      ]
    `);
  });
});

describe('WebVTT', () => {
  it('tells who speaks', async () => {
    expect(await written('vtt')).toMatchInlineSnapshot(`
      "WEBVTT

      00:00:00.500 --> 00:00:01.853
      <v Ada "A" &lt;host&gt;>Good evening &amp; welcome.

      00:00:01.854 --> 00:00:06.250
      <v Ada "A" &lt;host&gt;>Tonight we speak &lt;live&gt; with the
      people who made all of this possible.

      01:01:01.000 --> 01:01:02.000
      Thanks.

      "
    `);
  });
});

describe('TTML', () => {
  it('a TTML file is a document of the text profile of IMSC', async () => {
    expect(await written('ttml')).toMatchInlineSnapshot(`
      "<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
      <tt xmlns="http://www.w3.org/ns/ttml" xmlns:ttm="http://www.w3.org/ns/ttml#metadata" xmlns:ttp="http://www.w3.org/ns/ttml#parameter" xmlns:tts="http://www.w3.org/ns/ttml#styling" ttp:timeBase="media" ttp:contentProfiles="http://www.w3.org/ns/ttml/profile/imsc1.1/text" xml:lang="en"><head><layout><region xml:id="bottom" tts:origin="10% 80%" tts:extent="80% 15%" tts:displayAlign="after" tts:textAlign="center"/></layout></head><body region="bottom"><div>
      <p begin="00:00:00.500" end="00:00:01.853" ttm:agent="speaker1"><ttm:agent xml:id="speaker1" type="person"><ttm:name type="full">Ada &quot;A&quot; &lt;host&gt;</ttm:name></ttm:agent>Good evening &amp; welcome.</p>
      <p begin="00:00:01.854" end="00:00:06.250" ttm:agent="speaker1">Tonight we speak &lt;live&gt; with the<br/>people who made all of this possible.</p>
      <p begin="01:01:01.000" end="01:01:02.000">Thanks.</p>
      </div></body></tt>
      "
    `);
  });
});

describe('TXT and JSON', () => {
  it('the files have the paragraphs', async () => {
    expect(await written('txt')).toMatchInlineSnapshot(`
      "Ada "A" <host>: Good evening & welcome. Tonight we speak <live> with the people who made all of this possible.

      Thanks.
      "
    `);
    expect(JSON.parse(await written('json'))).toMatchObject({
      language: 'en',
      paragraphs: [
        { index: 0, text: paragraphs[0]!.text, words: expect.any(Array) as unknown },
        { index: 1, text: 'Thanks.' },
      ],
    });
  });
});

describe('DOCX', () => {
  it('a DOCX file is a document whose parts refer to each other', async () => {
    const files = await unzip(await buffer(writeTranscript('docx', transcript)));
    expect([...files.keys()]).toEqual([
      '[Content_Types].xml',
      '_rels/.rels',
      'word/_rels/document.xml.rels',
      'word/styles.xml',
      'word/document.xml',
    ]);
    const parts = new Map([...files].map(([path, content]) => [path, parsed(String(content))]));
    const overrides = parts.get('[Content_Types].xml')!.filter(({ name }) => name === 'Override');
    expect(overrides.map(({ attributes }) => attributes['PartName'])).toEqual([
      '/word/document.xml',
      '/word/styles.xml',
    ]);
    expect(parts.get('word/_rels/document.xml.rels')!.at(-1)!.attributes['Target']).toBe('styles.xml');
    const styles = parts.get('word/styles.xml')!.flatMap(({ attributes }) => attributes['w:styleId'] ?? []);
    const document = parts.get('word/document.xml')!;
    for (const { name, attributes } of document) if (name === 'w:pStyle') expect(styles).toContain(attributes['w:val']);
    expect(document.filter(({ name }) => name === 'w:p').map((each) => each.text)).toEqual([
      '00:00:00  Ada "A" <host>',
      paragraphs[0]!.text,
      '01:01:01',
      'Thanks.',
    ]);
  });
});

describe('every format', () => {
  it('is announced as what it is', () => {
    const announced = Object.entries(TRANSCRIPT_FORMATS).map(([key, { name, extension, mimeType }]) => {
      expect(key).toBe(name);
      return [name, extension, mimeType];
    });
    expect(announced).toEqual([
      ['srt', 'srt', 'application/x-subrip; charset=utf-8'],
      ['vtt', 'vtt', 'text/vtt; charset=utf-8'],
      ['ttml', 'ttml', 'application/ttml+xml'],
      ['stl', 'stl', 'application/octet-stream'],
      ['txt', 'txt', 'text/plain; charset=utf-8'],
      ['docx', 'docx', 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'],
      ['json', 'json', 'application/json'],
    ]);
  });

  it.each(TranscriptFormat.options)('%s of an empty transcript is whole', async (format) => {
    const bytes = await buffer(writeTranscript(format, { language: null, paragraphs: [] }));
    if (format === 'ttml') parsed(String(bytes));
    if (format === 'json') expect(JSON.parse(String(bytes))).toEqual({ language: null, paragraphs: [] });
    if (format === 'docx') expect((await unzip(bytes)).size).toBe(5);
  });

  it.each(TranscriptFormat.options)('%s breaks off when its paragraphs do', async (format) => {
    async function* failing(): AsyncGenerator<SpokenParagraph> {
      yield* await Promise.resolve(paragraphs);
      throw new Error('the database went away');
    }
    await expect(buffer(writeTranscript(format, { language: null, paragraphs: failing() }))).rejects.toThrow(
      'went away',
    );
  });

  it('an XML file is XML, and loses no word, whatever was said', async () => {
    await fc.assert(
      fc.asyncProperty(anyParagraphs, async (drawn) => {
        const any = { language: 'de', paragraphs: drawn };
        const whole = inked(drawn.map((each) => each.text).join(''));
        const shown = whole.replace(/[^\x20-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, '\uFFFD');
        const ttml = parsed(await text(writeTranscript('ttml', any)));
        const cues = ttml.filter(({ name }) => name === 'p');
        expect(inked(cues.map((each) => each.text).join(''))).toBe(shown);
        const files = await unzip(await buffer(writeTranscript('docx', any)));
        const document = parsed(String(files.get('word/document.xml')));
        const spoken = document.filter(({ name }) => name === 'w:p').filter((_, at) => at % 2 === 1);
        expect(inked(spoken.map((each) => each.text).join(''))).toBe(shown);
        expect(JSON.parse(await text(writeTranscript('json', any)))).toMatchObject({
          paragraphs: drawn.map((each) => ({ text: each.text, speaker: each.speaker })),
        });
      }),
      { numRuns: 60 },
    );
  });

  it.each(['srt', 'vtt'] as const)('ffmpeg reads %s: every cue with its times', async (format) => {
    const drawn = fc
      .sample(anyParagraphs, { numRuns: 40, seed: 7 })
      .reduce((most, each) => (each.length > most.length ? each : most));
    const any = [
      ...paragraphs.slice(0, 1),
      ...drawn.map((each) => ({
        ...each,
        time_start: each.time_start + 10,
        time_end: each.time_end + 10,
        words: each.words.map((word) => ({ ...word, time_start: word.time_start + 10, time_end: word.time_end + 10 })),
      })),
    ];
    const cues = [];
    for await (const cue of cuesOf(any)) cues.push(cue);
    const packets = packetsOf(format, await text(writeTranscript(format, { language: null, paragraphs: any })));
    expect(packets.map(({ start, length }) => [start, start + length])).toEqual(
      cues.map(({ start, end }) => [start, end]),
    );
    const unescaped = packets.map(({ text: cue }) =>
      cue
        .replace(/^<v [^>]*>/, '')
        .replace(/\u2060/g, '')
        .replace(/&lt;/g, '<')
        .replace(/&gt;/g, '>')
        .replace(/&amp;/g, '&'),
    );
    if (format === 'vtt') expect(inked(unescaped.join(''))).toBe(inked(any.map((each) => each.text).join('')));
  });
});
