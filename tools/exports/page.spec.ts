import { describe, expect, it } from '@jest/globals';
import { pageOf, rowOf } from './page.mjs';

const MADE = { name: 'some-net', by: 'torch', version: '2.15.0', model: 'Net | of mine', answers: {}, expected: {} };
const IMAGENET = { mean: [123.675, 116.28, 103.53], std: [58.395, 57.12, 57.375] };
const INPUT = { width: 8, height: 6, colour: 'rgb', resize: 'crop', filter: 'bicubic', shorterSide: 9, ...IMAGENET };
const inspected = (input: object) => ({
  outline: { opsets: { '': 17 } },
  proposal: { family: 'classifier', decoding: 'softmax', input },
});
const seen = (input: object, refused: string | null = null) => ({
  ...{ inspection: inspected(input), manifest: null, asked: ['colour'], refused, found: [] },
});
const SCORES = { kind: 'scores', compared: 3, overlap: null, difference: 0.00012, missed: 0 };

describe('the page of exports', () => {
  it('has a line for each, and what was counted above them', () => {
    const rows = [rowOf(MADE, seen(INPUT), SCORES, 'agrees'), rowOf(MADE, seen(INPUT), SCORES, 'unlike')];
    const page = pageOf(rows);
    expect(page).toContain('2 exports of 1 exporters: 1 agree, 0 are refused by name, 1 differ.');
    expect(page).toContain(
      "| torch 2.15.0 | Net \\| of mine | 17 | classifier, softmax | 8×6 rgb, crop bicubic of 9, ImageNet's | colour | agrees | probability 0.0001 |",
    );
  });

  it('says what the values of a picture become', () => {
    const pixels = (mean: number[] | null, std: number[] | null) =>
      rowOf(MADE, seen({ ...INPUT, mean, std }), SCORES, 'agrees')
        .pixels.split(', ')
        .at(-1);
    expect(pixels([0, 0, 0], [255, 255, 255])).toBe('0..1');
    expect(pixels([127.5, 127.5, 127.5], [127.5, 127.5, 127.5])).toBe('−1..1');
    expect(pixels([1, 2, 3], [4, 4, 4])).toBe('(x − 1/2/3) / 4');
    expect(pixels(null, null)).toBe('?');
  });

  it('says below the table why one is refused, to the last word', () => {
    const sentence = `It takes ${'a second input, '.repeat(30)}which jobs have nothing for.`;
    const page = pageOf([rowOf(MADE, seen(INPUT, sentence), null, 'refused')]);
    const [table, refusals] = page.split('## Refused');
    expect(refusals?.replaceAll('\n  ', ' ')).toContain(`- torch 2.15.0, Net | of mine: ${sentence}`);
    expect(Math.max(...(refusals ?? '').split('\n').map((line) => line.length))).toBeLessThanOrEqual(140);
    expect(table).not.toContain(sentence);
  });
});
