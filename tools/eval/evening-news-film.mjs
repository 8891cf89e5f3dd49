// A film of ten minutes out of what packages deliver: people talking, photos, places, with captions over them.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { cachedMedia, filmOf, transcode } from '@adit/testing';
import { mediaPath } from './media-path.mjs';

export const labels = JSON.parse(await readFile(join(import.meta.dirname, 'evening-news-labels.json'), 'utf8'));
const [width, height] = labels.size;
const FPS = 25;

/** The shots with the seconds of the film at which each begins. */
export function schedule() {
  let start = 0;
  return labels.shots.map((shot) => {
    const timed = { ...shot, start };
    start += shot.seconds;
    return timed;
  });
}

/** Path of the film; made once. */
export async function eveningNews() {
  const parts = [];
  for (const shot of labels.shots) parts.push(await partOf(shot));
  const list = parts.map((part) => `file '${part}'\n`).join('');
  const file = await cachedMedia('evening-news.txt', list, (path) => writeFile(path, list));
  return transcode('evening-news.mp4', [
    '-f',
    'concat',
    '-safe',
    '0',
    '-i',
    file,
    '-c',
    'copy',
    '-movflags',
    '+faststart',
  ]);
}

async function partOf(shot) {
  const { input, fit } = await pictureOf(shot);
  const filters = [...fit, `fps=${FPS}`, 'setsar=1', 'format=yuv420p', ...(await captionsOf(shot))];
  const x264 = ['-c:v', 'libx264', '-preset', 'veryfast', '-crf', '23', '-g', '100', '-an'];
  return transcode('news-shot.mp4', [...input, '-t', String(shot.seconds), '-vf', filters.join(','), ...x264]);
}

async function pictureOf({ film, from, photo, sight, place, yaw, look, seconds }) {
  const whole = `scale=${width}:${height}:force_original_aspect_ratio=decrease,pad=${width}:${height}:(ow-iw)/2:(oh-ih)/2`;
  if (film) return { input: ['-ss', String(from), '-i', mediaPath(film)], fit: [whole] };
  if (photo) {
    // A photo is moved into slowly, as news do.
    const zoom = `zoompan=z='1+0.0008*on':d=1:x='(iw-iw/zoom)/2':y='(ih-ih/zoom)/3':s=${width}x${height}:fps=${FPS}`;
    const cut = `scale=${2 * width}:-2,crop=${2 * width}:${2 * height}:0:min(160\\,ih-${2 * height})`;
    return { input: ['-loop', '1', '-framerate', String(FPS), '-i', mediaPath(photo)], fit: [cut, zoom] };
  }
  const shown = sight ? { place: labels.sights[sight].place, yaw: labels.sights[sight].yaw } : { place, yaw };
  const camera = { pitch: 8, view: 80, ...look, yaw: look?.yaw ? shown.yaw + look.yaw : shown.yaw };
  const path = await filmOf([{ place: shown.place, seconds, look: camera }], 2);
  return { input: ['-i', path], fit: [`scale=${width}:-2:flags=lanczos,crop=${width}:${height}`] };
}

/** A name and below it what the person is, over a bar at the foot of the picture. */
async function captionsOf({ captions = [] }) {
  const filters = [];
  for (const { at, name, role } of captions) {
    const when = `enable='between(t,${at},${at + labels.captionSeconds})'`;
    filters.push(`drawbox=x=60:y=560:w=760:h=120:color=0x102a60@0.88:t=fill:${when}`);
    for (const [text, y, size] of [
      [name, 570, 50],
      [role, 634, 32],
    ]) {
      const file = await cachedMedia('caption.txt', text, (path) => writeFile(path, text));
      const font = `fontfile='${mediaPath(labels.font)}':textfile='${file}':expansion=none`;
      filters.push(`drawtext=${font}:x=84:y=${y}:fontsize=${size}:fontcolor=white:${when}`);
    }
  }
  return filters;
}
