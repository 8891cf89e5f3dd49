// People on photos of public repositories, in two halves: one for development, and one held back for the final evaluation.
import { createHash } from 'node:crypto';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { DLIB_MAX_DISTANCE, dlibFaces } from './face-peer.mjs';
import { PeerError } from '../peers/python.mjs';
import { RepositoryError, RepositoryFiles } from './repository-files.mjs';
import { distance, matchBoxes, signTest, wilson } from './score.mjs';

const SMALL_WIDTH = 320;
/** Largest distance of the same person on each side: the defaults of Adit and of face_recognition. */
const ADIT = { name: 'Adit', maxDistance: 1 };
const DLIB = { name: 'dlib', maxDistance: DLIB_MAX_DISTANCE };

/** Share of photos of one person that may have another face. */
const MORE_LIMIT = 1 / 100;

/** Share of pairs of different people within the distance at which both sides are compared. */
const EQUALLY_STRICT = 1 / 1000;

/** Evaluates a half: 'work' or 'held back'. */
export function unseen(analyser, scratch, row, half, withPeers) {
  return whereFetched(row, half, async () => {
    const { photos, groups } = await unseenMedia(half);
    for (const [size, widest] of [
      ['full size', Infinity],
      [`${SMALL_WIDTH} px wide`, SMALL_WIDTH],
    ]) {
      const given = async ({ path }) => [path, await reduced(path, widest, scratch)];
      const paths = new Map(await inOrder([...photos, ...groups], given));
      const sides = [
        { ...ADIT, faces: await aditFaces(analyser, [...photos.map(({ path }) => path), ...paths.values()]) },
      ];
      if (withPeers) {
        try {
          sides.push({
            ...DLIB,
            faces: await dlibFaces([...new Set([...photos.map(({ path }) => path), ...paths.values()])], scratch),
          });
        } catch (error) {
          if (!(error instanceof PeerError)) throw error;
          row('dlib', error.message);
        }
      }
      report(row, `${half}, ${size}`, sides, photos, groups, paths);
    }
  });
}

/** Measures, or says in the table why the photos cannot be had. */
export async function whereFetched(row, half, measure) {
  try {
    await measure();
  } catch (error) {
    if (!(error instanceof RepositoryError)) throw error;
    row(`photos of public repositories, ${half}: skipped`, error.message);
  }
}

/** The photos of a half's people, [{person, file, isGallery, path}], and its group photos. Throws RepositoryError where they cannot be had. */
export async function unseenMedia(half) {
  const labels = JSON.parse(await readFile(join(import.meta.dirname, 'unseen-labels.json'), 'utf8'));
  const files = new RepositoryFiles(labels.repositories);
  const photos = Object.entries(labels.people)
    .filter(([person]) => halfOf(person) === half)
    .flatMap(([person, own]) => own.map((file, i) => ({ person, file, isGallery: i === 0 })));
  const groups = labels.groups.filter(({ file }) => halfOf(file) === half);
  const located = (list) => Promise.all(list.map(async (one) => ({ ...one, path: await files.path(one.file) })));
  return { photos: await located(photos), groups: await located(groups) };
}

function halfOf(name) {
  return createHash('sha256').update(name).digest().at(-1) % 2 === 0 ? 'work' : 'held back';
}

function report(row, what, sides, photos, groups, paths) {
  const results = sides.map((side) => resultOf(side, photos, groups, paths));
  const [ours, peer] = results;
  const comparedTo = (key) => {
    if (peer === undefined) return ['', null];
    const chance = signTest(ours[key], peer[key]);
    return [`dlib not better (p ${chance.toFixed(2)})`, chance >= 0.05];
  };
  for (const result of results) {
    const isOurs = result.side.name === ADIT.name;
    // Only ours has bars; dlib is what they are compared with.
    const bars = isOurs ? comparedTo : () => [];
    reportNames(row, what, result, bars, isOurs);
    reportFaces(row, what, result, bars, { isOurs, photos });
  }
}

function resultOf(side, photos, groups, paths) {
  const asked = photos.filter(({ isGallery }) => !isGallery);
  const nameOf = galleryOf(side, photos);
  const namesWithin = (maxDistance) =>
    asked.map(({ path }) => nameOf(largest(side.faces.get(paths.get(path))), maxDistance));
  const named = namesWithin(side.maxDistance);
  const apart = distancesApart(side, photos, groups, paths);
  const strict = namesWithin(apart[Math.floor(apart.length * EQUALLY_STRICT)]);
  const found = groups.map(({ faces, maybe = [], path }) => {
    const seen = side.faces.get(paths.get(path)).map(({ box }) => box);
    const { extra, hits } = matchBoxes(faces, seen, 0.3);
    const spared = matchBoxes(maybe, seen, 0.2).found;
    return { hits, extra: Math.max(0, extra - spared) };
  });
  return {
    side,
    apart,
    right: asked.map(({ person }, i) => named[i] === person),
    strictlyRight: asked.map(({ person }, i) => strict[i] === person),
    wrong: asked.flatMap(({ person, file }, i) =>
      named[i] !== null && named[i] !== person ? [`${file}: ${named[i]}`] : [],
    ),
    more: photos.filter(({ path }) => side.faces.get(paths.get(path)).length > 1).map(({ file }) => file),
    found: found.flatMap(({ hits }) => hits),
    extra: found.reduce((sum, { extra }) => sum + extra, 0),
  };
}

