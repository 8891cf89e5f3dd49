import { describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import { decodeEmbedding, distanceOf, dot, encodeEmbedding, normalised, similarityOf } from './embedding.js';
import type { Gallery } from './gallery.js';
import { Matcher } from './match.js';
import { randomOf } from '@adit/testing';
import { DIMENSIONS, galleryOf, viewOf } from '../face_recognition/testing/scenes.js';

describe('distance and similarity', () => {
  it('are ‖a − b‖ and the cosine, within their ranges', () => {
    fc.assert(
      fc.property(fc.double({ min: -1.001, max: 1.001, noNaN: true }), (cosine) => {
        const distance = distanceOf(cosine);
        expect(distance).toBeGreaterThanOrEqual(0);
        expect(distance).toBeLessThanOrEqual(2);
        expect(similarityOf(distance)).toBeCloseTo(Math.min(1, Math.max(0, cosine)), 9);
      }),
    );
    const [a, b] = [viewOf(1, 1).vector, viewOf(2, 1).vector];
    const euclidean = Math.sqrt(a.reduce((sum, value, index) => sum + (value - (b[index] as number)) ** 2, 0));
    expect(distanceOf(a.reduce((sum, value, index) => sum + value * (b[index] as number), 0))).toBeCloseTo(
      euclidean,
      5,
    );
  });

  it('of embeddings survive storing', () => {
    const { vector } = viewOf(3, 3);
    expect(decodeEmbedding(encodeEmbedding(vector))).toEqual(vector);
    expect(encodeEmbedding([1, -2])).toBe('AACAPwAAAMA=');
    expect(() => decodeEmbedding('AAA=')).toThrow(/2 bytes/);
  });
});

describe('matching', () => {
  it('finds the nearest people as an exhaustive search over every row does', () => {
    const galleries = [galleryOf('team', { Ann: 1, Bob: 2, Cem: 3 }), galleryOf('cast', { Dan: 4, Eve: 5 }, false)];
    const matcher = new Matcher(galleries);
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 7 }), fc.nat(50), fc.integer({ min: 1, max: 7 }), (person, seed, k) => {
        const query = viewOf(person, seed).vector;
        const plain = new Map<string, number>();
        for (const gallery of galleries) {
          gallery.rows.forEach((index, row) => {
            const vector = gallery.vectors.subarray(row * DIMENSIONS, (row + 1) * DIMENSIONS);
            const distance = Math.hypot(...vector.map((value, at) => value - (query[at] as number)));
            const label = gallery.classes[index]?.label ?? '';
            plain.set(label, Math.min(plain.get(label) ?? 2, distance));
          });
        }
        const expected = [...plain].sort(([, a], [, b]) => a - b).slice(0, k);
        const found = matcher.nearest(query, k);
        expect(found.map((match) => matcher.persons[match.person]?.label)).toEqual(expected.map(([label]) => label));
        found.forEach((match, index) => {
          expect(match.distance).toBeCloseTo(expected[index]?.[1] as number, 4);
          expect(matcher.distanceTo(query, match.person)).toBeCloseTo(match.distance, 5);
        });
      }),
      { numRuns: 60 },
    );
  });

  it('takes one label of two galleries for one person, and two of one gallery for two', () => {
    const [own, shared] = [galleryOf('team', { Ann: 1 }), galleryOf('cast', { Ann: 6, Dan: 4 }, false)];
    const twins = { ...galleryOf('twins', { Bob: 2, Bo: 3 }) };
    twins.classes = twins.classes.map((member) => ({ ...member, label: 'Bob' }));
    const matcher = new Matcher([shared, own, twins]);
    expect(matcher.persons.map(({ label }) => label)).toEqual(['Ann', 'Dan', 'Bob', 'Bob']);
    expect(matcher.persons[0]?.classId).toBe(own.classes[0]?.id);
    expect(matcher.nearest(viewOf(1, 9).vector, 1)[0]?.person).toBe(0);
    expect(matcher.nearest(viewOf(6, 9).vector, 1)[0]?.person).toBe(0);
  });

  it('finds nobody without a gallery', () => {
    expect(new Matcher([]).nearest(viewOf(1, 1).vector, 3)).toEqual([]);
  });

  it('refuses embeddings of another network', () => {
    const other: Gallery = { ...galleryOf('old', {}), dimensions: 128 };
    expect(() => new Matcher([galleryOf('team', { Ann: 1 }), other])).toThrow(/old was built for another network/);
    expect(() => new Matcher([other]).nearest(viewOf(1, 1).vector, 1)).toThrow(/512 values and the gallery holds 128/);
  });

  it('finds one of 20,000 people', async () => {
    const [people, perPerson] = [20_000, 2];
    const random = randomOf(5);
    const vectors = new Float32Array(people * perPerson * DIMENSIONS);
    const block = 100 * DIMENSIONS;
    for (let index = 0; index < block; index += 1) vectors[index] = (random() - 0.5) * 0.15;
    for (let at = block; at < vectors.length; at += block) vectors.copyWithin(at, 0, block);
    const target = viewOf(1, 1).vector;
    vectors.set(target, 33_333 * DIMENSIONS);
    const galleries = [
      {
        ...galleryOf('celebrities', {}, false),
        classes: Array.from({ length: people }, (_, index) => ({ id: '', label: `Person ${index}`, images: 2 })),
        rows: Array.from({ length: people * perPerson }, (_, row) => Math.floor(row / perPerson)),
        vectors,
      },
    ];
    const matcher = new Matcher(galleries);
    const [nearest] = matcher.nearest(target, 10);
    expect(matcher.persons[nearest?.person as number]?.label).toBe('Person 16666');

    /** @hardening overload: A search of a large gallery holds the event loop */
    // Ten faces of a picture, searched ahead: the event loop runs meanwhile, and the call itself no longer searches.
    const faces = Array.from({ length: 10 }, (_, at) => viewOf(at + 1, 3).vector);
    const expected = faces.map((face) => matcher.nearest(face, 3));
    let turns = 0;
    let over = false;
    const count = (): void => {
      turns += 1;
      if (!over) setImmediate(count);
    };
    setImmediate(count);
    let calls = 0;
    const call = () => {
      calls += 1;
      // The second search depends on the first result.
      const found = matcher.nearest(faces[0]!, 3);
      return found.length === 0 ? [found] : [found, ...faces.slice(1).map((face) => matcher.nearest(face, 3))];
    };
    // A clock by which each step takes its whole slice, so that every search yields.
    let clock = 0;
    const now = jest.spyOn(performance, 'now').mockImplementation(() => (clock += 10));
    await matcher.prepare(call);
    now.mockRestore();
    over = true;
    expect(calls).toBe(3);
    expect(turns).toBeGreaterThanOrEqual(2 * faces.length);
    expect(call()).toEqual(expected);
  });

  it('finds the same people as an exhaustive search among many people with many photos', () => {
    const [people, photos, asked] = [1_100, 4, 40];
    const random = randomOf(7);
    const unit = () => normalised(Float32Array.from({ length: DIMENSIONS }, () => random() - 0.5))!;
    const similarTo = (face: Float32Array, cosine: number) => {
      const side = unit();
      return normalised(face.map((value, at) => cosine * value + Math.sqrt(1 - cosine ** 2) * side[at]!))!;
    };
    const faces = Array.from({ length: people }, unit);
    const vectors = new Float32Array(people * photos * DIMENSIONS);
    for (let row = 0; row < people * photos; row += 1) {
      // The last photo of everybody shows a face unlike the others.
      const shown = row % photos === photos - 1 ? unit() : similarTo(faces[Math.floor(row / photos)]!, 0.78);
      vectors.set(shown, row * DIMENSIONS);
    }
    const rows = Array.from({ length: people * photos }, (_, row) => Math.floor(row / photos));
    const classes = faces.map((_, index) => ({ id: '', label: `Person ${index}`, images: photos }));
    const matcher = new Matcher([{ ...galleryOf('many', {}, false), classes, rows, vectors }]);
    const plain = (query: Float32Array): number => {
      const cosines = rows.map((_, row) => dot(query, vectors.subarray(row * DIMENSIONS, (row + 1) * DIMENSIONS)));
      return rows[cosines.indexOf(cosines.reduce((most, cosine) => (cosine > most ? cosine : most)))]!;
    };
    const odd = vectors.subarray(7 * DIMENSIONS, 8 * DIMENSIONS);
    expect(matcher.nearest(similarTo(odd, 0.8), 1)[0]?.person).toBe(1);
    let found = 0;
    for (let at = 0; at < asked; at += 1) {
      const query = similarTo(faces[at * 27]!, 0.55);
      if (matcher.nearest(query, 1)[0]?.person === plain(query)) found += 1;
    }
    expect(found).toBe(asked);
    const nearest = matcher.nearest(faces[3]!, 10);
    expect(nearest).toHaveLength(10);
    for (const { person, distance } of nearest) expect(matcher.distanceTo(faces[3]!, person)).toBeCloseTo(distance, 6);
  });

  it('finds the requested number of people, also beside one with many dissimilar photos', () => {
    const random = randomOf(8);
    const unit = () => normalised(Float32Array.from({ length: DIMENSIONS }, () => random() - 0.5))!;
    const [others, photos] = [4_000, 200];
    const query = unit();
    const vectors = new Float32Array((others + photos) * DIMENSIONS);
    for (let row = 0; row < others + photos; row += 1) {
      const side = unit();
      const shown = row < others ? side : normalised(side.map((value, at) => 0.55 * query[at]! + 0.835 * value))!;
      vectors.set(shown, row * DIMENSIONS);
    }
    const rows = Array.from({ length: others + photos }, (_, row) => Math.min(row, others));
    const classes = Array.from({ length: others + 1 }, (_, index) => ({ id: '', label: `Person ${index}`, images: 1 }));
    const matcher = new Matcher([{ ...galleryOf('many', {}, false), classes, rows, vectors }]);
    const nearest = matcher.nearest(query, 3);
    expect(nearest.map(({ person }) => person)).toEqual([others, expect.any(Number), expect.any(Number)]);
    expect(new Set(nearest.map(({ person }) => person)).size).toBe(3);
  });
});
