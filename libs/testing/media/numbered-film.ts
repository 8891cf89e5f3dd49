import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { ffmpegProgram, fpsMode } from './ffmpeg-program.js';

const run = promisify(execFile);

/** Bits of the frame number that each picture shows: blocks side by side, white for one, the lowest bit left. */
const BITS = 12;

/**
 * An ffmpeg source filter whose every picture shows its own number (0..4095), so that a decoder's claim can be checked.
 * `hold` pictures in a row show the same number (2 for material that will be interlaced).
 */
export function numberedFilm(options: {
  width?: number;
  height?: number;
  rate?: string;
  seconds: number;
  hold?: number;
}): string {
  const { width = 192, height = 96, rate = '25', seconds, hold = 1 } = options;
  const block = Math.floor(width / BITS);
  const boxes = Array.from({ length: BITS }, (_, bit) => {
    const value = `mod(floor(n/${hold * 2 ** bit}),2)`;
    return `drawbox=x=${bit * block}:y=0:w=${block}:h=${height}:color=white:t=fill:enable='${value}'`;
  });
  return `color=c=0x202020:s=${width}x${height}:r=${rate}:d=${seconds},${boxes.join(',')}`;
}

/** Luminance (0..255) of a picture at fractions of its width and height. */
type Luminance = (x: number, y: number) => number;

/** The number that a picture shows. `turned`: clockwise degrees by which the picture was turned after numbering. */
export function readNumber(luminance: Luminance, turned: 0 | 90 | 180 | 270 = 0): number {
  let number = 0;
  for (let bit = 0; bit < BITS; bit++) {
    const along = (bit + 0.5) / BITS;
    const places: Record<typeof turned, readonly [number, number]> = {
      0: [along, 0.5],
      90: [0.5, along],
      180: [1 - along, 0.5],
      270: [0.5, 1 - along],
    };
    const [x, y] = places[turned];
    if (luminance(x, y) > 128) number += 2 ** bit;
  }
  return number;
}

/** Luminance of interleaved RGB pixels. */
export function rgbLuminance(image: { data: Uint8Array; width: number; height: number }): Luminance {
  return (x, y) => {
    const at = (Math.floor(y * image.height) * image.width + Math.floor(x * image.width)) * 3;
    const [r = 0, g = 0, b = 0] = image.data.subarray(at, at + 3);
    return 0.299 * r + 0.587 * g + 0.114 * b;
  };
}

/** The numbers of all pictures that one plain decode from the beginning shows, in order: the truth to compare with. */
export async function playedNumbers(path: string, stream: number, turned: 0 | 90 | 180 | 270 = 0): Promise<number[]> {
  const side = 48;
  const { stdout } = await run(
    ffmpegProgram(),
    ['-nostdin', '-v', 'fatal', '-i', path, '-map', `0:${stream}`, '-vf', `scale=${side}:${side}:flags=area`].concat([
      ...fpsMode('passthrough'),
      '-pix_fmt',
      'gray',
      '-f',
      'rawvideo',
      '-',
    ]),
    { encoding: 'buffer', maxBuffer: 256 << 20 },
  );
  const numbers: number[] = [];
  for (let at = 0; at + side * side <= stdout.length; at += side * side) {
    numbers.push(readNumber((x, y) => stdout[at + Math.floor(y * side) * side + Math.floor(x * side)] ?? NaN, turned));
  }
  return numbers;
}
