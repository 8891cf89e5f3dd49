import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { AditError, elementAt } from '@adit/contracts';
import { ffmpegInfo } from '../ffmpeg/ffmpeg-binary.js';
import { DEFAULT_MEMORY_BYTES } from '../sandbox/ffmpeg-guard.js';
import { runFfmpeg } from '../ffmpeg/ffmpeg-run.js';
import type { ProbeRun } from '../ffmpeg/ffprobe.js';
import type { SeekTable } from './frame-index.js';
import { NumberList } from '../ffmpeg/number-list.js';
import type { PacketList } from './packet-list.js';

/** Least number of pictures between two entries of a seek table, for films with keyframes only. */
const ENTRY_DISTANCE = 12;

/** Pictures of a film whose container does not state presentation times. */
interface CountedFilm {
  totalFrames: number;
  /** Numbers of the keyframes, ascending. */
  keyFrames: Uint32Array;
  /** Null when packets and pictures do not match one to one. */
  seekTable: SeekTable | null;
}

/**
 * Decodes a whole stream once and notes the number and hash of every keyframe. With the byte position of its packet,
 * later decoding may start there and verify it. @param lead - bytes in front of a packet that belong to it. Throws MEDIA_INVALID when nothing can be decoded, LIMIT_EXCEEDED past
 * the limits on time or memory.
 */
export async function countFrames(
  path: string,
  stream: number,
  packets: PacketList,
  lead: number,
  options: ProbeRun,
): Promise<CountedFilm> {
  const info = await ffmpegInfo();
  const directory = await mkdtemp(join(options.directory ?? tmpdir(), 'adit-count-'));
  try {
    const [all, keys] = [join(directory, 'all'), join(directory, 'keys')];
    const hashes = (label: string, target: string) => ({
      target,
      options: ['-map', label, info.fpsModeOption, 'passthrough', ...FRAME_HASHES],
    });
    const reason = await runFfmpeg({
      path,
      containers: options.containers,
      maxPixels: options.maxPixels,
      probeStep: options.probeStep,
      inputOptions: ['-threads', '0'],
      filterGraph: `[0:${stream}]settb=1/${TICKS},setpts=N,split=2[f][g];[f]scale=16:16[all];[g]select=key[keys]`,
      outputs: [hashes('[all]', all), hashes('[keys]', keys)],
      signal: options.signal,
      // Decoding everything takes a share of the film's duration.
      timeoutSeconds: (options.timeoutSeconds ?? 300) * 12,
      memoryBytes: DEFAULT_MEMORY_BYTES,
    });
    const totalFrames = ((await readHashes(await readFile(all, 'latin1'))).frames.at(-1) ?? -1) + 1;
    if (totalFrames === 0) {
      throw new AditError('MEDIA_INVALID', `The video stream cannot be decoded: ${reason ?? 'it shows no picture'}.`);
    }
    const key = await readHashes(await readFile(keys, 'latin1'));
    return { totalFrames, keyFrames: Uint32Array.from(key.frames), seekTable: seekTableOf(key, packets, lead) };
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** Output options for one line per picture: its time, and a hash of its pixels. */
export const FRAME_HASHES = ['-enc_time_base', '1:1000000', '-f', 'framehash', '-hash', 'adler32'];
const TICKS = 1_000_000;

/** Lines that are parsed before the event loop runs other work. */
const LINES_PER_SLICE = 10_000;

/** Parses the times (ticks of 1/1,000,000) and hashes that FFmpeg's framehash muxer wrote. */
export async function readHashes(text: string): Promise<{ frames: Float64Array; hashes: string[] }> {
  const frames = new NumberList();
  const hashes: string[] = [];
  for (let at = 0, lines = 0; at < text.length; lines++) {
    if (lines % LINES_PER_SLICE === LINES_PER_SLICE - 1) await turn();
    const end = text.indexOf('\n', at);
    const line = text.slice(at, end < 0 ? undefined : end);
    at += line.length + 1;
    const [, , pts, , , hash] = line.split(',').map((column) => column.trim());
    if (line.startsWith('#') || pts === undefined || !hash) continue;
    frames.push(Number(pts));
    hashes.push(hash);
  }
  return { frames: frames.view(), hashes };
}

function seekTableOf(
  key: { frames: Float64Array; hashes: string[] },
  packets: PacketList,
  lead: number,
): SeekTable | null {
  const { places } = packets.keyPackets();
  const { first, end } = packets.extent;
  if (places.length !== key.frames.length || places.some((place) => place < lead)) return null;
  const table: SeekTable = { bodyStart: first - lead, bodyEnd: end, frames: [], places: [], hashes: [] };
  for (const [i, frame] of key.frames.entries()) {
    if (i > 0 && frame - elementAt(table.frames, -1) < ENTRY_DISTANCE) continue;
    table.frames.push(frame);
    table.places.push(elementAt(places, i) - lead);
    table.hashes.push(elementAt(key.hashes, i));
  }
  return table;
}
