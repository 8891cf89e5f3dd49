import { execFile } from 'node:child_process';
import { mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { cachedMedia } from '@adit/testing';
import { ffmpegPath } from '../../ffmpeg/ffmpeg-binary.js';
import type { LiveSound } from '../sound-cutter.js';

const run = promisify(execFile);

/** Sound in which a beep of 0.2 s begins at each even second. */
const BEEPS = 'aevalsrc=0.5*sin(2*PI*880*t)*lt(mod(t\\,2)\\,0.2):s=48000';
const RATE = 16_000;

/** Segments of one second of each track of a stream. */
export interface ApartSegments {
  pictures: Buffer[];
  sound: Buffer[];
  /** Initialisation sections; empty for others than fragmented MP4. */
  maps: { pictures: Buffer; sound: Buffer };
}

/** A film whose pictures and beeps lie in segments of their own. */
export async function beepingFilm(kind: 'mpegts' | 'fmp4', seconds: number): Promise<ApartSegments> {
  const args = ['-f', 'lavfi', '-i', `testsrc2=s=320x180:r=25:d=${seconds},setsar=1`, '-f', 'lavfi', '-i', BEEPS];
  args.push('-map', '0:v', '-map', '1:a', '-t', String(seconds), '-c:v', 'libx264', '-preset', 'ultrafast');
  args.push('-pix_fmt', 'yuv420p', '-g', '25', '-sc_threshold', '0', '-c:a', 'aac', '-f', 'hls', '-hls_time', '1');
  args.push('-hls_list_size', '0', '-hls_segment_type', kind, '-hls_fmp4_init_filename', 'init%v.mp4');
  args.push('-var_stream_map', 'v:0,agroup:a,name:v a:0,agroup:a,name:a', '-hls_segment_filename');
  const folder = await cachedMedia(`beeping-hls-${kind}-${seconds}`, args, async (path) => {
    await mkdir(path);
    const names = [join(path, '%v%03d.bin'), join(path, '%v.m3u8')];
    await run(await ffmpegPath(), ['-nostdin', '-v', 'error', ...args, ...names], { cwd: path });
  });
  const names = (await readdir(folder)).sort();
  const read = (pattern: RegExp): Promise<Buffer[]> =>
    Promise.all(names.filter((name) => pattern.test(name)).map((name) => readFile(join(folder, name))));
  const [pictures, sound] = [await read(/^v\d+\.bin$/), await read(/^a\d+\.bin$/)];
  const none = Buffer.alloc(0);
  const [[ofPictures = none], [ofSound = none]] = [await read(/^init_?v.*mp4$/), await read(/^init_?a.*mp4$/)];
  return { pictures, sound, maps: { pictures: ofPictures, sound: ofSound } };
}

/** The path of such a film as one file. */
export function beepingFile(seconds: number): Promise<string> {
  const args = ['-f', 'lavfi', '-i', `testsrc2=s=320x180:r=25:d=${seconds},setsar=1`, '-f', 'lavfi', '-i', BEEPS];
  args.push('-t', String(seconds), '-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p', '-g', '25');
  args.push('-sc_threshold', '0', '-c:a', 'aac', '-f', 'mp4');
  return cachedMedia(`beeping-${seconds}.mp4`, args, async (path) => {
    await run(await ffmpegPath(), ['-nostdin', '-v', 'error', ...args, path]);
  });
}

/** Beeps alone, as bytes of a format of ffmpeg. */
export async function beeps(seconds: number, format: readonly string[]): Promise<Buffer> {
  const args = ['-f', 'lavfi', '-i', BEEPS, '-t', String(seconds), ...format];
  const path = await cachedMedia(`beeps-${seconds}`, args, async (target) => {
    await run(await ffmpegPath(), ['-nostdin', '-v', 'error', ...args, target]);
  });
  return readFile(path);
}

/** An ID3 tag with the time of a segment of packed audio, and more bytes. */
export function timeTag(seconds: number, more = 0): Buffer {
  const owner = Buffer.from('com.apple.streaming.transportStreamTimestamp\0', 'latin1');
  const time = Buffer.alloc(8);
  time.writeBigUInt64BE(BigInt(Math.round(seconds * 90_000)));
  const frame = Buffer.concat([Buffer.from('PRIV'), Buffer.from([0, 0, 0, 53, 0, 0]), owner, time]);
  const size = frame.length + more;
  const head = Buffer.from([0x49, 0x44, 0x33, 4, 0, 0, size >> 21, (size >> 14) & 127, (size >> 7) & 127, size & 127]);
  return Buffer.concat([head, frame, Buffer.alloc(more)]);
}

/** Stream times in seconds at which beeps begin in parts of sound; one that the sound begins with does not count. */
export function beepsIn(sounds: readonly LiveSound[]): number[] {
  const found: number[] = [];
  let quietSince: number | null = null;
  for (const { interval, start, samples } of sounds) {
    for (let at = interval.startMs * 16; at < interval.endMs * 16; at++) {
      const isLoud = Math.abs(samples[at - start] ?? 0) > 0.1;
      if (isLoud && quietSince !== null && at - quietSince > RATE) found.push(at / RATE);
      if (isLoud) quietSince = at;
      quietSince ??= at;
    }
  }
  return found;
}
