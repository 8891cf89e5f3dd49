import { describe, expect, it } from '@jest/globals';
import { SeenImages, type Head } from './head.js';
import { PlaceHead } from './place-head.js';

const network = { name: 'image-embedding', digest: 'e'.repeat(64) };

/** A direction between the axis of its place and one of its own, with `cosine` to the first. */
function view(axis: number, own: number, cosine = 0.9): Float32Array {
  const vector = new Float32Array(64);
  vector[axis] = cosine;
  vector[own] = Math.sqrt(1 - cosine ** 2);
  return vector;
}

interface Place {
  id: string;
  label: string;
  images: { id: string; digest: string | null; inference: { network: typeof network; vector: Float32Array } | null }[];
}

function place(id: string, vectors: (Float32Array | null)[], of = network): Place {
  const images = vectors.map((vector, at) => ({
    ...{ id: `${id}${at}`, digest: `${id}${at}` },
    inference: vector === null ? null : { network: of, vector },
  }));
  return { id, label: id.toUpperCase(), images };
}

function headOf(places: Place[]): Head | null {
  const seen = new SeenImages<NonNullable<Place['images'][number]['inference']>>(
    (inference) => inference?.vector ?? 'unreadable',
  );
  const making = new PlaceHead();
  for (const { images, ...one } of places) {
    making.add(
      one,
      images.map(({ inference, ...image }) => ({ ...image, seen: seen.of(inference) })),
    );
  }
  return making.head();
}

describe('a landmark model head', () => {
  const tower = place('a', [view(0, 10), view(0, 11), view(0, 12), view(1, 13), null]);
  const bridge = place('b', [view(1, 20), view(1, 21), view(1, 22), view(30, 31)]);

  it('keeps dissimilar views, and omits those of another landmark', () => {
    const head = headOf([tower, bridge]);
    expect(head?.report.left_out).toEqual([
      { class_id: 'a', image_id: 'a4', reason: 'unreadable' },
      { class_id: 'a', image_id: 'a3', reason: 'another_place' },
    ]);
    expect(head?.classes.map(({ id, centres }) => [id, centres.length])).toEqual([
      ['a', 4],
      ['b', 5],
    ]);
  });

  it('counts a duplicate photo of a class once, and names the copies', () => {
    const withCopies = (one: Place, ...copies: { id: string; digest: string | null }[]): Place => {
      return { ...one, images: [...one.images, ...copies.map((copy) => ({ ...one.images[0]!, ...copy }))] };
    };
    const alone = headOf([tower, bridge]);
    const head = headOf([
      withCopies(tower, { id: 'again', digest: 'a0' }, { id: 'once more', digest: 'a0' }),
      // Unknown files, and a duplicate in another class: neither is a copy within its own.
      withCopies(bridge, ...['x', 'y'].map((id) => ({ id, digest: null })), { id: 'elsewhere', digest: 'a0' }),
    ]);
    expect(head?.report.left_out.filter(({ reason }) => reason === 'duplicate')).toEqual(
      ['again', 'once more'].map((id) => ({ class_id: 'a', image_id: id, reason: 'duplicate' })),
    );
    expect(head?.report.number_of_images).toBe(alone!.report.number_of_images + 3);
  });

  it('rejects unseen landmarks, and is reproducible', () => {
    const head = headOf([tower, bridge]);
    expect(head?.report).toMatchObject({ unseen: 7, unseen_named: 0, threshold: 1 });
    expect(headOf([tower, bridge])).toEqual(head);
  });

  it('rejects at a smaller distance where two landmarks are similar, and reports which', () => {
    const [left, right] = [view(0, 1, 0.8), view(0, 2, 0.8)];
    const head = headOf([place('c', [left]), place('d', [right]), place('e', [view(5, 6)])]);
    // Their cosine is 0.64: a distance of 0.85, less the margin.
    expect(head?.report.threshold).toBeCloseTo(Math.sqrt(2 - 2 * 0.66), 3);
    expect(head?.report.closest_pairs?.[0]).toEqual({
      ...{ class_id: 'c', other_class_id: 'd', confused: 0, distance: 0.8485 },
    });
    // In a head with only one of the two, the other gets its name, and the report says so.
    expect(head?.report).toMatchObject({ unseen: 3, unseen_named: 2 });
  });

  it('rejects midway between other landmarks and the views of one', () => {
    const [near, far] = [view(0, 1, 0.95), view(0, 2, 0.95)];
    const like = (own: number): Float32Array => view(own, 2, 0.8);
    const head = headOf([place('c', [near, far]), place('d', [like(5), like(5)])]);
    const [worst, own] = [Math.sqrt(1 - 0.95 ** 2) * 0.6, 0.95 ** 2];
    expect(head?.report.threshold).toBeCloseTo(Math.sqrt(2 - (worst + own)), 3);
  });

  it('ignores results of another network, and is null without a picture', () => {
    const older = place('f', [view(0, 1)], { ...network, digest: 'f'.repeat(64) });
    const head = headOf([tower, older]);
    expect(head?.report.left_out).toContainEqual({ class_id: 'f', image_id: 'f0', reason: 'unreadable' });
    expect(headOf([place('g', [null])])).toBeNull();
  });
});
