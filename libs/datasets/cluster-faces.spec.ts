import type { FaceClustering } from '@adit/contracts';
import { randomOf } from '@adit/testing';
import { describe, expect, it } from '@jest/globals';
import { ClassFaces, classFace, type ClassFace } from './cluster-faces.js';
import { cosine, type FaceInference, type InferredFace } from './inference.js';

const network = { name: 'face-embedding', digest: 'e'.repeat(64) };

function inferenceOf(vector: number[], changes: Partial<InferredFace> = {}): FaceInference {
  const length = Math.hypot(...vector);
  const embedding = Buffer.from(Float32Array.from(vector, (value) => value / length).buffer).toString('base64');
  return {
    network,
    faces: [{ size: 200, sharpness: 90, yaw: 0, pitch: 0, roll: 0, female: 0.5, embedding, ...changes }],
  };
}

/** Reference: the result of comparing all images of a class with all, twice. */
function comparedAnew(faces: readonly ClassFace[]): FaceClustering[] {
  const result = faces.map((face): FaceClustering => (typeof face === 'string' ? face : 'match'));
  const usable: { at: number; vector: Float32Array; digest: string | null }[] = [];
  for (const [at, face] of faces.entries()) {
    if (typeof face === 'string') continue;
    const { vector, digest } = face;
    const isKnown = usable.some(
      (other) => (digest !== null && digest === other.digest) || cosine(vector, other.vector) >= 0.97,
    );
    if (isKnown) result[at] = 'duplicate';
    else usable.push({ at, vector, digest });
  }
  const groupOf = usable.map((_, place) => place);
  for (const [place, { vector }] of usable.entries()) {
    for (let other = 0; other < place; other += 1) {
      if (groupOf[other] === groupOf[place] || cosine(vector, usable[other]!.vector) < 0.4) continue;
      const [from, to] = [groupOf[place], groupOf[other]!];
      groupOf.forEach((group, at) => {
        if (group === from) groupOf[at] = to;
      });
    }
  }
  const groups = [...new Set(groupOf)].map((group) =>
    groupOf.flatMap((each, place) => (each === group ? [place] : [])),
  );
  const [largest = []] = groups.sort((a, b) => b.length - a.length || a[0]! - b[0]!);
  if (usable.length > 2) {
    for (const [place, { at }] of usable.entries()) if (!largest.includes(place)) result[at] = 'outlier';
  }
  return result;
}

/** Images of a few people, some the same picture, some unusable; a person's links are sparse. */
function imagesBy(seed: number, count: number): ClassFace[] {
  const random = randomOf(seed);
  const direction = (): number[] => Array.from({ length: 16 }, () => random() - 0.5);
  const people = Array.from({ length: 1 + Math.floor(4 * random()) }, direction);
  const images: ClassFace[] = [];
  for (let at = 0; at < count; at += 1) {
    const before = images[Math.floor(random() * at)];
    if (random() < 0.1) images.push('no_face');
    else if (random() < 0.15 && before !== undefined) images.push(before);
    else {
      const person = people[Math.floor(random() * people.length)]!;
      const noise = 0.4 + 1.2 * random();
      const vector = person.map((value) => value + noise * (random() - 0.5));
      images.push(classFace(inferenceOf(vector), random() < 0.1 ? null : `${at}`));
    }
  }
  return images;
}

describe('images of a class', () => {
  it('have a reason when they are unusable', () => {
    const person = [1, 0, 0, 0];
    const views = [
      [1, 0.5, 0, 0],
      [1, 0, 0.5, 0],
      [1, 0, 0, 0.5],
    ];
    const two = { network, faces: [...inferenceOf(person).faces, ...inferenceOf(person).faces] };
    const inferences: [FaceInference | null, string | null][] = [
      ...views.map((vector, at): [FaceInference, string] => [inferenceOf(vector), `${at}`]),
      [inferenceOf(person, { size: 79 }), 'd'],
      [inferenceOf(person, { sharpness: 39 }), 'd'],
      [two, 'e'],
      // Another file of the same picture, and the same file, whatever was seen in it.
      [inferenceOf(views[1]!), 'g'],
      [inferenceOf(person), '1'],
      [null, null],
      [{ network, faces: [] }, 'i'],
    ];
    const faces = new ClassFaces();
    for (const [inference, digest] of inferences) faces.add(classFace(inference, digest));
    expect(faces.found().clusters).toEqual([
      ...[
        'match',
        'match',
        'match',
        'too_small',
        'too_blurred',
        'several_faces',
        'duplicate',
        'duplicate',
        'unreadable',
        'no_face',
      ],
    ]);
  });

  it('that arrive one by one give the same result as comparing all anew', () => {
    const seen = new Set<FaceClustering>();
    for (let seed = 1; seed <= 60; seed += 1) {
      const images = imagesBy(seed, 40);
      const growing = new ClassFaces();
      for (const [at, image] of images.entries()) {
        growing.add(image);
        const { clusters } = growing.found();
        expect(clusters).toEqual(comparedAnew(images.slice(0, at + 1)));
        for (const cluster of clusters) seen.add(cluster);
      }
    }
    expect([...seen].sort()).toEqual(['duplicate', 'match', 'no_face', 'outlier']);
  });

  it('are compared once with each before them', () => {
    const random = randomOf(3);
    const faces = new ClassFaces();
    for (let at = 0; at < 50; at += 1) {
      const before = faces.compared;
      faces.add(classFace(inferenceOf(Array.from({ length: 64 }, () => random() - 0.5)), `${at}`));
      expect(faces.compared - before).toBe(at);
    }
  });
});