/** Answers a function that names a face by the gallery's photos; null beyond the distance. */
function galleryOf(side, photos) {
  const gallery = photos
    .filter(({ isGallery }) => isGallery)
    .map(({ person, path }) => ({ person, embedding: largest(side.faces.get(path))?.embedding ?? null }))
    .filter(({ embedding }) => embedding !== null);
  return (face, maxDistance) => {
    if (!face?.embedding) return null;
    const [near] = gallery
      .map(({ person, embedding }) => ({ person, far: distance(embedding, face.embedding) }))
      .sort((a, b) => a.far - b.far);
    return near.far <= maxDistance ? near.person : null;
  };
}

function reportNames(row, what, { side, apart, right, strictlyRight, wrong }, bars, isOurs) {
  row(`${what}, ${side.name}: photos named`, share(right), ...bars('right'));
  row('  … by another name', String(wrong.length), isOurs ? '0' : '', isOurs ? wrong.length === 0 : null);
  if (isOurs) for (const line of wrong) row(`    ${line}`, '');
  const alike = apart.filter((far) => far <= side.maxDistance).length;
  row(
    '  pairs of different people within that distance',
    `${alike} of ${apart.length}`,
    isOurs ? '0' : '',
    isOurs ? alike === 0 : null,
  );
  row('  named where 1 in 1,000 of these is', share(strictlyRight), ...bars('strictlyRight'));
}

function reportFaces(row, what, { side, more, found, extra }, bars, { isOurs, photos }) {
  const limit = Math.floor(photos.length * MORE_LIMIT);
  row(
    '  photos of one person with a face more',
    `${more.length} of ${photos.length}`,
    isOurs ? `at most ${limit}` : '',
    isOurs ? more.length <= limit : null,
  );
  if (isOurs) for (const file of more) row(`    ${file}`, '');
  row(`${what}, ${side.name}: faces found on group photos`, share(found), ...bars('found'));
  row('  … where there is none', String(extra));
}

/** Distances between faces of different people, in ascending order: across photos, and within each group photo. */
function distancesApart({ faces }, photos, groups, paths) {
  const single = photos.map(({ person, path }) => ({ person, face: largest(faces.get(paths.get(path))) }));
  const crowds = groups.map(({ path }) => faces.get(paths.get(path)).map((face, i) => ({ person: i, face })));
  return [single, ...crowds]
    .map((list) => list.filter(({ face }) => face?.embedding))
    .flatMap((list) => list.flatMap((a, i) => list.slice(0, i).map((b) => [a, b])))
    .filter(([a, b]) => a.person !== b.person)
    .map(([a, b]) => distance(a.face.embedding, b.face.embedding))
    .sort((a, b) => a - b);
}

/** `12 of 15 (55–93 %)`: the interval is Wilson's, of 95 %. */
export function share(list) {
  const right = list.filter(Boolean).length;
  const [low, high] = wilson(right, list.length);
  return `${right} of ${list.length} (${(100 * low).toFixed(0)}–${(100 * high).toFixed(0)} %)`;
}

export function largest(faces) {
  return [...faces].sort((a, b) => b.box[2] * b.box[3] - a.box[2] * a.box[3])[0];
}

async function aditFaces(analyser, paths) {
  return new Map(await inOrder([...new Set(paths)], async (path) => [path, await analyser.faces(path)]));
}

/** Turns the photo upright and limits its width; answers the path. */
export async function reduced(path, widest, scratch) {
  const { width, orientation = 1 } = await sharp(path).metadata();
  const { size } = await stat(path);
  if (width <= widest && orientation === 1) return path;
  const target = join(scratch, `${createHash('sha256').update(`${path} ${size} ${widest}`).digest('hex')}.jpg`);
  const upright = sharp(path).rotate().flatten();
  await writeFile(
    target,
    await (widest === Infinity ? upright : upright.resize({ width: widest, withoutEnlargement: true }))
      .jpeg({ quality: 92 })
      .toBuffer(),
  );
  return target;
}

/** Maps a list one item after the other. */
async function inOrder(list, map) {
  const results = [];
  for (const one of list) results.push(await map(one));
  return results;
}
