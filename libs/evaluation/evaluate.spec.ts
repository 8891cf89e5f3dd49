import { describe, expect, it } from '@jest/globals';
import { evaluate, type Evaluating, type Predicted } from './evaluate.js';
import type { LabelledBox, LabelledPicture } from './labelled-set.js';

const half = { x: 0, y: 0, w: 0.5, h: 0.5 };
const seen = (label: string, score = 0.9, box: typeof half | null = half) => ({ label, score, box });
const answer = (...found: Predicted['found']): Predicted => ({ width: 200, height: 100, found });
const drawn = (label: string): LabelledBox => ({ label, bbox: [0, 0, 100, 50], isCrowd: false });
const picture = (name: string, labels: string[], boxes: LabelledBox[] | null = null): LabelledPicture => ({
  ...{ name, labels, boxes, size: null, place: { path: name } },
});
const setOf = (pictures: LabelledPicture[], labels: string[]) => ({ title: 'photos', pictures, labels, missing: [] });
const evaluated = (given: Partial<Evaluating>, ...answers: Evaluating['versions'][number]['answers'][]) =>
  evaluate({
    ...{ model: 'helmets', kind: 'detector', threshold: 0.5, time: '', labels: ['Helmet', 'vest'] },
    set: setOf([], []),
    versions: answers.map((each, at) => ({ version: at + 1, isInUse: at === 1, answers: each })),
    ...given,
  });

describe('an evaluation', () => {
  it('of boxes takes pixels of the picture or of its list, and labels in any case', () => {
    const large = { ...picture('b.jpg', ['helmet'], [{ label: 'helmet', bbox: [0, 0, 500, 500], isCrowd: false }]) };
    const pictures = [
      picture('a.jpg', ['helmet'], [drawn('helmet')]),
      { ...large, size: { width: 1000, height: 1000 } },
    ];
    const set = setOf(pictures, ['helmet']);
    const { versions } = evaluated({ set }, [answer(seen('Helmet')), answer(seen('Helmet'))]);
    expect(versions[0]?.figures).toMatchObject({
      map: 1,
      map50: 1,
      labelled: 2,
      labels: [{ label: 'helmet', labelled: 2 }],
    });
  });

  it('skips labels that no version knows, with their counts, and findings of unlabelled kinds', () => {
    const boxes = [drawn('helmet'), drawn('boot'), drawn('boot')];
    const set = setOf([picture('a.jpg', ['helmet', 'boot'], boxes)], ['helmet', 'boot']);
    const answers = [answer(seen('helmet'), seen('person'))];
    const { versions, leftOut } = evaluated({ set }, answers);
    expect(leftOut.unknownLabels).toEqual([{ label: 'boot', count: 2 }]);
    expect(versions[0]?.figures).toMatchObject({ map50: 1, labelled: 1, at: { precision: 1, recall: 1 } });
    // A version that declares a label knows it, though the labels are those of another.
    const both = evaluated({ set }, [answer(seen('boot'))], answers);
    expect(both.leftOut.unknownLabels).toEqual([]);
    expect(both.versions.map(({ figures }) => figures.at.recall)).toEqual([1 / 3, 1 / 3]);
  });

  it('of whole pictures takes the surest label, and pictures of one label', () => {
    const pictures = [
      picture('a.jpg', ['vest']),
      picture('b.jpg', ['vest', 'helmet']),
      picture('c.jpg', ['VEST', 'boot']),
      picture('d.jpg', []),
    ];
    const answers = pictures.map(() => answer(seen('helmet', 0.3, null), seen('vest', 0.6, null)));
    const { versions, leftOut } = evaluated(
      { kind: 'classifier', set: setOf(pictures, ['vest', 'helmet', 'boot']) },
      answers,
    );
    expect(versions[0]?.figures).toMatchObject({ pictures: 2, accuracy: 1, labels: [{ label: 'vest', labelled: 2 }] });
    expect(leftOut.ambiguous).toEqual(['b.jpg']);
  });

  it('uses the pictures that all versions could analyse', () => {
    const pictures = ['a.jpg', 'b.jpg'].map((name) => picture(name, ['vest']));
    const [right, wrong] = [answer(seen('vest')), answer(seen('helmet'))];
    const set = setOf(pictures, ['vest']);
    const { versions, leftOut } = evaluated({ kind: 'classifier', set }, [right, { problem: 'torn' }], [wrong, right]);
    expect(versions.map(({ figures }) => [figures.pictures, figures.accuracy])).toEqual([
      [1, 1],
      [1, 0],
    ]);
    expect(leftOut.unreadable).toEqual([{ name: 'b.jpg', message: 'torn' }]);
  });

  it('is refused where nothing can be evaluated', () => {
    const set = setOf([picture('a.jpg', ['boot']), picture('b.jpg', ['boot'])], ['boot']);
    expect(() => evaluated({ kind: 'classifier', set }, [answer(), answer()])).toThrow(
      'helmets knows none of the labels of photos: boot (2). It knows Helmet, vest.',
    );
    const torn = [{ problem: 'It is no picture.' }, { problem: 'It is no picture.' }];
    expect(() => evaluated({ kind: 'classifier', set, labels: null }, torn)).toThrow(
      'None of the 2 pictures of photos can be judged: a.jpg: It is no picture.',
    );
  });
});
