// Films of hard cuts between photos of people and clips, in two ways: portraits on one unmoved background, and whole photos.
import { writeFile } from 'node:fs/promises';
import { cachedMedia, transcode } from '@adit/testing';
import sharp from 'sharp';
import { mediaPath } from './media-path.mjs';

const [WIDTH, HEIGHT] = [640, 360];
export const FPS = 25;
const PHOTO_SECONDS = 2;
const CLIP_SECONDS = 4;
/** Photos between two clips. */
const BETWEEN_CLIPS = 9;
/** A portrait: its side in the film, and how much around a face it shows, in face boxes. */
const PORTRAIT = { x: 190, y: 50, side: 260, shows: 1.8 };
const X264 = ['-c:v', 'libx264', '-preset', 'veryfast', '-crf', '20', '-g', '50', '-pix_fmt', 'yuv420p', '-an'];
const GROUND = `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${HEIGHT}"><defs><linearGradient id="g" x2="1" y2="1">
<stop stop-color="#31506b"/><stop offset="1" stop-color="#b9a58c"/></linearGradient></defs><rect width="100%" height="100%" fill="url(#g)"/>
<rect x="40" y="40" width="90" height="280" fill="#20303c"/><circle cx="560" cy="90" r="50" fill="#d8d2c4"/></svg>`;

/**
 * `way`: 'portraits' or 'whole photos'. `photos`: [{person, path, box}] in the order shown, `box` [x, y, w, h] the
 * face as fractions; `clips`: [{person, film, from}], one behind every few photos. Answers the film's path and its shots, [{person, box, start, end}] in seconds; of a clip the box is null.
 */
export async function cutFilm(way, photos, clips) {
  const parts = [];
  const shots = [];
  const add = (person, box, seconds) => {
    const start = shots.at(-1)?.end ?? 0;
    shots.push({ person, box, start, end: start + seconds });
  };
  for (let at = 0; at < photos.length; at += BETWEEN_CLIPS) {
    const shown = photos.slice(at, at + BETWEEN_CLIPS);
    const stills = [];
    for (const photo of shown) {
      const { path, box } = await (way === 'portraits' ? portrait(photo) : wholePhoto(photo));
      stills.push(path);
      add(photo.person, box, PHOTO_SECONDS);
    }
    parts.push(await slides(stills));
    const clip = clips[at / BETWEEN_CLIPS];
    if (clip === undefined) continue;
    parts.push(await clipOf(clip));
    add(clip.person, null, CLIP_SECONDS);
  }
  const list = await textFile(
    'cuts.txt',
    parts.map((part) => `file '${part}'`),
  );
  const path = await transcode('cuts.mp4', ['-f', 'concat', '-safe', '0', '-i', list, '-c', 'copy']);
  return { path, shots };
}

/** The face and what is around it, always in the same place of the same picture. */
async function portrait({ path, box: [x, y, w, h] }) {
  const upright = sharp(await sharp(path).rotate().flatten().toBuffer());
  const { width, height } = await upright.metadata();
  const side = Math.round(Math.min(PORTRAIT.shows * Math.max(w * width, h * height), width, height));
  const within = (middle, most) => Math.round(Math.min(Math.max(0, middle - side / 2), most - side));
  const left = within((x + w / 2) * width, width);
  const top = within((y + h / 2) * height, height);
  const cut = await upright
    .extract({ left, top, width: side, height: side })
    .resize(PORTRAIT.side, PORTRAIT.side)
    .toBuffer();
  const pixels = await sharp(Buffer.from(GROUND))
    .composite([{ input: cut, left: PORTRAIT.x, top: PORTRAIT.y }])
    .png()
    .toBuffer();
  const scale = PORTRAIT.side / side;
  const inFilm = [
    (PORTRAIT.x + (x * width - left) * scale) / WIDTH,
    (PORTRAIT.y + (y * height - top) * scale) / HEIGHT,
    (w * width * scale) / WIDTH,
    (h * height * scale) / HEIGHT,
  ];
  return { path: await pictureFile(pixels), box: inFilm };
}

async function wholePhoto({ path, box: [x, y, w, h] }) {
  const upright = await sharp(path).rotate().flatten().toBuffer();
  const { width, height } = await sharp(upright).metadata();
  const scale = Math.min(WIDTH / width, HEIGHT / height);
  const [shareX, shareY] = [(width * scale) / WIDTH, (height * scale) / HEIGHT];
  const pixels = await sharp(upright).resize(WIDTH, HEIGHT, { fit: 'contain' }).png().toBuffer();
  const box = [(1 - shareX) / 2 + x * shareX, (1 - shareY) / 2 + y * shareY, w * shareX, h * shareY];
  return { path: await pictureFile(pixels), box };
}

async function slides(paths) {
  const lines = paths.flatMap((path) => [`file '${path}'`, `duration ${PHOTO_SECONDS}`]);
  // The last one is named once more, or its duration does not count.
  const list = await textFile('slides.txt', [...lines, `file '${paths.at(-1)}'`]);
  const seconds = String(paths.length * PHOTO_SECONDS);
  return transcode('slides.mp4', ['-f', 'concat', '-safe', '0', '-i', list, '-r', String(FPS), '-t', seconds, ...X264]);
}

function clipOf({ film, from }) {
  const fit = `scale=${WIDTH}:${HEIGHT}:force_original_aspect_ratio=decrease,pad=${WIDTH}:${HEIGHT}:(ow-iw)/2:(oh-ih)/2`;
  const given = ['-ss', String(from), '-i', mediaPath(film), '-t', String(CLIP_SECONDS)];
  return transcode('clip.mp4', [...given, '-vf', `${fit},fps=${FPS},setsar=1`, ...X264]);
}

function textFile(name, lines) {
  const text = lines.map((line) => `${line}\n`).join('');
  return cachedMedia(name, text, (path) => writeFile(path, text));
}

function pictureFile(pixels) {
  return cachedMedia('shot.png', pixels.toString('base64'), (path) => writeFile(path, pixels));
}
