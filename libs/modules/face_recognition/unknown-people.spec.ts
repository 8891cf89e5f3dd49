import { describe, expect, it } from '@jest/globals';
import type { Segment } from '@adit/module-kit';
import { faceFold, foldFilm, range } from './testing/scenes.js';
import { ANN, EVE, FAY, TEAM, brief } from './testing/cast.js';

describe('unknown people', () => {
  it('are unknown with their nearest person, one segment each', () => {
    const actors = [
      { person: EVE, samples: range(0, 30) },
      { person: FAY, samples: range(0, 30), x: 0.6 },
    ];
    const { segments } = foldFilm(faceFold({}, TEAM), actors, { last: 40, sizes: [9] });
    expect(brief(segments)).toEqual([
      ['unknown', 0, 15],
      ['unknown', 0, 15],
    ]);
    for (const { meta } of segments) {
      expect(meta).toMatchObject({ person: 'unknown', class_id: null, indexed_identity: null });
      expect(['Ann', 'Bob']).toContain(meta['closest_person']);
      expect(meta['distance']).toBeGreaterThan(1.2);
    }
  });

  it('have no nearest person without a gallery', () => {
    const { segments } = foldFilm(faceFold({ enable_top_k: true }), [{ person: EVE, samples: range(0, 9) }], {
      last: 30,
    });
    expect(segments).toHaveLength(1);
    expect(segments[0]?.meta).toEqual({
      person: 'unknown',
      class_id: null,
      closest_person: null,
      similarity: 0,
      distance: 2,
      mean_similarity: 0,
      mean_distance: 2,
      indexed_identity: null,
      top_k: [],
    });
  });

  it('continue after a short absence elsewhere in the picture, by their face', () => {
    const actors = [
      { person: EVE, samples: range(0, 10) },
      { person: EVE, samples: range(13, 20), x: 0.7 },
    ];
    expect(brief(foldFilm(faceFold({}), actors, { last: 40 }).segments)).toEqual([['unknown', 0, 10]]);
  });

  it('are two when the picture cuts from one to the other in the same place', () => {
    const actors = [
      { person: EVE, samples: range(0, 19) },
      { person: FAY, samples: range(20, 40) },
    ];
    const expected = [
      ['unknown', 0, 9.52],
      ['unknown', 10, 20],
    ];
    expect(brief(foldFilm(faceFold({}), actors, { last: 60, sizes: [20] }).segments)).toEqual(expected);
    expect(brief(foldFilm(faceFold({}), actors, { last: 60, sizes: [61] }).segments)).toEqual(expected);
  });

  it('appear twice in one picture as two, as in a mirror', () => {
    const actors = [
      { person: EVE, samples: range(0, 20) },
      { person: EVE, samples: range(10, 30), x: 0.7 },
    ];
    expect(brief(foldFilm(faceFold({}), actors, { last: 50 }).segments)).toEqual([
      ['unknown', 0, 10],
      ['unknown', 5, 15],
    ]);
  });

  it('too small to embed are followed by position alone', () => {
    const small = { person: EVE, samples: range(0, 30), size: 24, views: 0 };
    const tiny = { person: ANN, samples: range(0, 30), size: 20, views: 0, x: 0.6 };
    const { segments } = foldFilm(faceFold({ cluster_unknowns: true }, TEAM), [small, tiny], { last: 50, sizes: [4] });
    expect(brief(segments)).toEqual([
      ['unknown', 0, 15],
      ['unknown', 0, 15],
    ]);
    for (const segment of segments) {
      expect(segment.meta).toMatchObject({ closest_person: null, similarity: 0, distance: 2 });
      expect(segment.claim).toBeUndefined();
    }
  });

  it('claim a cluster on request, known people never', () => {
    const actors = [
      { person: EVE, samples: range(0, 9) },
      { person: ANN, samples: range(0, 9), x: 0.6 },
    ];
    const { segments } = foldFilm(faceFold({ cluster_unknowns: true }, TEAM), actors, { last: 30 });
    const [known, unknown] = segments as [Segment, Segment];
    expect(known.claim).toBeUndefined();
    expect(unknown.claim).toMatchObject({ collection: 'unknowns', maxDistance: 1 });
    const indexing = faceFold({ index_unknowns: true, cluster_unknowns: true, index_collection: 'archive' }, TEAM);
    const [, indexed] = foldFilm(indexing, actors, { last: 30 }).segments as [Segment, Segment];
    expect(indexed.claim).toEqual({ ...unknown.claim, collection: 'archive', network: 'face-embedding' });
    const square = unknown.claim?.embedding.reduce((sum, value) => sum + value * value, 0);
    expect(square).toBeCloseTo(1, 4);
  });
});
