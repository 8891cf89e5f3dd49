import { describe, expect, it } from '@jest/globals';
import { DEFAULT_LIMITS } from './cluster-faces.js';
import { fitFaceHead, type TrainedClass } from './face-head.js';

type ClassImage = TrainedClass['images'][number];

const DIMENSIONS = 128;
const network = { name: 'face-embedding', digest: 'e'.repeat(64) };

/** Deterministic random numbers (mulberry32). */
function randoms(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

function gaussian(random: () => number): number {
  return Math.sqrt(-2 * Math.log(random() || 1e-9)) * Math.cos(2 * Math.PI * random());
}

const direction = (random: () => number): number[] => Array.from({ length: DIMENSIONS }, () => gaussian(random));

/** A view of a person, with a cosine of about 0.65 to another view, as photos have. */
function view(person: number[], random: () => number, id: string): ClassImage {
  const noise = direction(random);
  const sum = person.map((value, index) => value + 0.73 * (noise[index] as number));
  const length = Math.hypot(...sum);
  const embedding = Buffer.from(Float32Array.from(sum, (value) => value / length).buffer).toString('base64');
  const face = { size: 200, sharpness: 90, yaw: 0, pitch: 0, roll: 0, female: 0.5, embedding };
  return { id, digest: id, inference: { network, faces: [face] } };
}

/** 40 people with 10 photos each; every second one has a photo of somebody else. */
function people(): { classes: TrainedClass[]; planted: string[] } {
  const random = randoms(7);
  const persons = Array.from({ length: 40 }, () => direction(random));
  const planted: string[] = [];
  const classes = persons.map((person, at) => {
    const images = Array.from({ length: 10 }, (_, n) => {
      const isOther = at % 2 === 0 && n === 4;
      if (isOther) planted.push(`${at}-${n}`);
      return view(isOther ? (persons[(at + 7) % 40] as number[]) : person, random, `${at}-${n}`);
    });
    return { id: `class ${at}`, label: `person ${at}`, images };
  });
  return { classes, planted };
}

describe('a face model head', () => {
  it('omits and lists the planted photos, and names held-out ones', () => {
    const { classes, planted } = people();
    const head = fitFaceHead(classes, DEFAULT_LIMITS);
    expect(head?.report.left_out.map(({ image_id: id }) => id).sort()).toEqual(planted.sort());
    expect(head?.report).toMatchObject({ number_of_classes: 40, number_of_images: 380, held_out: 40, named_wrong: 0 });
    expect(head?.report).toMatchObject({ unseen: 380, unseen_named: expect.any(Number) });
    expect(head?.report.unseen_named).toBeLessThan(4);
    expect(head?.report.closest_pairs).toHaveLength(10);
    expect(head?.report.named_right).toBeGreaterThan(35);
    for (const { centres } of head?.classes ?? []) expect(centres.length).toBeLessThanOrEqual(8);
  });

  it('is not tightened by a person listed under two names, which its report lists', () => {
    const { classes } = people();
    const random = randoms(19);
    const twice = direction(random);
    const named = (id: string) => ({ id, label: id, images: [1, 2, 3].map((n) => view(twice, random, `${id}${n}`)) });
    const alone = fitFaceHead(classes, DEFAULT_LIMITS);
    const head = fitFaceHead([...classes, named('x'), named('y')], DEFAULT_LIMITS);
    expect(head?.report.threshold).toBe(alone?.report.threshold);
    expect(head?.report.closest_pairs?.[0]).toMatchObject({ class_id: 'x', other_class_id: 'y' });
  });

  it('is reproducible for the same photos', () => {
    const [first, second] = [people(), people()].map(({ classes }) => fitFaceHead(classes, DEFAULT_LIMITS));
    expect(first).toEqual(second);
  });

  it('is null without a face, and stops on abort', () => {
    const empty = [{ id: 'a', label: 'a', images: [{ id: 'x', digest: null, inference: null }] }];
    expect(fitFaceHead(empty, DEFAULT_LIMITS)).toBeNull();
    const stop = (): void => {
      throw new Error('stopped');
    };
    expect(() => fitFaceHead(people().classes, DEFAULT_LIMITS, stop)).toThrow('stopped');
  });
});
