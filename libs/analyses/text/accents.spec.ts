import { floatTensor } from '@adit/inference';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { withAccents, type Reading } from './accents.js';
import { confidenceOf, greedyReading, textOf, type Letter } from './ctc.js';

const letters = (text: string, likelihood = 0.9): Letter[] =>
  Array.from(text, (character) => ({ character, likelihood }));
const reading = (text: string, known: string, likelihood = 0.9): Reading => ({
  letters: letters(text, likelihood),
  known: new Set(known + 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ '),
});

describe('a greedy reading', () => {
  it('is the text of its steps, each letter preceded by a separator or another letter', () => {
    const labels = ['', 'a', 'b', 'c'];
    const text = fc.array(fc.record({ output: fc.integer({ min: 1, max: 3 }), steps: fc.integer({ min: 1, max: 3 }) }));
    fc.assert(
      fc.property(text, (runs) => {
        const outputs = runs.flatMap(({ output, steps }) => [...Array<number>(steps).fill(output), 0]);
        const data = Float32Array.from(outputs.flatMap((best) => labels.map((_, i) => (i === best ? 0.75 : 0.05))));
        const read = greedyReading(floatTensor(data, [outputs.length, 4]), labels, 0);
        expect(textOf(read)).toBe(runs.map(({ output }) => labels[output]).join(''));
        expect(confidenceOf(read)).toBeCloseTo(runs.length === 0 ? 0 : 0.75, 5);
      }),
    );
  });

  it('refuses labels that do not match the outputs', () => {
    expect(() => greedyReading(floatTensor(new Float32Array(6), [2, 3]), ['', 'a'], 0)).toThrow(RangeError);
  });
});

describe('accents', () => {
  it('come from the recognisers that know them, against more that do not', () => {
    const merged = withAccents(letters('Vaclav Nemec'), [
      reading('Václav Němec', 'áěč', 0.95),
      reading('Vaclav Nemec', 'äöü', 0.8),
      reading('Vaclav Nemec', '', 0.8),
    ]);
    expect(textOf(merged)).toBe('Václav Němec');
  });

  it('are not taken from one recogniser when another that knows them sees none', () => {
    const merged = withAccents(letters('Jager'), [
      reading('Jäger', 'ä', 0.4),
      reading('Jager', 'ä'),
      reading('Jager', ''),
    ]);
    expect(textOf(merged)).toBe('Jager');
  });

  it('correct letters with strokes, and lost spaces', () => {
    const merged = withAccents(letters('WistawaGroBmann'), [
      reading('Wisława Großmann', 'łß'),
      reading('Wistawa Grofmann', ''),
    ]);
    expect(textOf(merged)).toBe('Wisława Großmann');
  });

  it('tell I from l by the majority of recognisers', () => {
    const merged = withAccents(letters("lda l'Isle"), [
      reading("Ida l'Isle", "'"),
      reading("Ida l'Isle", "'"),
      reading("lda l'lsle", "'"),
    ]);
    expect(textOf(merged)).toBe("Ida l'Isle");
  });

  it('leave a text unchanged that no recogniser agrees with', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'abcdefg'), maxLength: 20 }), (text) => {
        expect(textOf(withAccents(letters(text), [reading('xyz', 'ä'), reading('', '')]))).toBe(text);
      }),
    );
  });
});
