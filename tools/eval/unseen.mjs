// People on photos of public repositories, in two halves: one to work on, and one that is looked at once, at the end.
import { createHash } from 'node:crypto';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { dlibFaces } from './face-peer.mjs';
import { PeerError } from './speech-peer.mjs';
import { RepositoryError, RepositoryFiles } from './repository-files.mjs';
import { distance, matchBoxes, signTest, wilson } from './score.mjs';

const SMALL_WIDTH = 320;
/** What each side takes for the same person: Adit's default, and face_recognition's. */
const ADIT = { name: 'Adit', maxDistance: 1 };
const DLIB = { name: 'dlib', maxDistance: 0.6 };

/** `half`: 'work' or 'held back'. */
export async function unseen(looker, scratch, row, half, withPeers) {
  const labels = JSON.parse(await readFile(join(import.meta.dirname, 'unseen-labels.json'), 'utf8'));
  const files = new RepositoryFiles(labels.repositories);
  const people = Object.entries(labels.people).filter(([name]) => halfOf(name) === half);
  const groups = labels.groups.filter(({ file }) => halfOf(file) === half);
  try {
    const photos = await Promise.all(
      people.flatMap(([person, paths]) =>
        paths.map(async (file, i) => ({ person, file, isGallery: i === 0, path: await files.path(file) })),
      ),
    );
    const grouped = await Promise.all(groups.map(async (group) => ({ ...group, path: await files.path(group.file) })));
    for (const [size, widest] of [
      ['full size', Infinity],
      [`${SMALL_WIDTH} px wide`, SMALL_WIDTH],
    ]) {
      const given = async ({ path }) => [path, await reduced(path, widest, scratch)];
      const paths = new Map(await inTurn([...photos, ...grouped], given));
      const sides = [
        { ...ADIT, faces: await aditFaces(looker, [...photos.map(({ path }) => path), ...paths.values()]) },
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
      report(row, `${half}, ${size}`, sides, photos, grouped, paths);
    }
  } catch (error) {
    if (!(error instanceof RepositoryError)) throw error;
    row(`photos of public repositories, ${half}: skipped`, error.message);
  }
}

export function halfOf(name) {
  return createHash('sha256').update(name).digest().at(-1) % 2 === 0 ? 'work' : 'held back';
}

function report(row, what, sides, photos, groups, paths) {
  const results = sides.map((side) => {
    const gallery = photos
      .filter(({ isGallery }) => isGallery)
      .map(({ person, path }) => ({ person, embedding: largest(side.faces.get(path))?.embedding ?? null }))
      .filter(({ embedding }) => embedding !== null);
    const name = (face) => {
      if (!face?.embedding) return null;
      const [near] = gallery
        .map(({ person, embedding }) => ({ person, far: distance(embedding, face.embedding) }))
        .sort((a, b) => a.far - b.far);
      return near.far <= side.maxDistance ? near.person : null;
    };
    const asked = photos.filter(({ isGallery }) => !isGallery);
    const named = asked.map(({ path }) => name(largest(side.faces.get(paths.get(path)))));
    const found = groups.flatMap(({ faces, maybe = [], path }) => {
      const seen = side.faces.get(paths.get(path)).map(({ box }) => box);
      const { extra, hits } = matchBoxes(faces, seen, 0.3);
      const spared = matchBoxes(maybe, seen, 0.2).found;
      return [{ hits, extra: Math.max(0, extra - spared) }];
    });
    return {
      side,
      right: asked.map(({ person }, i) => named[i] === person),
      wrong: asked.flatMap(({ person, file }, i) =>
        named[i] !== null && named[i] !== person ? [`${file}: ${named[i]}`] : [],
      ),
      found: found.flatMap(({ hits }) => hits),
      extra: found.reduce((sum, { extra }) => sum + extra, 0),
    };
  });
  const [ours, peer] = results;
  const bars = (key) => {
    if (peer === undefined) return ['', null];
    const chance = signTest(ours[key], peer[key]);
    return [`dlib not better (p ${chance.toFixed(2)})`, chance >= 0.05];
  };
  for (const { side, right, wrong, found, extra } of results) {
    const isOurs = side.name === ADIT.name;
    row(`${what}, ${side.name}: photos named`, share(right), ...(isOurs ? bars('right') : []));
    row('  … by another name', String(wrong.length), isOurs ? '0' : '', isOurs ? wrong.length === 0 : null);
    if (isOurs) for (const line of wrong) row(`    ${line}`, '');
    row(`${what}, ${side.name}: faces found on group photos`, share(found), ...(isOurs ? bars('found') : []));
    row('  … where there is none', String(extra));
  }
}

/** `12 of 15 (55–93 %)`: the interval is Wilson's, of 95 %. */
function share(list) {
  const right = list.filter(Boolean).length;
  const [low, high] = wilson(right, list.length);
  return `${right} of ${list.length} (${(100 * low).toFixed(0)}–${(100 * high).toFixed(0)} %)`;
}

function largest(faces) {
  return [...faces].sort((a, b) => b.box[2] * b.box[3] - a.box[2] * a.box[3])[0];
}

async function aditFaces(looker, paths) {
  return new Map(await inTurn([...new Set(paths)], async (path) => [path, await looker.faces(path)]));
}

async function reduced(path, widest, scratch) {
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

async function inTurn(list, look) {
  const results = [];
  for (const one of list) results.push(await look(one));
  return results;
}
