/** @needs ffmpeg, time */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AditError } from '@adit/contracts';
import { numberedFilm, randomOf, transcode } from '@adit/testing';
import { audioPieces, decodeAudio } from '../../audio/decode-audio.js';
import { makeThumbnail, mimeTypeOf, probeMedia, sniffBytes, SNIFFED_BYTES } from '../../index.js';
import { dsfSine } from '../../testing/dsf.js';

const SECONDS = 2;
const HERTZ = 441;
const RATE = 16_000;
const tone = ['-f', 'lavfi', '-i', `sine=f=${HERTZ}:d=${SECONDS}:r=44100`];
const wide = [...tone, '-af', 'aformat=channel_layouts=5.1', '-ar', '48000'];

/** Name, ffmpeg arguments (null where ffmpeg cannot encode it), and expected identification. */
const SOUNDS: [string, string[] | null, { codec: string; type: string }][] = [
  ['plain.aiff', tone, { codec: 'pcm_s16be', type: 'audio/aiff' }],
  ['deep.aiff', [...tone, '-c:a', 'pcm_s24be'], { codec: 'pcm_s24be', type: 'audio/aiff' }],
  ['law.aifc', [...tone, '-c:a', 'pcm_mulaw'], { codec: 'pcm_mulaw', type: 'audio/aiff' }],
  ['float.aifc', [...tone, '-c:a', 'pcm_f32be'], { codec: 'pcm_f32be', type: 'audio/aiff' }],
  ['small.ac3', [...tone, '-c:a', 'ac3'], { codec: 'ac3', type: 'audio/ac3' }],
  ['wide.ac3', [...wide, '-c:a', 'ac3'], { codec: 'ac3', type: 'audio/ac3' }],
  ['wide.eac3', [...wide, '-c:a', 'eac3'], { codec: 'eac3', type: 'audio/eac3' }],
  ['lossless.wv', [...tone, '-c:a', 'wavpack'], { codec: 'wavpack', type: 'audio/x-wavpack' }],
  ['float.wv', [...tone, '-c:a', 'wavpack', '-sample_fmt', 'fltp'], { codec: 'wavpack', type: 'audio/x-wavpack' }],
  ['one.wma', [...tone, '-c:a', 'wmav1'], { codec: 'wmav1', type: 'audio/x-ms-wma' }],
  ['two.wma', [...tone, '-c:a', 'wmav2'], { codec: 'wmav2', type: 'audio/x-ms-wma' }],
  ['disc.dsf', null, { codec: 'dsd_lsbf_planar', type: 'audio/x-dsf' }],
];

let folder: string;
let files = 0;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'adit-sounds-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function saved(bytes: Buffer): Promise<string> {
  const path = join(folder, String(files++));
  await writeFile(path, bytes);
  return path;
}

async function bytesOf(name: string, args: string[] | null): Promise<Buffer> {
  return args === null ? dsfSine({ seconds: SECONDS, hertz: HERTZ }) : readFile(await transcode(name, args));
}

async function heard(path: string): Promise<{ samples: Float32Array; codec: string; duration: number }> {
  const { facts } = await probeMedia(path);
  if (facts.kind !== 'audio') throw new Error(`It is taken for ${facts.kind}.`);
  const target = join(folder, String(files++));
  const decoded = await decodeAudio({ path, facts, format: { sampleRate: RATE, channels: 1 }, target });
  const pieces: number[] = [];
  for await (const piece of audioPieces(decoded)) pieces.push(...piece);
  return { samples: Float32Array.from(pieces), codec: facts.codec, duration: facts.duration };
}

/** Estimates the frequency from upward zero crossings. */
function hertzOf(samples: Float32Array): number {
  let passed = 0;
  for (let at = 1; at < samples.length; at++) if (samples[at - 1]! < 0 && samples[at]! >= 0) passed++;
  return (passed * RATE) / samples.length;
}

