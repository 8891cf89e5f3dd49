/** @needs ffmpeg, weights */
import { beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { RgbImage } from '@adit/inference';
import { transcode } from '@adit/testing';
import { decodeEmbedding, distance } from './embedding.js';
import { Heads } from './heads.js';
import type { FaceObservations, FaceTrack } from './observations.js';
import { useFaceAnalysis, media, harness, single } from './testing/face-photos.js';

useFaceAnalysis();

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
      ...['-ss', '34.5', '-i', media.franck, '-t', '3', '-vf', 'scale=1280:720:flags=lanczos,setsar=1'],
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
