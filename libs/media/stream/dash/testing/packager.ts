import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { access } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import { cachedMedia, numberedFilm } from '@adit/testing';
import { ffmpegPath } from '../../../ffmpeg/ffmpeg-binary.js';
import type { Page } from '../../hls/testing/hls-server.js';

const run = promisify(execFile);

/** A film with a keyframe each second, of 25 pictures that show their numbers, and sound. */
export async function sourceFilm(seconds: number): Promise<string> {
  const args = ['-f', 'lavfi', '-i', numberedFilm({ seconds }), '-f', 'lavfi', '-i', `sine=d=${seconds}:r=48000`];
  args.push('-c:v', 'libx264', '-preset', 'veryfast', '-pix_fmt', 'yuv420p', '-g', '25', '-sc_threshold', '0');
  args.push('-bf', '2', '-c:a', 'aac', '-shortest', '-f', 'mp4');
  return cachedMedia(`dash-source-${seconds}.mp4`, args, async (path) => {
    await run(await ffmpegPath(), ['-nostdin', '-v', 'error', ...args, path]);
  });
}

/** Packages a film by ffmpeg's DASH muxer as fast as can be. */
export async function packaged(film: string, folder: string, args: readonly string[]): Promise<void> {
  await run(await ffmpegPath(), [...packaging(film, args), join(folder, 'live.mpd')]);
}

/** Packages a film while it plays. Returns once there is a manifest. */
export async function packageLive(film: string, folder: string, args: readonly string[]): Promise<ChildProcess> {
  const child = spawn(await ffmpegPath(), ['-re', ...packaging(film, args), join(folder, 'live.mpd')], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  while (child.exitCode === null) {
    const isThere = await access(join(folder, 'live.mpd')).then(
      () => true,
      () => false,
    );
    if (isThere) break;
    await wait(50);
  }
  return child;
}

export async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
}

/** A page that answers with the files of a folder as they are now, and notes which it has sent. */
export function filesOf(folder: string, sent: string[] = []): Page {
  return (request, response) => {
    const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '') ?? [];
    const range = from === undefined || to === undefined ? {} : { start: Number(from), end: Number(to) };
    const file = createReadStream(join(folder, basename(request.url ?? '')), range);
    file.once('error', () => response.writeHead(404).end());
    file.once('open', () => {
      sent.push(basename(request.url ?? ''));
      response.writeHead(from === undefined ? 200 : 206);
      file.pipe(response);
    });
  };
}

function packaging(film: string, args: readonly string[]): string[] {
  const input = ['-nostdin', '-v', 'error', '-i', film, '-map', '0', '-c', 'copy'];
  return [...input, '-f', 'dash', '-seg_duration', '1', ...args];
}
