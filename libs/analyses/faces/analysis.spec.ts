/** @needs ffmpeg, weights */
import { describe, expect, it, jest } from '@jest/globals';
import { AditError } from '@adit/contracts';
import { modelsOf, type RgbImage } from '@adit/inference';
import { transcode } from '@adit/testing';
import faces from './analysis.js';
import { Bodies } from './bodies.js';
import { distance } from './embedding.js';
import type { FaceObservations } from './observations.js';
import { useFaceAnalysis, media, harness, photo, embeddingOf, single } from './testing/face-photos.js';

useFaceAnalysis();

describe('faces on photos', () => {
  // Counted by eye; none of these photos has a face in its background.
  it.each([
    ['sample1', 3],
    ['sample2', 3],
    ['sample3', 3],
    ['sample4', 4],
    ['sample5', 5],
    ['sample6', 4],
  ])('are all found in %s, without false ones: %i', async (name, count) => {
    const { tracks, sampled } = await photo(media.groups[name]!);
    expect(tracks).toHaveLength(count);
    expect(sampled).toEqual([{ frame: 0, time: 0 }]);
    for (const { sightings, views, female } of tracks) {
      expect(sightings).toHaveLength(1);
      expect(views).toHaveLength(1);
      expect(sightings[0]!.size).toBeGreaterThan(120);
      // Every person on these photos is a woman.
      expect(female).toBeGreaterThan(0.5);
    }
  });

  it('are found at small sizes in a large picture', async () => {
    const collage = await transcode('faces-collage.png', [
      ...['sample3', 'sample5', 'sample6', 'sample4'].flatMap((name) => ['-i', media.groups[name]!]),
      '-filter_complex',
      '[0]scale=-2:400[a];[1]scale=-2:400[b];[2]scale=-2:400[c];[3]scale=-2:400[d];' +
        '[a][b][c]hstack=3,crop=1600:400:0:0[top];[d]pad=1600:400:0:0[bottom];[top][bottom]vstack,pad=1920:1080',
      '-frames:v',
      '1',
    ]);
    const { tracks } = await photo(collage);
    // 3 + 5 + 4, less those of the third photo that the crop cuts off, + 4.
    const sizes = tracks.map((track) => track.sightings[0]!.size);
    expect(tracks.length).toBeGreaterThanOrEqual(15);
    expect(tracks.length).toBeLessThanOrEqual(16);
    expect(Math.max(...sizes)).toBeLessThan(80);
    for (const track of tracks) expect(track.views.length).toBe(track.sightings[0]!.size >= 24 ? 1 : 0);
  });

  it('that are in doubt are checked for a body, the 40 largest of a crowd, and dropped without one', async () => {
    const crowd = await transcode('crowd.png', [
      ...['sample4', 'sample5', 'sample6'].flatMap((name) => ['-i', media.groups[name]!]),
      '-filter_complex',
      '[0]scale=200:134[a];[1]scale=200:134[b];[2]scale=200:134[c];[a][b][c]hstack=3,loop=loop=5:size=1,tile=1x6',
      ...['-frames:v', '1'],
    ]);
    const all = (await photo(crowd)).tracks;
    expect(all.length).toBeGreaterThan(50);
    expect(all.flatMap(({ views }) => views)).toEqual([]);
    const asked = jest.spyOn(Bodies.prototype, 'isSeen').mockResolvedValue(false);
    const [{ tracks }] = (await harness.at(crowd)) as [FaceObservations];
    expect(asked).toHaveBeenCalledTimes(40);
    asked.mockRestore();
    const sizes = all.map(({ sightings: [sighting] }) => sighting!.size).sort((a, b) => b - a);
    expect(tracks.map(({ sightings: [sighting] }) => sighting!.size).sort((a, b) => b - a)).toEqual(sizes.slice(40));
  });

  it('are found next to larger ones', async () => {
    const head = (x: number, y: number, w: number) =>
      `crop=iw*0.125:ih*0.21:iw*${x}:ih*${y},scale=${w}:${Math.round(1.25 * w)}`;
    const pair = await transcode('cheek-to-cheek.png', [
      ...['-i', media.groups['sample6']!, '-filter_complex'],
      `color=gray:size=480x480[ground];[0]split[a][b];[a]${head(0.33, 0.19, 120)}[large];[b]${head(0.765, 0.16, 78)}[small];` +
        '[ground][large]overlay=180:160[one];[one][small]overlay=120:205',
      ...['-frames:v', '1'],
    ]);
    expect((await photo(pair)).tracks).toHaveLength(2);
  });

  it('are identified when small and sharp, and never out of focus', async () => {
    let known = 0;
    for (const name of ['sample4', 'sample5', 'sample6']) {
      const path = media.groups[name]!;
      const large = (await photo(path)).tracks.map(embeddingOf);
      const reduced = await transcode(`${name}-320.png`, ['-i', path, '-vf', 'scale=320:-2', '-frames:v', '1']);
      const small = (await photo(reduced)).tracks.filter(({ views }) => views.length > 0);
      for (const track of small) {
        expect(track.sightings[0]!.size).toBeLessThan(48);
        const near = large.filter((vector) => distance(vector, embeddingOf(track)) <= 1);
        expect(near.length).toBeLessThanOrEqual(1);
        known += near.length;
      }
    }
    // Two of the 13 people are turned away.
    expect(known).toBeGreaterThanOrEqual(11);
    const blurred = await transcode('sample4-blurred.png', [
      ...['-i', media.groups.sample4!, '-vf', 'gblur=sigma=9', '-frames:v', '1'],
    ]);
    const { tracks } = await photo(blurred);
    expect(tracks.length).toBeGreaterThan(0);
    expect(tracks.flatMap(({ views }) => views)).toEqual([]);
  });

  it('have near embeddings for one person and distant ones for others', async () => {
    const { audrey, cage, SeanConnery, franck_02221, franck_02888, franck_04000 } = media.faces;
    const [first, second, third] = [
      await single(franck_02221!),
      await single(franck_02888!),
      await single(franck_04000!),
    ];
    for (const [a, b] of [
      [first, second],
      [second, third],
      [first, third],
    ] as const)
      expect(distance(a, b)).toBeLessThan(0.95);
    const others = [first, await single(audrey!), await single(cage!), await single(SeanConnery!)];
    for (const [i, a] of others.entries())
      for (const b of others.slice(0, i)) expect(distance(a, b)).toBeGreaterThan(1.1);
  });

  it('have plausible gender, age and pose', async () => {
    const {
      tracks: [man],
    } = await photo(media.faces.SeanConnery!);
    const {
      tracks: [woman],
    } = await photo(media.faces.audrey!);
    expect(man!.female).toBeLessThan(0.2);
    expect(woman!.female).toBeGreaterThan(0.8);
    expect(man!.age! - woman!.age!).toBeGreaterThan(15);
    expect(Math.abs(woman!.views[0]!.yaw)).toBeLessThan(15);
    const tilted = (await photo(media.groups.sample1!)).tracks.map((track) => track.views[0]!.roll);
    expect(Math.max(...tilted)).toBeGreaterThan(30);
  });

  it('have expressions only on request', async () => {
    const laughing = await harness.at(media.groups.sample6!, { expressions: true });
    const women = [...laughing[0]!.tracks].sort((a, b) => a.sightings[0]!.box.x - b.sightings[0]!.box.x);
    // Three smile; the third pouts.
    expect(women.map(({ expression }) => expression!.happy >= 0.9)).toEqual([true, true, false, true]);
    for (const { expression } of women) {
      expect(Object.values(expression!).reduce((sum, one) => sum + one, 0)).toBeCloseTo(1, 2);
    }
    expect((await photo(media.faces.audrey!)).tracks[0]!.expression).toBeUndefined();
  });

  it('have a key frame of at most 640 pixels', async () => {
    const kept = new Map<string, RgbImage>();
    const [{ tracks }] = (await harness.at(media.groups.sample1!, {}, kept)) as [FaceObservations];
    for (const { keyFrame } of tracks) {
      const { key, width, height } = keyFrame!.picture;
      expect(kept.get(key)).toMatchObject({ width, height });
      expect(Math.max(width, height)).toBe(640);
    }
  });

  it('are not found in a picture without faces', async () => {
    const bars = await transcode('bars.png', ['-f', 'lavfi', '-i', 'testsrc2=size=1280x720', '-frames:v', '1']);
    expect((await photo(bars)).tracks).toEqual([]);
  });
});

describe('the arguments of faces', () => {
  it('have defaults and request two frame specs', () => {
    const args = faces.args.parse({});
    expect(args).toEqual({ detectionScale: 600, rate: 2 });
    expect(faces.input.specs(args)).toEqual([
      { rate: 2, shorterSide: 600 },
      { rate: 2, shorterSide: 'native' },
    ]);
  });

  it.each([{ detectionScale: 99 }, { detectionScale: 2001 }, { detectionScale: 'large' }, { rate: 0 }, { scale: 600 }])(
    'are refused: %j',
    async (args) => {
      await expect(harness.at(media.faces.cage!, args)).rejects.toThrow(AditError);
    },
  );

  it('request the expression network only when expressions are wanted', () => {
    const networks = (args: unknown): readonly string[] => modelsOf(faces, faces.args.parse(args));
    expect(networks({ expressions: true })).toEqual([...networks({}), 'face-expression']);
  });

  it('include detectionScale, which sets the smallest detectable face', async () => {
    const large = await harness.at(media.groups.sample6!, { detectionScale: 100 });
    expect(large[0]!.tracks.length).toBeLessThanOrEqual(4);
    for (const track of large[0]!.tracks) expect(track.sightings[0]!.size).toBeGreaterThan(150);
  });
});
