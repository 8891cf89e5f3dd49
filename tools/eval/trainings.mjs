// Trainings of people on photos of public repositories: three photos of each are enrolled and the others queried, people left out too, beside
// dlib with the same photos; then wrong photos are planted.
import { cosine, DEFAULT_LIMITS, fitFaceHead, vectorOf } from '@adit/datasets';
import { dlibFaces, dlibNamer } from './face-peer.mjs';
import { signTest } from './score.mjs';
import { PeerError } from '../peers/python.mjs';
import { largest, reduced, share, unseenMedia, whereFetched } from './unseen.mjs';

const ENROLLED = 3;
/** One class in so many gets a photo of somebody else. */
const PLANTED_IN = 4;
const FOUND = 0.9;

/** `half`: 'work' or 'held back', of the people of unseen.mjs. */
export function trainings(analyser, scratch, row, half, withPeers) {
  return whereFetched(row, half, async () => {
    const people = new Map();
    for (const { person, path } of (await unseenMedia(half)).photos) {
      const upright = await reduced(path, Infinity, scratch);
      people.set(person, [...(people.get(person) ?? []), upright]);
    }
    const listed = Array.from(people, ([person, photos]) => ({ person, photos }));
    await measured(analyser, scratch, row, withPeers, listed);
  });
}

async function measured(analyser, scratch, row, withPeers, people) {
  const inferences = new Map();
  const paths = people.flatMap(({ photos }) => photos);
  for (const path of paths) inferences.set(path, await inferenceOf(analyser, path));
  const right = await report(row, people, {
    name: 'Adit',
    isOurs: true,
    train: (enrolled) => trainedByAdit(enrolled, inferences),
  });
  if (withPeers) {
    try {
      const faces = await dlibFaces(paths, scratch);
      const peers = await report(row, people, {
        name: 'dlib',
        isOurs: false,
        train: (enrolled) => trainedByDlib(enrolled, faces),
      });
      const chance = signTest(right, peers);
      row('  … more than Adit by no more than chance', `p ${chance.toFixed(2)}`, 'at least 0.05', chance >= 0.05);
    } catch (error) {
      if (!(error instanceof PeerError)) throw error;
      row('dlib', error.message);
    }
  }
  await planted(row, people, inferences);
}

/** Rows of one side; whether each photo of somebody known was named right. `train` gives who is on a photo, null for nobody. */
async function report(row, people, { name: side, isOurs, train }) {
  // People without a second photo are asked as unknown ones only.
  const known = people.filter(({ photos }) => photos.length > ENROLLED);
  const nameOf = await train(known);
  const asked = known.flatMap(({ person, photos }) =>
    photos.slice(ENROLLED).map((path) => ({ person, said: nameOf(path) })),
  );
  const right = asked.map(({ person, said }) => said === person);
  const otherwise = asked.filter(({ person, said }) => said !== null && said !== person).length;
  const unknownFaces = [];
  for (const one of people) {
    const withoutOne = await train(known.filter((other) => other !== one));
    unknownFaces.push(...one.photos.map(withoutOne));
  }
  const falsely = unknownFaces.filter((said) => said !== null).length;
  const bar = (count) => (isOurs ? ['0', count === 0] : []);
  row(`${side}: ${known.length} people by ${ENROLLED} photos each, their others named`, share(right));
  row('  … by another name', String(otherwise), ...bar(otherwise));
  row(
    '  … photos of each person, left out in turn, that are named',
    `${falsely} of ${unknownFaces.length}`,
    ...bar(falsely),
  );
  return right;
}

async function trainedByAdit(people, inferences) {
  const classes = people.map(({ person, photos }) => classOf(person, photos.slice(0, ENROLLED), inferences));
  const head = fitFaceHead(classes, DEFAULT_LIMITS);
  return (path) => nearestOf(head, inferences.get(path));
}

async function trainedByDlib(people, faces) {
  const nameOf = dlibNamer(
    people.flatMap(({ person, photos }) =>
      photos.slice(0, ENROLLED).map((path) => ({ person, face: largest(faces.get(path)) })),
    ),
  );
  return (path) => nameOf(largest(faces.get(path)));
}

async function inferenceOf(analyser, path) {
  const faces = await analyser.faces(path);
  const { pin } = analyser.repository.resolve('face-embedding');
  const network = { name: pin.name, digest: pin.digest };
  const seen = faces.filter(({ view }) => view).sort((a, b) => b.view.size - a.view.size);
  return seen.length === 0 ? null : { network, faces: seen.map(({ view, female }) => ({ ...view, female })) };
}

function classOf(person, photos, inferences) {
  return {
    id: person,
    label: person,
    images: photos.map((path) => ({ id: path, digest: path, inference: inferences.get(path) })),
  };
}

/** The class of the nearest centre within the threshold. */
function nearestOf({ classes, report: { threshold } }, inference) {
  if (inference === null) return null;
  const vector = vectorOf(inference.faces[0].embedding);
  const [near] = classes
    .map(({ id, centres }) => ({ id, alike: Math.max(...centres.map((centre) => cosine(centre, vector))) }))
    .sort((a, b) => b.alike - a.alike);
  return Math.sqrt(Math.max(0, 2 - 2 * near.alike)) <= threshold ? near.id : null;
}

async function planted(row, all, inferences) {
  const people = all.filter(({ photos }) => photos.length >= ENROLLED);
  const seen = (photos) => photos.filter((path) => inferences.get(path) !== null);
  const unknownFaces = seen(all.filter((one) => !people.includes(one)).flatMap(({ photos }) => photos));
  plantedRows(
    row,
    'of people of other classes',
    await left(people, inferences, (at) => seen(people[(at + 1) % people.length].photos)[0]),
  );
  plantedRows(
    row,
    'of people of no class',
    await left(people, inferences, (at) => unknownFaces[at % unknownFaces.length]),
  );
}

function plantedRows(row, of, { found, count, lost, photos }) {
  row(`wrong photos ${of}, planted: found`, `${found} of ${count}`, 'at least 90 %', found >= FOUND * count);
  row('  … right photos left out', `${lost} of ${photos}`);
}

/** Each class once gets the photo `wrongFor` gives for its place, a part of all classes at a time. */
async function left(people, inferences, wrongFor) {
  let [found, count] = [0, 0];
  const lost = new Set();
  for (let part = 0; part < PLANTED_IN; part += 1) {
    const wrong = new Map();
    const classes = people.map(({ person, photos }, at) => {
      if (at % PLANTED_IN !== part) return classOf(person, photos, inferences);
      wrong.set(person, wrongFor(at));
      return classOf(person, [...photos, wrongFor(at)], inferences);
    });
    const { report: said } = fitFaceHead(classes, DEFAULT_LIMITS);
    count += wrong.size;
    for (const { class_id: of, image_id: id, reason } of said.left_out) {
      if (!['outlier', 'another_person'].includes(reason)) continue;
      if (wrong.get(of) === id) found += 1;
      else lost.add(id);
    }
  }
  return { found, count, lost: lost.size, photos: people.reduce((sum, { photos }) => sum + photos.length, 0) };
}
