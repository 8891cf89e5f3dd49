import { dirname } from 'node:path';
import { sampleMedia, transcode } from '@adit/testing';

const media = sampleMedia();
const SIZE = 'fps=25,scale=400:300,setsar=1,format=yuv420p';
const H264 = ['-an', '-c:v', 'libx264', '-preset', 'veryfast', '-g', '50'];

/** Frames of `manTwice`, both inclusive: a man, nobody, the same man again, somebody else. 25 frames a second. */
export const MAN_TWICE = { first: [0, 249], nobody: [250, 374], second: [375, 624], other: [625, 874] } as const;

/** 35 s, 875 frames, 400×300. */
export function manTwice(): Promise<string> {
  return transcode('man-twice.mp4', [
    ...['-ss', '2', '-t', '11', '-i', media.franck],
    ...['-ss', '60', '-t', '11', '-i', media.franck],
    ...['-t', '11', '-i', media.cap12],
    '-filter_complex',
    `[0:v]${SIZE},trim=end_frame=250[a];color=black:s=400x300:r=25,trim=end_frame=125,format=yuv420p,setsar=1[b];` +
      `[1:v]${SIZE},trim=end_frame=250[c];[2:v]${SIZE},trim=end_frame=250[d];[a][b][c][d]concat=n=4:v=1[out]`,
    ...['-map', '[out]', ...H264],
  ]);
}

/** `seconds` of the man from `from` on, as they are: every stretch is media of its own. */
export function manTalking(from: number, seconds: number): Promise<string> {
  return transcode(`man-${from}-${seconds}.mp4`, [
    ...['-ss', String(from), '-t', String(seconds), '-i', media.franck],
    ...['-vf', SIZE, ...H264],
  ]);
}

/** Folders that the samples lie in. */
export async function mediaRoots(): Promise<string[]> {
  const paths = [media.franck, media.groups['sample1']!, media.facesPng, await manTwice()];
  return [...new Set(paths.map((path) => dirname(path)))];
}
