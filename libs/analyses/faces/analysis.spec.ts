/** @needs ffmpeg, weights */
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AditError } from '@adit/contracts';
import { analysisDigest, modelsOf, type RgbImage } from '@adit/inference';
import { mobileFace } from '@adit/models/testing/mobile-face';
import { sampleMedia, transcode } from '@adit/testing';
import faces from './analysis.js';
import { Bodies } from './bodies.js';
import { decodeEmbedding, distance } from './embedding.js';
import { Heads } from './heads.js';
import type { FaceObservations, FaceTrack } from './observations.js';
import { OWN_MODELS, AnalysisHarness } from '../testing/analysis-harness.js';

const media = sampleMedia();
let harness: AnalysisHarness<FaceObservations>;

beforeAll(async () => {
  harness = await AnalysisHarness.open(faces);
});
afterAll(async () => {
  await harness.close();
});

/** Several tests use the same photos, which are analysed once. */
const analysed = new Map<string, Promise<FaceObservations>>();
function photo(path: string): Promise<FaceObservations> {
  const seen = analysed.get(path) ?? harness.at(path).then(([observations]) => observations!);
  analysed.set(path, seen);
  return seen;
}
const embeddingOf = (track: FaceTrack): Float32Array => decodeEmbedding(track.views[0]!.embedding);
const single = async (path: string): Promise<Float32Array> => embeddingOf((await photo(path)).tracks[0]!);

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

  it('in doubt are checked for bodies, for the 40 largest of a crowd, and dropped without one', async () => {
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

describe('faces on films', () => {
  let film: FaceObservations;
  const kept = new Map<string, RgbImage>();
  let clip: string;

  beforeAll(async () => {
    clip = await transcode('faces-franck-6s.mp4', [
      '-ss',
      '40',
      '-i',
      media.franck,
      '-t',
      '6',
      '-c:v',
      'libx264',
      '-an',
    ]);
    [film] = (await harness.at(clip, {}, kept)) as [FaceObservations];
  });

  it('of one man form one track with a few embedded views', () => {
    expect(film.sampled.map(({ time }) => Math.round(time * 10) / 10)).toEqual([
      0, 0.5, 1, 1.5, 2, 2.5, 3, 3.5, 4, 4.5, 5, 5.5,
    ]);
    expect(film.tracks).toHaveLength(1);
    const [track] = film.tracks as [FaceTrack];
    expect(track.sightings.map(({ frame }) => frame)).toEqual(film.sampled.map(({ frame }) => frame));
    expect(track.views).toHaveLength(3);
    const qualities = track.views.map((view) => view.quality);
    expect(qualities).toEqual([...qualities].sort((a, b) => b - a));
    for (const view of track.views) {
      const vector = decodeEmbedding(view.embedding);
      expect(vector).toHaveLength(512);
      expect(Math.hypot(...vector)).toBeCloseTo(1, 5);
    }
  });

  it('have a thumbnail each and one small picture of the best frame', () => {
    const [track] = film.tracks as [FaceTrack];
    expect([...kept.keys()].sort()).toEqual([track.keyFrame!.picture.key, track.thumbnail!.key].sort());
    const thumbnail = kept.get(track.thumbnail!.key)!;
    expect(Math.max(thumbnail.width, thumbnail.height)).toBe(208);
    expect(thumbnail).toMatchObject({ width: track.thumbnail!.width, height: track.thumbnail!.height });
    expect(kept.get(track.keyFrame!.picture.key)).toMatchObject({
      width: track.keyFrame!.picture.width,
      height: track.keyFrame!.picture.height,
    });
    expect(track.views[0]!.frame).toBe(track.keyFrame!.frame);
  });

  it('match the same man on a photo', async () => {
    const onPhoto = await single(media.faces.franck_02221!);
    for (const view of film.tracks[0]!.views)
      expect(distance(decodeEmbedding(view.embedding), onPhoto)).toBeLessThan(1);
  });

  it('give the same bytes for the same film', async () => {
    expect(JSON.stringify(await harness.at(clip))).toBe(JSON.stringify([film]));
  });

  it('do not include an ear beside the face', async () => {
    const turned = await transcode('faces-ear.mp4', [
      ...['-ss', '34', '-i', media.franck, '-t', '3', '-vf', 'scale=1280:720:flags=lanczos,setsar=1'],
      ...['-c:v', 'libx264', '-an'],
    ]);
    const held = jest.spyOn(Heads.prototype, 'hold').mockReturnValue(false);
    const [before] = await harness.at(turned);
    held.mockRestore();
    expect(before!.tracks.length).toBeGreaterThan(1);
    const [{ tracks, sampled }] = (await harness.at(turned)) as [FaceObservations];
    expect(tracks).toHaveLength(1);
    expect(tracks[0]!.sightings).toHaveLength(sampled.length);
  });

  it('of different people in the same place are separated at cuts, and one person is joined across a cut', async () => {
    const shot = (input: number, from: number, to: number, name: string): string =>
      `[${input}:v]trim=${from}:${to},setpts=PTS-STARTPTS,scale=360:288,fps=24,setsar=1[${name}]`;
    const cuts = await transcode('faces-cuts.mp4', [
      '-i',
      media.franck,
      '-i',
      media.cap12,
      '-filter_complex',
      `${[shot(0, 10, 13, 'a'), shot(1, 10, 11.5, 'b'), shot(0, 60, 63, 'c'), shot(1, 2, 6, 'd')].join(';')};[a][b][c][d]concat=n=4:v=1`,
      '-c:v',
      'libx264',
      '-an',
    ]);
    const [first] = (await harness.at(cuts)) as [FaceObservations];
    const seen = new Set(first.tracks.flatMap((track) => track.sightings.map(({ frame }) => frame)));
    expect(seen.size).toBe(first.sampled.length);
    const people = first.tracks.map((track) => {
      const shots = new Set(
        track.sightings.map(({ time }) => (time < 3 ? 'a' : time < 4.5 ? 'b' : time < 7.5 ? 'c' : 'd')),
      );
      return [...shots].join('');
    });
    // Shots of one person may form one track or several, but never share one with the other person.
    for (const shots of people) expect(['a', 'b', 'c', 'd', 'ac', 'bd']).toContain(shots);
    // More than two seconds separate b and d, too long for one track; a and c are within it.
    expect(people).toContain('ac');
  });
});

describe('a film with cuts on one background', () => {
  const PEOPLE = ['audrey', 'cage', 'SeanConnery', 'franck_02221', 'audrey', 'SeanConnery', 'cage'];
  /** Seconds of each shot. */
  const SHOT = 1.5;

  it('has separate tracks per person, though the picture hardly changes', async () => {
    const crops: Record<string, string> = {
      audrey: 'crop=330:450:110:120',
      cage: 'crop=400:500:60:60',
      SeanConnery: 'crop=230:320:70:30',
      franck_02221: 'crop=iw*0.42:ih*0.85:iw*0.35:ih*0.1',
    };
    const shown = PEOPLE.map((name, i) => `[${i}:v]${crops[name]!},scale=130:180,setsar=1,fps=24[face${i}]`).join(';');
    const film = await transcode('faces-studio.mp4', [
      ...PEOPLE.flatMap((name) => ['-loop', '1', '-t', String(SHOT), '-i', media.faces[name]!]),
      ...['-loop', '1', '-t', String(SHOT * PEOPLE.length), '-i', media.groups.sample1!],
      '-filter_complex',
      `${shown};${PEOPLE.map((_, i) => `[face${i}]`).join('')}concat=n=${PEOPLE.length}:v=1[faces];` +
        `[${PEOPLE.length}:v]scale=640:360,gblur=sigma=20,setsar=1,fps=24[studio];[studio][faces]overlay=255:90`,
      ...['-c:v', 'libx264', '-pix_fmt', 'yuv420p'],
    ]);
    const [observed] = (await harness.at(film)) as [FaceObservations];
    const seen = observed.tracks.flatMap(({ sightings }) => sightings);
    expect(seen).toHaveLength(observed.sampled.length);
    for (const { sightings } of observed.tracks) {
      expect(new Set(sightings.map(({ time }) => PEOPLE[Math.floor(time / SHOT)])).size).toBe(1);
    }
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
    'refuse %j',
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

describe('faces with an additional network of the user', () => {
  const MANIFEST = {
    ...{ name: 'ours', kind: 'network', task: 'face-embedding', family: 'face-embedding', decoding: 'arcface' },
    ...{ dimensions: 256, maxDistance: 1.1, licence: 'private', origin: 'spec' },
    input: { tensor: 'data', width: 112, height: 112, layout: 'nhwc' },
  };
  let folder: string;
  let others: AnalysisHarness<FaceObservations>;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'adit-faces-'));
    const graph = await mobileFace('ours');
    const write = async (name: string, input: object) => {
      await mkdir(join(folder, name, '1'), { recursive: true });
      const manifest = { ...MANIFEST, name, input: { ...MANIFEST.input, ...input } };
      await writeFile(join(folder, name, 'model.yaml'), JSON.stringify(manifest));
      await writeFile(join(folder, name, '1/model.onnx'), graph);
    };
    await write('ours', {});
    await write('broken', { mean: [-1e38], std: [1e-38] });
    others = await AnalysisHarness.open(faces, [OWN_MODELS, folder]);
  });
  afterAll(async () => {
    await others?.close();
    await rm(folder, { recursive: true });
  });

  const bothOf = async (path: string): Promise<[own: Float32Array, other: Float32Array]> => {
    const [seen] = await others.at(path, { embedding: 'ours' });
    const view = seen!.tracks[0]!.views[0]!;
    return [decodeEmbedding(view.embedding), decodeEmbedding(view.compared!)];
  };

  it('have embeddings of the same views by it, near for one person and distant for others', async () => {
    const { audrey, cage, franck_02221, franck_04000 } = media.faces;
    const [first, second, ...others] = [
      await bothOf(franck_02221!),
      await bothOf(franck_04000!),
      await bothOf(audrey!),
      await bothOf(cage!),
    ] as const;
    expect(first[0]).toEqual(await single(franck_02221!));
    expect(first[1]).toHaveLength(256);
    expect(Math.hypot(...first[1])).toBeCloseTo(1, 5);
    expect(distance(first[1], second[1])).toBeLessThan(1);
    for (const [, other] of others) expect(distance(first[1], other)).toBeGreaterThan(1.2);
  });

  it('have a digest that includes that network', () => {
    const identify = (args: object) => others.runner.identify(faces, args);
    const [plain, with_] = [identify({}), identify({ embedding: 'ours' })];
    expect(with_.models.map(({ name }) => name)).toEqual([...plain.models.map(({ name }) => name), 'ours']);
    expect(analysisDigest(with_)).not.toBe(analysisDigest(plain));
  });

  it("are refused when the network's output cannot be compared", async () => {
    await expect(others.at(media.faces['audrey']!, { embedding: 'broken' })).rejects.toThrow(
      /broken answers no embedding for a face/,
    );
  });
});
