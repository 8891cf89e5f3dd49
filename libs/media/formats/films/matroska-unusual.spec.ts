/** @needs ffmpeg */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { numberedFilm, sampleMedia, transcode } from '@adit/testing';
import { decodeAudio, makeThumbnail, probeMedia, sniffMedia } from '../../index.js';
import { probeStreamsOf } from '../../probe-streams.js';
import {
  cluster,
  element,
  elementOf,
  information,
  matroska,
  openElement,
  text,
  tracks,
  unsigned,
  videoTrack,
  withTrackElements,
} from '../../testing/ebml.js';

const pictures = (seconds: number): string[] => ['-f', 'lavfi', '-i', numberedFilm({ seconds })];
const sound = (seconds: number): string[] => ['-f', 'lavfi', '-i', `sine=d=${seconds}:r=48000`];
const vp8 = ['-pix_fmt', 'yuv420p', '-c:v', 'libvpx', '-deadline', 'realtime', '-cpu-used', '8'];
const recorded = ['-f', 'webm', '-live', '1'];

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'adit-matroska-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function put(name: string, bytes: Buffer): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, bytes);
  return path;
}

describe('a Matroska file', () => {
  it.each([
    ['sound.mka', ['-c:a', 'flac'], 'flac'],
    ['sound.webm', ['-c:a', 'libopus'], 'opus'],
    ['recorded-sound.webm', ['-c:a', 'libopus', ...recorded], 'opus'],
    ['vorbis.webm', ['-c:a', 'libvorbis'], 'vorbis'],
    ['aac.mka', ['-c:a', 'aac'], 'aac'],
  ])('that holds only sound is sound, of the length of its packets: %s', async (name, codec, named) => {
    const path = await transcode(name, [...sound(5), ...codec]);
    const { facts } = await probeMedia(path);
    expect(facts).toMatchObject({ kind: 'audio', codec: named, channels: 1, container: 'matroska,webm' });
    expect(facts.kind === 'audio' && Math.abs(facts.duration - 5)).toBeLessThan(0.06);
    const decoded = { path, facts, format: { sampleRate: 16_000, channels: 1 as const }, target: join(folder, name) };
    expect(Math.abs((await decodeAudio(decoded)).samples / 16_000 - 5)).toBeLessThan(0.06);
  });

  it('lasts as long as its sound, also where a browser noted no duration', async () => {
    const both = [...pictures(3), ...sound(7), '-map', '0:v', '-map', '1:a', ...vp8, '-c:a', 'libopus'];
    const { facts } = await probeMedia(await transcode('outlasting.webm', [...both, ...recorded]));
    expect(facts).toMatchObject({ kind: 'video', totalFrames: 75 });
    expect(facts.kind === 'video' && Math.abs(facts.duration - 7)).toBeLessThan(0.1);
  });

  it('is taken for its film, whatever chapters, fonts and covers come with it', async () => {
    const cover = sampleMedia().groups['sample1'] ?? '';
    const font = await put('font.ttf', Buffer.alloc(4000, 7));
    const chapters = await put('chapters.txt', Buffer.from(';FFMETADATA1\n[CHAPTER]\nSTART=0\nEND=1000000000\n'));
    const path = await transcode('attached.mkv', [
      ...[...pictures(2), '-f', 'ffmetadata', '-i', chapters, '-map', '0', '-map_chapters', '1', '-c:v', 'libx264'],
      ...['-pix_fmt', 'yuv420p', '-attach', font, '-metadata:s:t:0', 'mimetype=font/ttf'],
      ...['-attach', cover, '-metadata:s:t:1', 'mimetype=image/jpeg', '-metadata:s:t:1', 'filename=cover.jpg'],
    ]);
    // The cover is larger than the film.
    const types = (await probeStreamsOf(path, { containers: ['matroska'] })).streams.map(
      ({ codec_type: type }) => type,
    );
    expect(types).toEqual(['video', 'attachment', 'video']);
    expect((await probeMedia(path)).facts).toMatchObject({ codec: 'h264', totalFrames: 50, width: 192 });
    expect((await makeThumbnail({ path, directory: folder })).length).toBeGreaterThan(100);
  });

  it('that is encrypted is refused with that reason', async () => {
    const key = Buffer.concat([unsigned('47e1', 5), element('47e2', Buffer.alloc(16, 3))]);
    const encoding = Buffer.concat([unsigned('5031', 0), unsigned('5033', 1), element('5035', key)]);
    const locks = element('6d80', element('6240', encoding));
    const reason = { code: 'MEDIA_INVALID', message: expect.stringMatching(/is encrypted/) };
    for (const [name, source] of [
      ['locked-film.webm', [...pictures(2), ...vp8]],
      ['locked-sound.webm', [...sound(2), '-c:a', 'libopus']],
    ] as const) {
      const open = await readFile(await transcode(`open-${name}`, [...source, ...recorded]));
      await expect(probeMedia(await put(name, withTrackElements(open, locks)))).rejects.toMatchObject(reason);
    }
  });
});

