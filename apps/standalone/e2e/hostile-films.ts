import { readFile } from 'node:fs/promises';
import { fpsMode, hurtBetween, numberedFilm, quarterTurned, sampleMedia, transcode } from '@adit/testing';

const media = sampleMedia();
const H264 = ['-an', '-pix_fmt', 'yuv420p', '-c:v', 'libx264', '-preset', 'veryfast'];
const SOUND = ['-f', 'lavfi', '-i', 'sine=d=2'];

async function made(name: string, ...args: string[]): Promise<Buffer> {
  return readFile(await transcode(name, args));
}

/** 4 s of a man talking, 96 frames of 360×288. */
function man(name: string, ...args: string[]): Promise<Buffer> {
  return made(name, '-ss', '10', '-t', '4', '-i', media.franck, ...H264, ...args);
}

/** A film without people: `seconds` at 25 frames a second. */
function numbers(name: string, seconds: number, size: [number, number], ...args: string[]): Promise<Buffer> {
  const [width, height] = size;
  return made(name, '-f', 'lavfi', '-i', numberedFilm({ seconds, width, height }), ...H264, ...args);
}

/** Films that exist and that few have thought of; each answers the bytes of a file. */
export const films = {
  plain: () => man('plain.mp4'),
  mov: () => man('plain.mov'),
  /** Its index lies in front, so that the pictures may end early. */
  indexFirst: (): Promise<Buffer> => man('index-first.mp4', '-g', '24', '-movflags', '+faststart'),
  /** Its index is whole, its pictures are all lost. */
  allHurt: async () => {
    const bytes = await films.indexFirst();
    return hurtBetween(bytes, (bytes.indexOf('mdat') + 8) / bytes.length, 1);
  },
  odd: () => man('odd.mp4', '-vf', 'scale=361:289', '-pix_fmt', 'yuv444p'),
  tenBit: () => man('ten-bit.mp4', '-pix_fmt', 'yuv420p10le'),
  /** Stored upright, to be shown lying: a player turns it by 90 degrees. */
  rotated: async () => {
    const plain = await transcode('to-rotate.mp4', ['-ss', '10', '-t', '4', '-i', media.franck, ...H264]);
    return made('rotated.mp4', ...quarterTurned(plain));
  },
  /** Every picture of the first second, then every sixth. */
  variableRate: () => man('variable.mp4', '-vf', "select='lt(t,1)+not(mod(n,6))'", ...fpsMode('vfr')),
  lateStart: () => man('late.ts', '-output_ts_offset', '7200', '-f', 'mpegts'),
  negativeStart: () => man('negative.mp4', '-output_ts_offset', '-1.5', '-avoid_negative_ts', 'disabled'),
  twoStreams: () =>
    made(
      ...['two-streams.mp4', '-f', 'lavfi', '-i', numberedFilm({ seconds: 4, width: 96, height: 48 })],
      ...['-ss', '10', '-t', '4', '-i', media.franck, '-map', '0', '-map', '1:v', ...H264],
    ),
  /** The cover shows three people, the sound shows nobody. */
  coverArt: () =>
    made(
      ...['song.mp3', ...SOUND, '-i', media.groups['sample1']!, '-map', '0', '-map', '1', '-c:v', 'copy'],
      ...['-disposition:v', 'attached_pic'],
    ),
  soundOnly: () => made('sound.mp4', ...SOUND, '-c:a', 'aac'),
  wav: () => made('sound.wav', ...SOUND),
  tiny: () => numbers('tiny.mp4', 1, [16, 16]),
  oneFrame: () => man('one-frame.mp4', '-frames:v', '1'),
  noFrames: () => man('no-frames.mp4', '-frames:v', '0'),
  /** Ten minutes whose only keyframe is the first. */
  oneKeyframe: () =>
    made(
      ...['one-key.mp4', '-f', 'lavfi', '-i', numberedFilm({ seconds: 600, rate: '5', width: 64, height: 48 })],
      ...[...H264, '-g', '9999', '-keyint_min', '9999', '-sc_threshold', '0'],
    ),
  /** Uncompressed, so that the container alone states the size. */
  raw: () => made('raw.mov', '-f', 'lavfi', '-i', 'testsrc=s=64x48:d=1', '-c:v', 'rawvideo', '-pix_fmt', 'rgb24'),
  matroska: () => man('film.mkv'),
  /** As a browser records it: without a duration and without an index. */
  webm: () => man('film.webm', '-c:v', 'libvpx', '-deadline', 'realtime', '-cpu-used', '8', '-live', '1'),
  animatedPng: () => made('moving.apng', '-f', 'lavfi', '-i', 'testsrc=s=64x48:d=1:r=4', '-f', 'apng'),
  gif: () => made('moving.gif', '-f', 'lavfi', '-i', 'testsrc=s=64x48:d=1:r=4'),
  webp: () => made('moving.webp', '-f', 'lavfi', '-i', 'testsrc=s=64x48:d=1:r=4'),
};
