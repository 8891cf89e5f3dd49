/** @needs ffmpeg, weights */
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sampleMedia, transcode } from '@adit/testing';
import { applause, music } from '../testing/sounds.js';
import { AnalysisHarness } from '../testing/analysis-harness.js';
import voiceActivity from './analysis.js';
import { FRAME_SECONDS, type VoiceActivityObservations } from './observations.js';

let harness: AnalysisHarness<VoiceActivityObservations>;
beforeAll(async () => {
  harness = await AnalysisHarness.open(voiceActivity);
});
afterAll(() => harness.close());

/** The share of voiced frames between two seconds, by the threshold of Silero's authors. */
const voiced = (percent: readonly number[], from: number, to: number): number => {
  const part = percent.slice(Math.round(from / FRAME_SECONDS), Math.round(to / FRAME_SECONDS));
  return part.filter((likely) => likely >= 50).length / part.length;
};

describe('a man who speaks and pauses', () => {
  const { kennedy } = sampleMedia();
  let percent: number[];
  beforeAll(async () => {
    percent = (await harness.at(kennedy)).flatMap((unit) => unit.percent);
  });

  it('is detected where he speaks, and not where he pauses', () => {
    // "And so, my fellow Americans" … "ask not" … "what your country can do for you"
    expect(voiced(percent, 0.4, 2)).toBeGreaterThan(0.9);
    expect(voiced(percent, 2.4, 3.1)).toBeLessThan(0.1);
    expect(voiced(percent, 8.5, 10)).toBeGreaterThan(0.85);
  });

  it('is detected equally wherever his words are cut into chunks', async () => {
    const file = await readFile(await transcode('kennedy.f32', ['-i', kennedy, '-ar', '16000', '-f', 'f32le']));
    const sound = new Float32Array(file.buffer, file.byteOffset, file.length / 4);
    for (const cuts of [[], [1_234, 9_000]]) {
      const units = await harness.ofSound(sound, cuts, {});
      expect(units.flatMap((unit) => unit.percent)).toEqual(percent);
    }
  });

  it('is detected equally at every usual recording level', async () => {
    const path = await transcode('quiet.flac', ['-i', kennedy, '-af', 'volume=-20dB', '-sample_fmt', 's32']);
    const quiet = (await harness.at(path)).flatMap((unit) => unit.percent);
    const loud = voiced(percent, 0, 11);
    expect(Math.abs(voiced(quiet, 0, 11) - loud) / loud).toBeLessThan(0.1);
  });
});

describe('quiet sound', () => {
  const { kennedy } = sampleMedia();
  const quiet = (name: string, gain: number): Promise<string> =>
    transcode(name, ['-i', kennedy, '-af', `volume=${gain}dB`, '-sample_fmt', 's32']);
  const noise = (color: string, amplitude: number) =>
    `anoisesrc=color=${color}:amplitude=${amplitude}:duration=8:seed=1:r=16000`;

  // The mean level is -17 dBFS.
  it.each([-35, -40, -45])('is detected like loud speech, at %i dB less', async (gain) => {
    const loud = voiced(
      (await harness.at(kennedy)).flatMap(({ percent }) => percent),
      0,
      11,
    );
    const percent = (await harness.at(await quiet(`quiet${gain}.flac`, gain))).flatMap((unit) => unit.percent);
    expect(Math.abs(voiced(percent, 0, 11) - loud) / loud).toBeLessThan(0.1);
    expect(voiced(percent, 2.4, 3.1)).toBeLessThan(0.1);
  });

  it.each([
    ['of hiss', noise('white', 0.001)],
    ['of a room', noise('pink', 0.002)],
    ['of dither', noise('white', 0.00003)],
    ['of a hum', "aevalsrc='0.001*sin(2*PI*50*t)+0.0005*sin(2*PI*150*t)':s=16000:d=8"],
    ['of clicks', "aevalsrc='if(lt(mod(t,1.3),0.001),0.01,0)':s=16000:d=8"],
  ])('has no speech: %s', async (_, source) => {
    const path = await transcode('quiet-nobody.flac', ['-f', 'lavfi', '-i', source, '-sample_fmt', 's32']);
    const percent = (await harness.at(path)).flatMap((unit) => unit.percent);
    expect(voiced(percent, 0, 8)).toBe(0);
  });
});

describe('sound without speech', () => {
  const sounds = {
    'a tune': "aevalsrc='0.3*sin(2*PI*t*220*pow(2,floor(mod(t*3,8))/12))+0.1*sin(2*PI*t*110)':s=16000:d=8",
    silence: 'anullsrc=r=16000:cl=mono,atrim=0:8',
    'pink noise': 'anoisesrc=color=pink:amplitude=0.5:duration=8:seed=1:r=16000',
    'white noise': 'anoisesrc=color=white:amplitude=0.3:duration=8:seed=1:r=16000',
  };
  let units: VoiceActivityObservations[];
  beforeAll(async () => {
    const inputs = Object.values(sounds).flatMap((source) => ['-f', 'lavfi', '-i', source]);
    const path = await transcode('nobody.flac', [...inputs, '-filter_complex', '[0][1][2][3]concat=n=4:v=0:a=1']);
    units = await harness.at(path);
  });

  it.each(Object.keys(sounds).map((name, i) => [name, i * 8] as const))('has no speech in %s', (_, from) => {
    const percent = units.flatMap((unit) => unit.percent);
    expect(voiced(percent, from, from + 8)).toBe(0);
  });

  it.each([
    ['applause', applause],
    ['music', music],
  ])('has no speech in %s', async (_, made) => {
    const heard = await harness.ofSound(made(16), [], {});
    expect(
      voiced(
        heard.flatMap(({ percent }) => percent),
        0,
        16,
      ),
    ).toBe(0);
  });

  it('has one value every 32 ms, whatever chunk it lies in', () => {
    expect(units.length).toBeGreaterThan(1);
    let next = 0;
    for (const { first, percent } of units) {
      expect(first).toBe(next);
      next += percent.length;
    }
    expect(next).toBe(Math.ceil(32 / FRAME_SECONDS));
  });
});
