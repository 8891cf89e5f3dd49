import { dirname, join } from 'node:path';
import { packageFolder, sampleMedia, transcode } from '@adit/testing';

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

/** When the caption of `manNamed` is to be seen, in seconds; the film's second chunk begins within. */
export const NAMED = { name: 'Katharina Weiß', role: 'Bürgermeisterin', from: 8, to: 12.5 } as const;

/** 20 s at 25 frames a second, 960×720: the man talking, and for a while a name and a role below him. */
export function manNamed(): Promise<string> {
  const font = join(packageFolder('@expo-google-fonts/roboto'), '700Bold/Roboto_700Bold.ttf');
  const when = `enable='between(t,${NAMED.from},${NAMED.to - 0.01})'`;
  const line = (text: string, size: number, y: number) =>
    `drawtext=fontfile='${font}':text='${text}':x=80:y=${y}:fontsize=${size}:fontcolor=white:${when}`;
  const caption = [
    `drawbox=x=50:y=540:w=620:h=120:color=0x102a60@0.9:t=fill:${when}`,
    line(NAMED.name, 44, 552),
    line(NAMED.role, 30, 612),
  ];
  return transcode('man-named.mp4', [
    ...['-ss', '20', '-t', '20', '-i', media.franck],
    ...['-vf', ['fps=25', 'scale=960:720', 'setsar=1', 'format=yuv420p', ...caption].join(','), ...H264],
  ]);
}

/** Folders that the samples lie in. */
export async function mediaRoots(): Promise<string[]> {
  const paths = [media.franck, media.groups['sample1']!, media.facesPng, await manTwice()];
  return [...new Set(paths.map((path) => dirname(path)))];
}
