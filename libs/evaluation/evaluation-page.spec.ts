import { describe, expect, it } from '@jest/globals';
import type { Evaluation } from './evaluation.js';
import { evaluationPage } from './evaluation-page.js';
import { classifierFigures, detectorFigures, type Answer } from './figures.js';
import { checkSet, MAX_PICTURES } from './labelled-set.js';
import { shownFigures, shownLabels } from './shown-figures.js';

const HOSTILE = '<script>alert("x")</script>';
const answer = (label: string, said: string, score: number): Answer => ({ label, said: { label: said, score } });
const evaluation: Evaluation = {
  model: 'animals',
  kind: 'classifier',
  images: `photos & ${HOSTILE}`,
  time: '2026-11-29T15:00:00.000Z',
  threshold: 0.5,
  versions: [
    {
      version: 2,
      isInUse: false,
      figures: classifierFigures([answer('cat', HOSTILE, 0.9), answer('cat', 'cat', 0.8)], 0.5),
    },
    {
      version: 1,
      isInUse: true,
      figures: classifierFigures([answer('cat', 'cat', 0.9), answer('cat', 'cat', 0.4)], 0.5),
    },
  ],
  leftOut: {
    unknownLabels: [{ label: HOSTILE, count: 3 }],
    missing: [HOSTILE],
    unreadable: [{ name: 'torn.jpg', message: 'It is no picture.' }],
    ambiguous: [],
  },
};

describe('the tables of an evaluation', () => {
  it('have a column per version', () => {
    expect(shownFigures(evaluation)).toEqual({
      head: ['', 'Version 2', 'Version 1 (in use)'],
      rows: [
        ['Accuracy', '50 %', '100 %'],
        ['Precision at 50 %', '50 %', '100 %'],
        ['Recall at 50 %', '50 %', '50 %'],
        ['F1 at 50 %', '0.500', '0.667'],
        ['Highest F1', '0.500 at 0 %', '1.000 at 0 %'],
      ],
    });
    expect(shownLabels(evaluation)).toEqual({
      head: ['Label', 'Labelled', 'Recall', '… of 1', 'Precision'],
      rows: [
        ['cat', '2', '50 %', '50 %', '100 %'],
        [HOSTILE, '0', '–', '–', '0 %'],
      ],
    });
  });

  it("of a detector name COCO's measures", () => {
    const box = { x: 0, y: 0, w: 0.1, h: 0.1 };
    const picture = { truth: [{ label: 'cat', box, isCrowd: false }], found: [{ label: 'cat', box, score: 0.7 }] };
    const figures = detectorFigures([picture], 0.5);
    const found: Evaluation = { ...evaluation, kind: 'detector', versions: [{ version: 1, isInUse: true, figures }] };
    expect(shownFigures(found).rows.slice(0, 2)).toEqual([
      ['mAP, overlap of 0.5', '1.000'],
      ['mAP, overlaps of 0.5 to 0.95', '1.000'],
    ]);
    expect(shownLabels(found).rows).toEqual([['cat', '1', '1.000', '100 %', '100 %']]);
    expect(evaluationPage(found)).toContain('1 labelled boxes in 1 pictures');
  });
});

describe('the evaluation page', () => {
  const page = evaluationPage(evaluation);

  it('shows the figures, confusions, and skipped items', () => {
    for (const text of [
      'animals version 2',
      'beside version 1, which is in use',
      'Labels that the model does not know',
      'torn.jpg: It is no picture.',
    ]) {
      expect(page).toContain(text);
    }
    expect(page).toContain('<tr><td>cat</td><td>&lt;script&gt;alert(&quot;x&quot;)&lt;/script&gt;</td><td>1</td></tr>');
  });

  it('draws the curves of both versions', () => {
    const [svg = ''] = /<svg.*<\/svg>/s.exec(page) ?? [];
    expect(svg.match(/<path class="(precision|recall|f1)( other)?" d="M[\d. ML]+">/g)).toHaveLength(6);
    expect(svg).not.toContain('NaN');
    // Above the highest score there are no findings, so precision ends there and recall continues.
    const ends = (name: string) => Number(new RegExp(`class="${name}" d="[^"]*L([\\d.]+) [\\d.]+"`).exec(svg)?.[1]);
    expect(ends('precision')).toBeLessThan(ends('recall'));
  });

  it('is self-contained, and escapes all text', () => {
    expect(page).not.toContain('<script');
    expect(page.replace('http://www.w3.org/2000/svg', '')).not.toMatch(/https?:|src=|href=|@import|url\(/);
    expect(page).toContain("default-src 'none'");
  });
});

describe('an evaluation set', () => {
  it('with too many pictures is refused before any inference', () => {
    const one = { name: 'a.jpg', place: { path: 'a.jpg' }, labels: ['cat'], boxes: null, size: null };
    const many = {
      title: 'photos',
      labels: ['cat'],
      missing: [],
      pictures: Array.from({ length: MAX_PICTURES + 1 }, () => one),
    };
    expect(() => checkSet(many)).toThrow(
      `photos has ${MAX_PICTURES + 1} pictures; at most ${MAX_PICTURES} are evaluated.`,
    );
  });
});
