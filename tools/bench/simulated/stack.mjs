// Common parts of the rows with the simulated model: the services they need, and films of chunks of 20 frames.
import { dirname, join } from 'node:path';
import { transcode } from '@adit/testing';
import { Processes } from '../processes.mjs';

/** Seconds of film in a chunk: there is a key frame every 10 s, and two frames of a second are looked at. */
export const CHUNK = 10;
export const modules = { face_recognition: {} };

/** A film of tiny pictures, so that decoding costs next to nothing; with a tone where it is asked for. */
export function tinyFilm(seconds, { sound = false } = {}) {
  return transcode(`bench-tiny-${seconds}${sound ? '-sound' : ''}.mp4`, [
    ...['-f', 'lavfi', '-i', `testsrc=size=64x48:rate=4`],
    ...(sound ? ['-f', 'lavfi', '-i', 'sine=frequency=220:sample_rate=16000', '-c:a', 'aac', '-b:a', '32k'] : []),
    ...['-t', String(seconds)],
    ...['-c:v', 'libx264', '-preset', 'ultrafast', '-g', '40', '-keyint_min', '40', '-sc_threshold', '0'],
    ...['-pix_fmt', 'yuv420p'],
  ]);
}

export async function startSimulated(bench, options = {}) {
  const processes = await Processes.start({
    only: ['gateway', 'aggregator', 'decoder', 'inference-face'],
    roots: [bench.folder, dirname(await tinyFilm(CHUNK))],
    programs: { 'inference-face': join(import.meta.dirname, 'service.mjs') },
    ...options,
  });
  // The same film is looked at again each time.
  await processes.db.query('UPDATE workspaces SET observation_cache = false');
  return processes;
}
