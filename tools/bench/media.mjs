// Films and photos to measure with, made once from the media that packages deliver and kept in the cache.
import { copyFile, open, readFile, writeFile } from 'node:fs/promises';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { sampleMedia, transcode } from '@adit/testing';

const { franck, groups, kennedy } = sampleMedia();
/** franck.mp4 is 360×288, 24 fps, 200 s: one man talking. */
const LENGTH = 200;

/** The sample film at `width` × `height` and `seconds` long, repeated where it is too short. */
export async function film(width, height, seconds) {
  const whole = Math.min(seconds, LENGTH);
  const scale = ['-vf', `scale=${width}:${height}:flags=lanczos,setsar=1`];
  const x264 = ['-c:v', 'libx264', '-preset', 'veryfast', '-crf', '23', '-g', '120', '-pix_fmt', 'yuv420p', '-an'];
  const once = await transcode(`bench-${height}.mp4`, ['-i', franck, '-t', String(whole), ...scale, ...x264]);
  if (seconds <= LENGTH) return once;
  const loop = ['-stream_loop', '-1', '-i', once, '-t', String(seconds), '-c', 'copy'];
  return transcode(`bench-${height}-long.mp4`, loop);
}

/** So many seconds of an address of 1961, again and again: after a pause each time, as what a window says twice is taken for a loop. */
export async function speechOf(seconds) {
  const once = await transcode('bench-speech-paused.flac', [
    ...['-i', kennedy, '-af', 'apad=pad_dur=14', '-ar', '16000', '-ac', '1'],
  ]);
  return transcode(`bench-speech-paused-${seconds}.flac`, ['-stream_loop', '-1', '-i', once, '-t', String(seconds)]);
}

export const photo = groups['sample1'];

/** The same film under other bytes, so that neither its probe nor its observations are known. */
export async function unknownFilm(path, folder) {
  const copy = join(folder, `${randomBytes(6).toString('hex')}.mp4`);
  await copyFile(path, copy);
  const file = await open(copy, 'a');
  try {
    // An ISO base media box of type `free`, which players skip.
    await file.write(Buffer.concat([Buffer.from([0, 0, 0, 24]), Buffer.from('free'), randomBytes(16)]));
  } finally {
    await file.close();
  }
  return copy;
}

/** The same photo under other bytes: a JPEG comment behind the start of image. */
export async function unknownPhoto(path, folder) {
  const copy = join(folder, `${randomBytes(6).toString('hex')}.jpg`);
  const jpeg = await readFile(path);
  const comment = Buffer.concat([Buffer.from([0xff, 0xfe, 0, 18]), randomBytes(16)]);
  await writeFile(copy, Buffer.concat([jpeg.subarray(0, 2), comment, jpeg.subarray(2)]));
  return copy;
}
