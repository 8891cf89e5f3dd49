import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { ffmpegProgram } from './ffmpeg-program.js';
import { cachedMedia, transcode } from './made-media.js';
import { packageFolder } from './media.js';

const run = promisify(execFile);

/** Real places, each photographed all around: panoramas of 512×256 that `@pmndrs/assets` delivers (Poly Haven, CC0). */
export const PLACES = [
  'apartment',
  'bridge',
  'city',
  'dawn',
  'esplanade',
  'forest',
  'hall',
  'lab',
  'lobby',
  'night',
  'park',
  'sky',
  'studio',
  'sunrise',
  'sunset',
  'venice',
  'warehouse',
  'workshop',
] as const;

export type Place = (typeof PLACES)[number];

/** Direction of a camera at a place: degrees to the right and up, and its field of view in degrees. */
interface CameraView {
  yaw?: number;
  pitch?: number;
  view?: number;
  /** Further filters of ffmpeg, such as `eq=brightness=0.1`. */
  filter?: string;
}

const [WIDTH, HEIGHT] = [512, 256];
const FRAME = 'w=480:h=360';

/** A JPEG of 480×360 of what a camera sees there. */
export async function photoOf(place: Place, look: CameraView = {}): Promise<string> {
  return transcode(`${place}.jpg`, [
    ...['-i', await panorama(place), '-vf', lens(look), '-frames:v', '1', '-q:v', '3'],
  ]);
}

/** A film of 480×360, 24 fps: seconds at one place, then at the next, the camera turning by `turn` degrees a second. */
export async function filmOf(
  shots: readonly { place: Place; seconds: number; look?: CameraView }[],
  turn = 4,
): Promise<string> {
  const inputs = await Promise.all(
    shots.map(async ({ place, seconds }) => [
      ...['-loop', '1', '-framerate', '24', '-t', String(seconds), '-i', await panorama(place)],
    ]),
  );
  const scroll = `scroll=horizontal=${(turn / 360 / 24).toFixed(6)}`;
  const lanes = shots.map(({ look = {} }, i) => `[${i}:v]${scroll},${lens(look)},setsar=1,format=yuv420p[v${i}]`);
  const joined = `${shots.map((_, i) => `[v${i}]`).join('')}concat=n=${shots.length}:v=1`;
  return transcode(`${shots.map(({ place }) => place).join('-')}.mp4`, [
    ...inputs.flat(),
    ...['-filter_complex', `${lanes.join(';')};${joined}`, '-c:v', 'libx264', '-an'],
  ]);
}

function lens({ yaw = 0, pitch = 5, view = 80, filter }: CameraView): string {
  const down = (2 * Math.atan(0.75 * Math.tan((view * Math.PI) / 360)) * 180) / Math.PI;
  const field = `h_fov=${view}:v_fov=${down.toFixed(2)}`;
  return [
    `v360=e:rectilinear:${field}:${FRAME}:yaw=${yaw}:pitch=${pitch}:interp=cubic`,
    ...(filter ? [filter] : []),
  ].join(',');
}

/** The panorama as an 8-bit PNG. ffmpeg clips what is brighter than white, so light is compressed here. */
function panorama(place: Place): Promise<string> {
  const script = `${packageFolder('@pmndrs/assets')}/hdri/${place}.exr.js`;
  // This file itself names its tone mapping.
  return cachedMedia(`${place}.png`, [script, fileURLToPath(import.meta.url)], async (path) => {
    const { default: url } = (await import(pathToFileURL(script).href)) as { default: string };
    await writeFile(`${path}.exr`, Buffer.from(url.slice(url.indexOf(',') + 1), 'base64'));
    const raw = ['-f', 'rawvideo', '-pix_fmt', 'gbrpf32le', '-'];
    const { stdout } = await run(ffmpegProgram(), ['-v', 'error', '-i', `${path}.exr`, ...raw], {
      encoding: 'buffer',
      maxBuffer: 16 << 20,
    });
    await writeFile(`${path}.rgb`, toneMapped(stdout));
    const size = ['-f', 'rawvideo', '-pix_fmt', 'rgb24', '-s', `${WIDTH}x${HEIGHT}`];
    await run(ffmpegProgram(), ['-v', 'error', ...size, '-i', `${path}.rgb`, path]);
  });
}

/**
 * Planes of green, blue and red light → rows of RGB, 0..255: `L / (1 + L)` with the mean of the logarithms at 0.4
 * (Reinhard et al. 2002, global operator), then gamma 2.2.
 */
function toneMapped(planes: Buffer): Uint8Array {
  const count = WIDTH * HEIGHT;
  const light = (plane: number, i: number): number => Math.max(0, planes.readFloatLE(4 * (plane * count + i)));
  const luminance = (i: number): number => 0.2126 * light(2, i) + 0.7152 * light(0, i) + 0.0722 * light(1, i);
  let logs = 0;
  for (let i = 0; i < count; i += 1) logs += Math.log(1e-4 + luminance(i));
  const exposure = 0.4 / Math.exp(logs / count);
  const rgb = new Uint8Array(3 * count);
  for (let i = 0; i < count; i += 1) {
    const scale = exposure / (1 + exposure * luminance(i));
    [2, 0, 1].forEach((plane, channel) => {
      rgb[3 * i + channel] = Math.round(255 * Math.min(1, light(plane, i) * scale) ** (1 / 2.2));
    });
  }
  return rgb;
}
