/** @needs ffmpeg, weights */
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AditError, type Box } from '@adit/contracts';
import { overlap, type RgbImage } from '@adit/inference';
import { sampleMedia, transcode } from '@adit/testing';
import { OWN_MODELS, AnalysisHarness } from '../testing/analysis-harness.js';
import objects from './analysis.js';
import type { ObjectObservations } from './observations.js';

const media = sampleMedia();
let harness: AnalysisHarness<ObjectObservations>;

beforeAll(async () => {
  harness = await AnalysisHarness.open(objects);
});
afterAll(async () => {
  await harness.close();
});

interface Golden {
  objects: { label: string; score: number; box: [number, number, number, number] }[];
}

describe('objects on photos', () => {
  it('equal those of the golden file', async () => {
    const golden = JSON.parse(await readFile(join(import.meta.dirname, 'golden/sample3.json'), 'utf8')) as Golden;
    const [{ tracks, sampled }] = (await harness.at(media.groups.sample3!)) as [ObjectObservations];
    expect(sampled).toEqual([{ frame: 0, time: 0 }]);
    const sure = tracks.filter(({ sightings }) => sightings[0]!.score >= 0.4);
    expect(sure.map(({ label }) => label).sort()).toEqual(golden.objects.map(({ label }) => label).sort());
    for (const { label, score, box } of golden.objects) {
      const [x, y, w, h] = box;
      const same = sure.find(
        (track) => track.label === label && overlap(track.sightings[0]!.box, { x, y, w, h }) > 0.95,
      );
      expect(Math.abs(same!.sightings[0]!.score - score)).toBeLessThan(0.02);
    }
  });

  it('lie within the frame and go down to a low score, with pictures for the better ones only', async () => {
    const kept = new Map<string, RgbImage>();
    const [{ tracks }] = (await harness.at(media.groups.sample5!, {}, kept)) as [ObjectObservations];
    expect(Math.min(...tracks.map(({ sightings }) => sightings[0]!.score))).toBeLessThan(0.3);
    for (const { sightings, thumbnail, keyFrame } of tracks) {
      const [{ box, score }] = sightings as [(typeof sightings)[number]];
      expect(Math.min(box.x, box.y)).toBeGreaterThanOrEqual(0);
      expect(Math.max(box.x + box.w, box.y + box.h)).toBeLessThanOrEqual(1.00001);
      expect(thumbnail !== null).toBe(score >= 0.35);
      expect(keyFrame !== null).toBe(score >= 0.35);
      if (thumbnail)
        expect(kept.get(thumbnail.key)).toMatchObject({ width: thumbnail.width, height: thumbnail.height });
    }
    // All tracks share one key frame.
    expect([...kept.keys()].filter((key) => key.startsWith('frame-'))).toEqual(['frame-0']);
  });

  it('have the share of a face in them where faces are mistaken for them', async () => {
    // The network rates this close-up face as a cat at 72 %.
    const close = await transcode('objects-close-face.png', [
      ...['-i', media.groups.sample2!, '-vf', 'crop=423:282:765:207', '-frames:v', '1'],
    ]);
    const [{ tracks }] = (await harness.at(close)) as [ObjectObservations];
    expect(tracks.find(({ label }) => label === 'cat')?.face).toBeGreaterThan(0.4);
    const [{ tracks: others }] = (await harness.at(media.groups.sample3!)) as [ObjectObservations];
    expect(others.filter(({ label }) => label === 'person' || label === 'cup').every(({ face }) => face === null)).toBe(
      true,
    );
  });

  it('are the same when the picture is embedded in a larger black one', async () => {
    const padded = await transcode('objects-padded.png', [
      ...['-i', media.faces.SeanConnery!],
      ...['-vf', 'pad=2*iw:2*ih:iw/2:ih/2', '-frames:v', '1'],
    ]);
    const person = (observations: ObjectObservations[]) =>
      observations[0]!.tracks.find(({ label }) => label === 'person')!.sightings[0]!.box;
    const alone = person(await harness.at(media.faces.SeanConnery!));
    const inside = person(await harness.at(padded));
    expect(
      overlap({ x: 2 * inside.x - 0.5, y: 2 * inside.y - 0.5, w: 2 * inside.w, h: 2 * inside.h }, alone),
    ).toBeGreaterThan(0.75);
  });
});

