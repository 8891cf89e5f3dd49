/** @needs ffmpeg */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cachedMedia, transcode } from '@adit/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { PLANNING_RATE } from './audio-plan.js';
import { audioPieces, decodeAudio } from './decode-audio.js';
import { probeMedia } from '../probe.js';

const SECONDS = 3;
const tone = (frequency: number, volume = 0.2): string[] => [
  ...['-f', 'lavfi', '-i', `aevalsrc='${volume}*sin(2*PI*${frequency}*t)':s=48000:d=${SECONDS}`],
];
const pictures = ['-f', 'lavfi', '-i', `testsrc2=s=64x64:r=25:d=${SECONDS}`];
const maps = (tracks: number): string[] => Array.from({ length: tracks }, (_, i) => ['-map', `${i + 1}:a`]).flat();
/** A film with these tracks, their languages `eng`, `deu`, `fra` in order. */
const film = (name: string, ...tracks: string[][]): Promise<string> =>
  transcode(name, [
    ...[...pictures, ...tracks.flat(), '-map', '0:v', ...maps(tracks.length), '-pix_fmt', 'yuv420p'],
    ...['eng', 'deu', 'fra'].slice(0, tracks.length).flatMap((code, i) => [`-metadata:s:a:${i}`, `language=${code}`]),
  ]);
const SILENT = tone(100, 0);

/** PCM of 8 kHz that states its channel count but not their layout. */
function manyChannels(channels: number, sounding: number): Promise<string> {
  return cachedMedia(`channels-${channels}.wav`, [`${sounding}`], async (path) => {
    const [rate, frames] = [8000, 8000];
    const header = Buffer.alloc(44);
    const data = Buffer.alloc(frames * channels * 2);
    for (let i = 0; i < frames; i++) {
      data.writeInt16LE(Math.round(20_000 * Math.sin((2 * Math.PI * 440 * i) / rate)), (i * channels + sounding) * 2);
    }
    header.write('RIFF');
    header.writeUInt32LE(36 + data.length, 4);
    header.write('WAVEfmt ', 8);
    header.writeUInt32LE(16, 16);
    header.writeUInt16LE(1, 20);
    header.writeUInt16LE(channels, 22);
    header.writeUInt32LE(rate, 24);
    header.writeUInt32LE(rate * channels * 2, 28);
    header.writeUInt16LE(channels * 2, 32);
    header.writeUInt16LE(16, 34);
    header.write('data', 36);
    header.writeUInt32LE(data.length, 40);
    await writeFile(path, Buffer.concat([header, data]));
  });
}

describe('the decoded sound', () => {
  let folder: string;
  let decoded = 0;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'adit-tracks-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  /** Amplitude of a frequency in the second second, as that of a sine. */
  const heard = async (path: string, track?: string) => {
    const { facts } = await probeMedia(path);
    const format = { sampleRate: PLANNING_RATE, channels: 1 as const, ...(track === undefined ? {} : { track }) };
    const audio = await decodeAudio({ path, facts, format, target: join(folder, String(decoded++)) });
    const samples: number[] = [];
    for await (const piece of audioPieces(audio)) samples.push(...piece);
    const part = samples.slice(samples.length / 3, (2 * samples.length) / 3);
    return (frequency: number): number => {
      const [sin, cos] = [Math.sin, Math.cos].map((wave) =>
        part.reduce((sum, sample, i) => sum + sample * wave((2 * Math.PI * frequency * i) / PLANNING_RATE), 0),
      );
      return (2 * Math.hypot(sin ?? 0, cos ?? 0)) / part.length;
    };
  };

  it('is the first track that is not silent', async () => {
    expect((await heard(await film('second.mp4', SILENT, tone(440), tone(880))))(440)).toBeGreaterThan(0.15);
    expect((await heard(await film('first.mp4', tone(440), tone(880))))(440)).toBeGreaterThan(0.15);
    // Noise floor of a track that nothing is connected to.
    const hiss = ['-f', 'lavfi', '-i', `anoisesrc=color=white:amplitude=0.0005:duration=${SECONDS}:seed=1:r=48000`];
    expect((await heard(await film('hiss.mp4', hiss, tone(440))))(440)).toBeGreaterThan(0.15);
    // A quiet track is taken where no other is louder.
    expect((await heard(await film('quiet.mp4', tone(440, 0.001), SILENT)))(440)).toBeGreaterThan(0.0005);
  });

  it('is the track that a job asks for, by number or language, or all tracks', async () => {
    const path = await film('three.mp4', tone(440), tone(880), tone(1320));
    for (const [track, expected] of [
      ['0', 440],
      ['1', 880],
      ['de', 880],
      ['ger', 880],
      ['fra', 1320],
    ] as const) {
      const strength = await heard(path, track);
      for (const each of [440, 880, 1320]) {
        if (each === expected) expect(strength(each)).toBeGreaterThan(0.15);
        else expect(strength(each)).toBeLessThan(0.01);
      }
    }
    const all = await heard(path, 'all');
    for (const each of [440, 880, 1320]) expect(all(each)).toBeGreaterThan(0.1);
    await expect(heard(path, '3')).rejects.toMatchObject({
      code: 'MEDIA_INVALID',
      message: expect.stringMatching(/no sound track 3: .*0 \(en\), 1 \(de\), 2 \(fr\)/),
    });
    await expect(heard(path, 'it')).rejects.toMatchObject({ code: 'MEDIA_INVALID' });
  });

  it('is the voice of both channels where one has inverted polarity', async () => {
    const inverted = ['-filter_complex', '[0]asplit[a][b];[b]volume=-1[c];[a][c]join=channel_layout=stereo'];
    const path = await transcode('inverted.m4a', [...tone(440), ...inverted]);
    expect((await heard(path))(440)).toBeGreaterThan(0.15);
    const room = `anoisesrc=color=pink:amplitude=0.02:duration=${SECONDS}:seed=1:r=48000`;
    const amid =
      '[0]asplit[a][b];[b]volume=-1[c];[a][c]join=channel_layout=stereo[v];[1]aformat=channel_layouts=stereo[n];';
    const noisy = ['-f', 'lavfi', '-i', room, '-filter_complex', `${amid}[v][n]amix=inputs=2:normalize=0`];
    expect((await heard(await transcode('inverted-noisy.m4a', [...tone(440), ...noisy])))(440)).toBeGreaterThan(0.15);
    // Proper stereo stays unchanged.
    const wide = ['-filter_complex', '[0][1]join=channel_layout=stereo'];
    const stereo = await heard(await transcode('wide.m4a', [...tone(440), ...tone(880), ...wide]));
    for (const each of [440, 880]) expect(Math.abs(stereo(each) - 0.1)).toBeLessThan(0.02);
  });

  it.each([9, 12, 24, 60])('is mixed from %i channels without a layout', async (channels) => {
    const strength = await heard(await manyChannels(channels, channels - 1));
    expect(strength(440)).toBeGreaterThan(0.5 / channels);
  });

  it('is refused for more channels than can be mixed', async () => {
    await expect(heard(await manyChannels(65, 0))).rejects.toMatchObject({
      code: 'MEDIA_INVALID',
      message: expect.stringMatching(/65 channels; at most 64/),
    });
  });
});
