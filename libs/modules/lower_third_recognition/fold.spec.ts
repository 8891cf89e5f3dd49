import { describe, expect, it } from '@jest/globals';
import { NO_DICTIONARIES } from '@adit/dictionaries';
import { type Segment } from '@adit/module-kit';
import fc from 'fast-check';
import { LowerThirdFold, type FaceRule } from './fold.js';
import { nameFinder } from './names/find-name.js';
import { foldCaptions, type Caption } from './testing/captions.js';

const find = nameFinder({
  own: [],
  secondary: [],
  single: false,
  generic: { first: new Set(['ada', 'alan']), last: new Set(['lovelace']), places: new Set() },
});
const RULE: FaceRule = { minSize: 112, minSharpness: 40, only: true, teaches: false };
const WITHOUT: FaceRule = { ...RULE, only: false };

function folded(
  captions: Caption[],
  { rule = WITHOUT, ...film }: { rule?: FaceRule } & Parameters<typeof foldCaptions>[2] = {},
): Segment[] {
  return foldCaptions(new LowerThirdFold(find, rule, NO_DICTIONARIES), captions, film);
}

describe('lower thirds', () => {
  it('become one segment per interval, with text boxes', () => {
    const [segment, ...others] = folded([{ text: 'Ada Lovelace', from: 4, to: 11 }]);
    expect(others).toEqual([]);
    expect(segment).toMatchObject({ type: 'lower_third', label: 'Ada Lovelace', frameStart: 48, frameEnd: 132 });
    expect(segment!.meta).toEqual({ label: 'Ada Lovelace', from_dictionary: true });
    expect(segment!.detections).toHaveLength(8);
    expect(segment!.detections[0]).toMatchObject({
      frame_index: 48,
      type: 'text_bbox',
      data: { x: 0.1, y: 0.8, w: 0.3, h: 0.06, x1: 0.1, y1: 0.8, x3: 0.4, y3: 0.86 },
    });
  });

  it.each<[string, Partial<Caption>]>([
    ['stand in the upper half', { y: 0.2 }],
    ['change with the picture around them', { steadiness: 0.5 }],
    ['cannot be read', { confidence: 0.3 }],
    ['hold no name', { text: 'Breaking News' }],
    ['flash for one sample', { to: 4 }],
  ])('are not lines that %s', (_, change) => {
    expect(folded([{ text: 'Ada Lovelace', from: 4, to: 11, ...change }])).toEqual([]);
  });

  it('hold a name unknown to dictionaries where a function stands under it', () => {
    const name = { text: 'Wisława Szymborska', from: 4, to: 11, y: 0.78 };
    const under = { text: 'Poetka, noblistka', from: 4, to: 11, y: 0.86 };
    expect(folded([name, under])).toMatchObject([
      { label: 'Wisława Szymborska', meta: { from_dictionary: false }, frameStart: 48, frameEnd: 132 },
    ]);
    expect(folded([name])).toEqual([]);
    expect(folded([name, { ...under, y: 0.96 }])).toEqual([]);
    expect(folded([name, { ...under, from: 14, to: 20 }])).toEqual([]);
    expect(folded([name, { ...under, text: 'Kraków, 2012' }])).toEqual([]);
    expect(folded([{ ...name, text: 'Mayor of Kraków' }, under])).toEqual([]);
  });

  it('keep the earlier spelling when a later reading differs by a letter', () => {
    const captions = [
      { text: 'Ada Lovelace', from: 2, to: 8 },
      { text: 'Ada Lovelaoe', from: 20, to: 30, confidence: 0.8 },
    ];
    expect(folded(captions, { sizes: [15] }).map(({ label }) => label)).toEqual(['Ada Lovelace', 'Ada Lovelace']);
  });

  it('count without a face only on request', () => {
    const captions = [{ text: 'Ada Lovelace', from: 4, to: 11 }];
    expect(folded(captions, { rule: RULE })).toHaveLength(1);
    expect(folded(captions, { rule: RULE, face: { size: 100, sharpness: 60 } })).toEqual([]);
    expect(folded(captions, { rule: RULE, face: { size: 200, sharpness: 30 } })).toEqual([]);
    expect(folded(captions, { face: { size: 100, sharpness: 30 } })).toHaveLength(1);
  });

  it('train with the face that is shown alone with a name, on request', () => {
    const enrolling = { ...WITHOUT, teaches: true };
    const captions = [{ text: 'Ada Lovelace', from: 4, to: 11 }];
    const enrolled = (all: Caption[], film: Parameters<typeof folded>[1] = {}) =>
      folded(all, { rule: enrolling, ...film }).map(({ teaches }) => teaches);
    const portrait = { key: 'f0', width: 80, height: 80 };
    expect(enrolled(captions)).toEqual([{ label: 'Ada Lovelace', picture: portrait }]);
    expect(enrolled(captions, { sizes: [6] })).toEqual([
      { label: 'Ada Lovelace', picture: { ...portrait, key: 'f0' } },
    ]);
    expect(enrolled(captions, { rule: WITHOUT })).toEqual([undefined]);
    // Too small, or two of them: it is unclear who is meant.
    expect(enrolled(captions, { face: { size: 100, sharpness: 60 } })).toEqual([undefined]);
    expect(enrolled(captions, { faces: 2 })).toEqual([undefined]);
    expect(enrolled([...captions, { text: 'Alan Turing', from: 4, to: 11, y: 0.7 }])).toEqual([undefined, undefined]);
  });

  it('do not depend on where the film is cut', () => {
    const caption = fc.record({
      text: fc.constantFrom('Ada Lovelace', 'Alan Turing', 'Breaking News'),
      from: fc.nat(39),
      length: fc.nat(12),
    });
    fc.assert(
      fc.property(
        fc.array(caption, { maxLength: 4 }),
        fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 1 }),
        (all, sizes) => {
          const captions = all.map(({ text, from, length }) => ({ text, from, to: from + length }));
          const bare = (segments: Segment[]) =>
            segments.map(({ label, frameStart, frameEnd, detections }) => [
              label,
              frameStart,
              frameEnd,
              detections.length,
            ]);
          expect(bare(folded(captions, { sizes }))).toEqual(bare(folded(captions)));
        },
      ),
      { numRuns: 60 },
    );
  });
});
