/** @needs ffmpeg, weights */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sampleMedia, transcode } from '@adit/testing';
import { AnalysisHarness } from '../testing/analysis-harness.js';
import text from './analysis.js';
import type { TextObservations } from './observations.js';

const media = sampleMedia();
let harness: AnalysisHarness<TextObservations>;
beforeAll(async () => {
  harness = await AnalysisHarness.open(text);
});
afterAll(async () => {
  await harness.close();
});

const CAPTION =
  "drawbox=x=0:y=540:w=iw:h=110:color=0x102a60@0.85:t=fill,drawtext=font='DejaVu Sans':text='Jürgen Großmann':" +
  'x=60:y=570:fontsize=44:fontcolor=white';

describe('text in a film', () => {
  it('is followed in its place and read with its accents, reproducibly', async () => {
    const clip = await transcode('text-caption-1s.mp4', [
      ...['-ss', '40', '-i', media.franck, '-t', '1.4', '-vf', `scale=1280:720,setsar=1,${CAPTION}`],
      ...['-c:v', 'libx264', '-an'],
    ]);
    const [film] = (await harness.at(clip)) as [TextObservations];
    expect(film.sampled).toHaveLength(3);
    const caption = film.tracks.find(({ text: read }) => read === 'Jürgen Großmann');
    expect(caption?.sightings.map(({ frame }) => frame)).toEqual(film.sampled.map(({ frame }) => frame));
    expect(caption!.steadiness).toBeGreaterThan(0.9);
    const [x1, y1, x2, , , y3] = caption!.sightings[0]!.corners as [number, number, number, number, number, number];
    expect(Math.abs(x1 - 60 / 1280)).toBeLessThan(0.015);
    expect(x2).toBeGreaterThan(0.3);
    expect(y1).toBeGreaterThan(540 / 720);
    expect(y3).toBeLessThan(650 / 720);
    expect(JSON.stringify(await harness.at(clip))).toBe(JSON.stringify([film]));
  }, 600_000);

  it('is not found where there is none', async () => {
    const [{ tracks }] = (await harness.at(media.faces.cage!)) as [TextObservations];
    expect(tracks).toEqual([]);
  }, 600_000);
});
