import { execFile } from 'node:child_process';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { cachedMedia, numberedFilm, playedNumbers } from '@adit/testing';
import { ffmpegPath } from '../../../ffmpeg/ffmpeg-binary.js';

const run = promisify(execFile);

/** A film in segments of one second, 25 pictures each, that show their numbers. */
export interface SegmentedFilm {
  segments: Buffer[];
  /** The initialisation section, for fragmented MP4. */
  map: Buffer;
}

export async function segmentedFilm(kind: 'mpegts' | 'fmp4', seconds: number): Promise<SegmentedFilm> {
  const args = ['-f', 'lavfi', '-i', numberedFilm({ seconds }), '-f', 'lavfi', '-i', `sine=d=${seconds}`];
  args.push('-c:v', 'libx264', '-preset', 'veryfast', '-pix_fmt', 'yuv420p', '-g', '25', '-sc_threshold', '0');
  args.push('-c:a', 'aac', '-shortest', '-f', 'hls', '-hls_time', '1', '-hls_list_size', '0');
  args.push('-hls_segment_type', kind, '-hls_segment_filename');
  const folder = await cachedMedia(`hls-${kind}-${seconds}`, args, async (path) => {
    await mkdir(path);
    const names = [join(path, 'seg%03d.bin'), join(path, 'index.m3u8')];
    await run(await ffmpegPath(), ['-nostdin', '-v', 'error', ...args, ...names]);
  });
  const names = (await readdir(folder)).filter((name) => name.startsWith('seg')).sort();
  const segments = await Promise.all(names.map((name) => readFile(join(folder, name))));
  return { segments, map: kind === 'fmp4' ? await readFile(join(folder, 'init.mp4')) : Buffer.alloc(0) };
}

/** The numbers that the pictures of these bytes show. */
export async function numbersIn(bytes: Buffer, folder: string): Promise<number[]> {
  const path = join(folder, `run-${bytes.length}-${Math.random()}`);
  await writeFile(path, bytes);
  return playedNumbers(path, 0);
}
