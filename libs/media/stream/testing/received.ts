import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ffmpegPath } from '../../ffmpeg/ffmpeg-binary.js';
import type { LiveRun } from '../live-run.js';

const run = promisify(execFile);

/** What the packets of a film or a run hold, in order, by kind of stream: hashes. */
export interface PacketHashes {
  video: string[];
  audio: string[];
}

/** Parts of pictures that every server passes on as they are; it may repeat or leave out headers between them. */
const PICTURES_ONLY: Record<string, string> = {
  h264: 'h264_mp4toannexb,filter_units=pass_types=1|5',
  hevc: 'hevc_mp4toannexb,filter_units=pass_types=0-31',
};

/** Hashes the packets of a file whose pictures have this codec. */
export async function packetHashes(path: string, codec: string): Promise<PacketHashes> {
  const filter = PICTURES_ONLY[codec];
  const args = ['-nostdin', '-v', 'error', '-i', path, '-map', '0:v?', '-map', '0:a?', '-c', 'copy'];
  if (filter !== undefined) args.push('-bsf:v', filter);
  const { stdout } = await run(await ffmpegPath(), [...args, '-f', 'framehash', '-hash', 'md5', '-'], {
    maxBuffer: 64 << 20,
  });
  const kinds = new Map([...stdout.matchAll(/^#media_type (\d+): (\w+)/gm)].map(([, index, kind]) => [index, kind]));
  const hashes: PacketHashes = { video: [], audio: [] };
  for (const line of stdout.split('\n')) {
    const [index = '', , , , , hash] = line.split(/\s*,\s*/);
    if (line.startsWith('#') || hash === undefined) continue;
    (kinds.get(index) === 'audio' ? hashes.audio : hashes.video).push(hash);
  }
  return hashes;
}

/** Reads a run until it has this many bytes and seconds; returns them. */
export async function readFor({ body }: LiveRun, seconds: number): Promise<Buffer> {
  const pieces: Buffer[] = [];
  const began = performance.now();
  for await (const piece of body) {
    pieces.push(piece as Buffer);
    if (performance.now() - began > seconds * 1000) break;
  }
  return Buffer.concat(pieces);
}

/** Hashes the packets of a run's bytes. */
export async function hashesOf(bytes: Buffer, codec: string): Promise<PacketHashes> {
  const folder = await mkdtemp(join(tmpdir(), 'adit-received-'));
  try {
    await writeFile(join(folder, 'run.nut'), bytes);
    return await packetHashes(join(folder, 'run.nut'), codec);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Tells whether `part` is a piece of `whole`, which is played again and again. */
export function isPieceOf(part: readonly string[], whole: readonly string[]): boolean {
  const starts = whole.flatMap((hash, index) => (hash === part[0] ? [index] : []));
  return starts.some((start) => part.every((hash, index) => hash === whole[(start + index) % whole.length]));
}
