/** @jest-environment <rootDir>/models/testing/onnx-environment.mjs */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sampleMedia, transcode } from '@adit/testing';
import { SpecLook } from '../testing/spec-look.js';
import voiceActivity from './analysis.js';
import { FRAME_SECONDS, type VoiceActivityObservations } from './observations.js';

let look: SpecLook<VoiceActivityObservations>;
beforeAll(async () => {
  look = await SpecLook.open(voiceActivity);
});
afterAll(() => look.close());

const made = (name: string, source: string) => transcode(`${name}.flac`, ['-f', 'lavfi', '-i', source, '-ar', '16000']);

describe('voice-activity', () => {
  it('hears a man who pauses, and where he does not', async () => {
    const [unit] = await look.at(sampleMedia().kennedy);
    const voiced = (from: number, to: number): number => {
      const part = unit!.percent.slice(Math.round(from / FRAME_SECONDS), Math.round(to / FRAME_SECONDS));
      return part.filter((likely) => likely >= 50).length / part.length;
    };
    // "And so, my fellow Americans" … "ask not" … "what your country can do for you"
    expect(voiced(0.4, 2)).toBeGreaterThan(0.9);
    expect(voiced(2.4, 3.1)).toBeLessThan(0.1);
    expect(voiced(8.5, 10)).toBeGreaterThan(0.85);
  });

  it('hears the same at every loudness that people record at', async () => {
    const quiet = await transcode('quiet.flac', [
      '-i',
      sampleMedia().kennedy,
      '-af',
      'volume=-20dB',
      '-sample_fmt',
      's32',
    ]);
    const voicedIn = async (path: string): Promise<number> =>
      (await look.at(path)).flatMap(({ percent }) => percent).filter((likely) => likely >= 50).length;
    const loud = await voicedIn(sampleMedia().kennedy);
    expect(Math.abs((await voicedIn(quiet)) - loud) / loud).toBeLessThan(0.1);
  });

  it('judges every 32 ms once, whatever chunk they lie in', async () => {
    const units = await look.at(await made('tone', 'sine=frequency=440:duration=70'));
    expect(units.length).toBeGreaterThan(2);
    let next = 0;
    for (const { first, percent } of units) {
      expect(first).toBe(next);
      next += percent.length;
    }
    expect(next).toBe(Math.ceil(70 / FRAME_SECONDS));
  });

  it.each([
    ['silence', 'anullsrc=r=16000:cl=mono,atrim=0:20'],
    ['pink noise', 'anoisesrc=color=pink:amplitude=0.5:duration=20:seed=1'],
    ['white noise', 'anoisesrc=color=white:amplitude=0.3:duration=20:seed=1'],
    ['a tune', "aevalsrc='0.3*sin(2*PI*t*220*pow(2,floor(mod(t*3,8))/12))+0.1*sin(2*PI*t*110)':s=16000:d=20"],
  ])('hears nobody in %s', async (name, source) => {
    const units = await look.at(await made(name.replace(' ', '-'), source));
    const percent = units.flatMap((unit) => unit.percent);
    expect(percent.length).toBe(625);
    expect(percent.filter((likely) => likely >= 50)).toEqual([]);
  });
});
