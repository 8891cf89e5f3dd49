import { describe, expect, it } from '@jest/globals';
import { faceFold, observe, unit } from './testing/scenes.js';
import { ANN, BOB, EVE, TEAM, brief } from './testing/cast.js';

describe('faces on pictures', () => {
  const image = { kind: 'image', format: 'jpeg', width: 800, height: 600 } as const;

  it("give a segment each, numbered by the picture's index in the job", () => {
    const fold = faceFold({}, TEAM);
    const observations = {
      faces: observe(
        [
          { person: BOB, samples: [0] },
          { person: EVE, samples: [0], x: 0.5 },
        ],
        0,
        0,
        2,
      ),
    };
    const context = { sourceIndex: null, facts: image };
    const step = fold.fold(fold.start(context), { unit: unit(image, 6), observations });
    expect(brief(step.segments)).toEqual([
      ['Bob', 0, 0],
      ['unknown', 0, 0],
    ]);
    for (const segment of step.segments) {
      expect(segment).toMatchObject({ sourceIndex: 6, frameStart: 6, frameEnd: 6 });
      expect(segment.detections).toHaveLength(1);
      expect(segment.detections[0]?.frame_index).toBe(6);
      expect(Object.keys(segment.meta)).not.toContain('mean_distance');
    }
    expect(fold.close(step.state)).toEqual({ segments: [], summaries: [] });
  });
});

describe('faces of one picture', () => {
  const image = { kind: 'image', format: 'jpeg', width: 640, height: 480 } as const;
  const inPicture = (people: number[], args = {}) => {
    const fold = faceFold(args, TEAM);
    const actors = people.map((person, place) => ({ person, samples: [0], x: place * 0.2 }));
    const context = { sourceIndex: null, facts: image };
    const observations = { faces: observe(actors, 0, 0, 2) };
    return fold.fold(fold.start(context), { unit: unit(image, 6), observations }).segments;
  };

  it('never share a name: the nearer one gets it, the other its next candidate, or is unknown', () => {
    const alone = inPicture([ANN])[0];
    const twice = inPicture([ANN, BOB, ANN], { enable_top_k: true, top_k: 2 });
    expect(twice.map(({ label }) => label).sort()).toEqual(['Ann', 'Bob', 'unknown']);
    expect(twice.find(({ label }) => label === 'Ann')?.meta['distance']).toBe(alone?.meta['distance']);
    const unknownFace = twice.find(({ label }) => label === 'unknown');
    // Nobody who is another face of the picture.
    expect(unknownFace?.meta['closest_person']).toBeNull();
    expect(unknownFace?.meta['top_k']).toEqual([]);
  });

  it('claim identities of their own', () => {
    const claims = inPicture([EVE, EVE], { cluster_unknowns: true }).map(({ claim }) => claim?.apart);
    expect(claims).toEqual(['picture 6/6', 'picture 6/6']);
  });
});