describe.each(SOUNDS)('sound in %s', (name, args, { codec, type }) => {
  it('is recognised by its content and decoded', async () => {
    const bytes = await bytesOf(name, args);
    expect(mimeTypeOf(await sniffBytes(bytes.subarray(0, SNIFFED_BYTES)))).toBe(type);
    const path = await saved(bytes);
    const sound = await heard(path);
    expect(sound.codec).toBe(codec);
    expect(Math.abs(sound.duration - SECONDS)).toBeLessThan(0.1);
    expect(Math.abs(sound.samples.length / RATE - SECONDS)).toBeLessThan(0.1);
    expect(Math.abs(hertzOf(sound.samples.subarray(RATE / 2, (SECONDS - 0.5) * RATE)) - HERTZ)).toBeLessThan(10);
    expect((await makeThumbnail({ path, directory: folder })).length).toBeGreaterThan(100);
  });
});

const CONTAINERS = ['plain.aiff', 'float.aifc', 'small.ac3', 'wide.eac3', 'lossless.wv', 'two.wma', 'disc.dsf'];

describe.each(SOUNDS.filter(([name]) => CONTAINERS.includes(name)))('damaged sound in %s', (name, args) => {
  it('is decoded in part or refused, without any other failure', async () => {
    const whole = await bytesOf(name, args);
    const random = randomOf(whole.length);
    const noise = (from: number): Buffer =>
      Buffer.from(whole.map((byte, at) => (at < from ? byte : Math.floor(random() * 256))));
    const damaged = [0.02, 0.3, 0.95].map((share) => whole.subarray(0, Math.floor(whole.length * share)));
    damaged.push(...[12, 64].map(noise));
    // Wrong lengths, counts and rates at each position.
    for (let at = 4; at < 96; at += 16) {
      const lie = Buffer.from(whole);
      lie.writeUInt32BE([0xffff_ffff, 0, 0x7fff_ffff, 0x0001_0000][(at >> 4) % 4]!, at);
      damaged.push(lie);
    }
    for (const bytes of damaged) {
      const outcome = await heard(await saved(bytes)).catch((error: unknown) => error);
      if (!(outcome instanceof Error)) continue;
      expect(outcome).toBeInstanceOf(AditError);
      expect(outcome).toMatchObject({ code: expect.stringMatching(/^(MEDIA_INVALID|LIMIT_EXCEEDED)$/) });
    }
  });
});

describe('Windows Media', () => {
  it('with pictures is refused with the name of the format, wherever its head announces them', async () => {
    const source = ['-f', 'lavfi', '-i', numberedFilm({ seconds: 1 }), ...tone, '-c:v', 'wmv2', '-c:a', 'wmav2'];
    const film = await readFile(await transcode('film.wmv', ['-t', '1', ...source, '-f', 'asf']));
    const refusal = {
      code: 'MEDIA_INVALID',
      message: expect.stringMatching(/a Windows Media film: rewrite it as MP4/),
    };
    await expect(probeMedia(await saved(film))).rejects.toMatchObject(refusal);
    expect(await sniffBytes(film)).toEqual({ kind: 'unknown', format: 'asf' });
    const late = withPadding(film, SNIFFED_BYTES);
    expect(mimeTypeOf(await sniffBytes(late.subarray(0, SNIFFED_BYTES)))).toBe('audio/x-ms-wma');
    await expect(probeMedia(await saved(late))).rejects.toMatchObject(refusal);
  });

  it('locked to a licence is refused with that reason', async () => {
    const locked = withPadding(await bytesOf('two.wma', [...tone, '-c:a', 'wmav2']), 100, LOCK);
    await expect(probeMedia(await saved(locked))).rejects.toMatchObject({
      code: 'MEDIA_INVALID',
      message: expect.stringMatching(/locked to a licence/),
    });
  });
});

const PADDING = '74d40618dfca0945a4ba9aabcb96aae8';
const LOCK = 'fbb3112223bdd211b4b700a0c955fc6e';

/** Adds one more object in front of the others of an ASF header. */
function withPadding(file: Buffer, length: number, id = PADDING): Buffer {
  const object = Buffer.concat([Buffer.from(id, 'hex'), Buffer.alloc(8 + length)]);
  object.writeBigUInt64LE(BigInt(object.length), 16);
  const whole = Buffer.concat([file.subarray(0, 30), object, file.subarray(30)]);
  whole.writeBigUInt64LE(file.readBigUInt64LE(16) + BigInt(object.length), 16);
  whole.writeUInt32LE(file.readUInt32LE(24) + 1, 24);
  return whole;
}