describe('objects on films', () => {
  it('are followed as one track, reproducibly', async () => {
    const clip = await transcode('objects-franck-4s.mp4', [
      ...['-ss', '40', '-i', media.franck, '-t', '4', '-c:v', 'libx264', '-an'],
    ]);
    const [film] = (await harness.at(clip)) as [ObjectObservations];
    expect(film.sampled).toHaveLength(8);
    const [man, ...others] = film.tracks.filter(({ label }) => label === 'person');
    expect(man?.sightings.map(({ frame }) => frame)).toEqual(film.sampled.map(({ frame }) => frame));
    expect(Math.min(...man!.sightings.map(({ score }) => score))).toBeGreaterThan(0.7);
    for (const { sightings } of others) for (const { score } of sightings) expect(score).toBeLessThan(0.45);
    expect(JSON.stringify(await harness.at(clip))).toBe(JSON.stringify([film]));
  });

  it('are followed while a lamp is switched on', async () => {
    const lit = await transcode('objects-lamp.mp4', [
      ...['-ss', '40', '-i', media.franck, '-t', '3', '-vf', "eq=brightness=0.2:enable='gte(t,1.4)'"],
      ...['-c:v', 'libx264', '-an'],
    ]);
    const [film] = (await harness.at(lit)) as [ObjectObservations];
    const [man] = film.tracks.filter(({ label }) => label === 'person');
    expect(man?.sightings.map(({ frame }) => frame)).toEqual(film.sampled.map(({ frame }) => frame));
  });

  it('are not followed across a cut', async () => {
    const shot = (input: number, from: number, name: string): string =>
      `[${input}:v]trim=${from}:${from + 2},setpts=PTS-STARTPTS,scale=360:288,fps=24,setsar=1[${name}]`;
    const cut = await transcode('objects-cut.mp4', [
      ...['-i', media.franck, '-i', media.cap12],
      ...['-filter_complex', `${shot(0, 10, 'a')};${shot(1, 10, 'b')};[a][b]concat=n=2:v=1`, '-c:v', 'libx264', '-an'],
    ]);
    const [film] = (await harness.at(cut)) as [ObjectObservations];
    for (const { sightings } of film.tracks) {
      const times = sightings.map(({ time }) => time);
      expect(Math.min(...times) < 2 && Math.max(...times) >= 2).toBe(false);
    }
  });
});

describe('third-party face detectors', () => {
  /** Returns the single face that one of Adit's own networks finds when its manifest only names a decoding. */
  async function faceBy(name: string): Promise<Box> {
    const folder = await mkdtemp(join(tmpdir(), 'adit-faces-'));
    const theirs = join(folder, 'theirs');
    await mkdir(theirs);
    const own = await readFile(join(OWN_MODELS, name, 'model.yaml'), 'utf8');
    const said = `family: face-detector\ndecoding: ${name}\nmodules: [object_scene_recognition]\n`;
    await writeFile(join(theirs, 'model.yaml'), own.replace(`name: ${name}`, 'name: theirs') + said);
    await symlink(join(OWN_MODELS, name, '1'), join(theirs, '1'));
    const harness = await AnalysisHarness.open(objects, folder);
    try {
      const [{ tracks }] = (await harness.at(media.faces.franck_02888!, { model: 'theirs' })) as [ObjectObservations];
      const [best, ...others] = tracks.sort((x, y) => y.sightings[0]!.score - x.sightings[0]!.score);
      expect(best!.label).toBe('face');
      expect(best!.sightings[0]!.score).toBeGreaterThan(0.8);
      for (const { sightings } of others) expect(sightings[0]!.score).toBeLessThan(0.5);
      return best!.sightings[0]!.box;
    } finally {
      await harness.close();
      await rm(folder, { recursive: true, force: true });
    }
  }

  it('find the face of a photo at the same place, each by its own decoding', async () => {
    const [one, other] = [await faceBy('ultraface'), await faceBy('blazeface')];
    // BlazeFace's box excludes the forehead.
    expect(overlap(one, other)).toBeGreaterThan(0.6);
  });
});

describe('the arguments of objects', () => {
  it('have defaults and request the frames that faces requests too', () => {
    const args = objects.args.parse({});
    expect(args).toEqual({ rate: 2 });
    expect(objects.input.specs(args)).toEqual([{ rate: 2, shorterSide: 600 }]);
  });

  it.each([{ rate: 0 }, { rate: 61 }, { scale: 600 }])('refuse %j', async (args) => {
    await expect(harness.at(media.faces.cage!, args)).rejects.toThrow(AditError);
  });
});
