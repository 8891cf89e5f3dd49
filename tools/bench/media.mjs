// Films and photos to measure with, made once from the media that packages deliver and kept in the cache.
import { copyFile, open, readFile, writeFile } from 'node:fs/promises';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { sampleMedia, transcode } from '@adit/testing';
import { mediaPath } from '../eval/media-path.mjs';

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

/** A minute of 1280 × 720 at 25 frames a second: the man of the sample film is there for 8 s and gone for 4 s, again and again. */
export function passingFilm() {
  const gone = "drawbox=color=black:t=fill:w=iw:h=ih:enable='gte(mod(t,12),8)'";
  return transcode('bench-passing-60.mp4', [
    ...['-i', franck, '-t', '60', '-vf', `fps=25,scale=1280:720:flags=lanczos,setsar=1,${gone}`],
    ...['-c:v', 'libx264', '-preset', 'veryfast', '-b:v', '3M', '-g', '50', '-pix_fmt', 'yuv420p', '-an'],
  ]);
}

/** The sample film as it came. */
export function talk(seconds) {
  return seconds >= LENGTH
    ? franck
    : transcode(`bench-talk-${seconds}.mp4`, ['-i', franck, '-t', String(seconds), '-c', 'copy']);
}

const CAPTION_FONT = '@expo-google-fonts/roboto/700Bold/Roboto_700Bold.ttf';
const CAPTIONED =
  'Anna Schneider, José García, François Martin, Łukasz Nowak, Zoë Hartmann, Peter Müller, Maria Silva, Björn Lindqvist, Ayşe Yılmaz, Tomáš Dvořák';

/** The sample film at 1280 × 720 with ten captions in so many seconds, one after the other, a name over a function, each with a pause behind it. */
export async function captionedFilm(seconds) {
  const people = CAPTIONED.split(', ');
  const font = mediaPath(CAPTION_FONT);
  const drawn = people.flatMap((name, i) => {
    const start = (i * seconds) / people.length + 1;
    const when = `enable='between(t,${start},${start + (4 * seconds) / people.length / 6})'`;
    const text = (words, y, size) =>
      `drawtext=fontfile='${font}':text='${words}':x=110:y=${y}:fontsize=${size}:fontcolor=white:${when}`;
    return [
      `drawbox=x=80:y=560:w=620:h=110:color=navy@0.8:t=fill:${when}`,
      text(name, 575, 40),
      text('Correspondent', 625, 26),
    ];
  });
  const x264 = ['-c:v', 'libx264', '-preset', 'veryfast', '-crf', '23', '-g', '120', '-pix_fmt', 'yuv420p', '-an'];
  const filters = ['scale=1280:720:flags=lanczos', 'setsar=1', ...drawn].join(',');
  return transcode(`bench-captions-${seconds}.mp4`, ['-i', franck, '-t', String(seconds), '-vf', filters, ...x264]);
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