const FRAME = cluster(0, Buffer.alloc(100));
/** A track of 13 bytes, without a size of its pictures. */
const SMALL_TRACK = Buffer.concat([Buffer.from('ae8dd781018381018685', 'hex'), Buffer.from('V_VP8')]);
const repeated = (piece: Buffer, times: number): Buffer => Buffer.alloc(piece.length * times, piece);
const nested = (...ids: string[]): Buffer[] => [
  ...ids.slice(0, -1).map(openElement),
  repeated(openElement(ids.at(-1) ?? ''), 200_000),
];

const HOSTILE: Record<string, [reason: RegExp, make: () => Buffer]> = {
  'nothing but a header': [/cannot be opened/, () => matroska()],
  'two million empty elements': [
    /cannot be opened/,
    () => matroska(Buffer.alloc(4_000_000, Buffer.from('ec80', 'hex'))),
  ],
  'padding without an end': [/cannot be opened/, () => matroska(openElement('ec'), Buffer.alloc(1000))],
  'an element larger than all disks': [
    /cannot be opened/,
    () => matroska(information(), elementOf('1654ae6b', 2n ** 55n), Buffer.alloc(99)),
  ],
  'a header larger than all disks': [
    /header parsing failed/,
    () => Buffer.concat([elementOf('1a45dfa3', 2n ** 40n), text('4282', 'matroska')]),
  ],
  'a million tracks': [
    /Number of streams exceeds/,
    () => matroska(information(), tracks(repeated(SMALL_TRACK, 1_000_000)), FRAME),
  ],
  'chapters 200,000 deep': [/cannot be opened/, () => matroska(information(), ...nested('1043a770', '45b9', 'b6'))],
  'tags 200,000 deep': [/cannot be opened/, () => matroska(information(), ...nested('1254c367', '7373', '67c8'))],
  'half a million empty clusters': [
    /shows no picture/,
    () => matroska(information(), tracks(videoTrack()), repeated(elementOf('1f43b675', 0n), 500_000)),
  ],
  'a clock that stands still': [/shows no picture/, () => matroska(information(0), tracks(videoTrack()), FRAME)],
  'a clock of centuries': [/cannot be opened/, () => matroska(information(2n ** 63n), tracks(videoTrack()), FRAME)],
  'a time behind all others': [
    /shows no picture/,
    () => matroska(information(), tracks(videoTrack()), cluster(2n ** 62n, Buffer.alloc(100))),
  ],
  'pictures of 2³¹ pixels a side': [
    /size/i,
    () => matroska(information(), tracks(videoTrack('V_UNCOMPRESSED', [2 ** 31, 2 ** 31])), FRAME),
  ],
  'pictures of 65,535 pixels a side': [
    /size/i,
    () => matroska(information(), tracks(videoTrack('V_MPEG4/ISO/AVC', [65_535, 65_535])), FRAME),
  ],
  'a codec that nobody knows': [
    /no video stream/,
    () => matroska(information(), tracks(videoTrack('V_NOBODY')), FRAME),
  ],
};

/** @hardening media: Elements of a Matroska file lie about their number, size, depth or time */
describe('a hostile Matroska file', () => {
  it.each(Object.entries(HOSTILE))('is refused within seconds: %s', async (name, [reason, make]) => {
    const path = await put(`${name.replace(/\W+/g, '-')}.mkv`, make());
    const began = performance.now();
    expect(await sniffMedia(path)).toEqual({ kind: 'video', format: 'mkv' });
    await expect(probeMedia(path, { timeoutSeconds: 30 })).rejects.toMatchObject({
      code: 'MEDIA_INVALID',
      message: expect.stringMatching(reason),
    });
    expect(performance.now() - began).toBeLessThan(20_000);
  });

  it('of another document type is none', async () => {
    const bytes = Buffer.from(matroska(information(), tracks(videoTrack()), FRAME));
    bytes.write('whatever', bytes.indexOf('matroska'), 'latin1');
    await expect(probeMedia(await put('other.mkv', bytes))).rejects.toMatchObject({ code: 'MEDIA_INVALID' });
  });
});
