import fc from 'fast-check';
import type { SpokenParagraph } from '../transcript.js';

const word = fc.oneof(
  fc.constantFrom(
    'the',
    'no,',
    'Yes.',
    'a',
    'well-known',
    'Donaudampfschifffahrtsgesellschaft',
    '<b>',
    '-->',
    '&amp;',
    '{\\an8}',
    '…',
  ),
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 60 }),
  fc.constantFrom(
    '語音識別',
    '「はい」',
    'สวัสดี',
    'https://example.org/a/very/long/address/that/no/line/would/ever/take/whole',
  ),
);
const gap = fc.oneof(
  { weight: 6, arbitrary: fc.double({ min: 0, max: 0.6, noNaN: true }) },
  fc.double({ min: 0, max: 30, noNaN: true }),
);

/** Any transcript in order: words without length, speakers who fall into each other's words, words that lack times. */
export const anyParagraphs: fc.Arbitrary<SpokenParagraph[]> = fc
  .array(
    fc.record({
      speaker: fc.constantFrom(null, null, 'Ada', 'Speaker <2> & "co"'),
      words: fc.array(fc.record({ text: word, before: gap, length: gap }), { minLength: 0, maxLength: 30 }),
      before: fc.double({ min: -1, max: 5, noNaN: true }),
      timed: fc.boolean(),
    }),
    { maxLength: 12 },
  )
  .map((drawn) => {
    let time = 0;
    let begun = 0;
    return drawn.map(({ speaker, words, before, timed }) => {
      time = Math.max(begun, time + before);
      begun = time;
      const spoken = words.map(({ text, before: pause, length }) => {
        const from = time + pause;
        time = from + length;
        return { text: text.trim(), time_start: from, time_end: time, confidence: 0.5 };
      });
      const text = spoken.map((each) => each.text).join(' ');
      return { text, speaker, time_start: begun, time_end: time, words: timed ? spoken : [] };
    });
  });

/** A text without its blanks. */
export function inked(text: string): string {
  return text.replace(/\s+/gu, '');
}
