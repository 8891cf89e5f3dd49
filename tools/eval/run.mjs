// npm run eval: measures accuracy on labelled media and fails below the bars. Prints one table.
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeGalleryVersion } from '@adit/modules';
import sharp from 'sharp';
import { captions } from './captions.mjs';
import { cuts } from './cuts.mjs';
import { eveningNewsRows } from './evening-news.mjs';
import { openModule } from './fold.mjs';
import { landmarks } from './landmarks.mjs';
import { FileAnalyser } from './file-analyser.mjs';
import { mediaPath } from './media-path.mjs';
import { noFaces } from './no-faces.mjs';
import { objects } from './objects.mjs';
import { optionsOf } from './options.mjs';
import { search } from './search.mjs';
import { coverage, distance, matchBoxes, overlap } from './score.mjs';
import { speakers } from './speakers.mjs';
import { speech } from './speech.mjs';
import { traits } from './traits.mjs';
import { trainings } from './trainings.mjs';
import { unseen } from './unseen.mjs';

const MAX_DISTANCE = 1;
/** Width of a picture as small as a thumbnail of an archive. */
const SMALL_WIDTH = 320;
const builtIn = join(import.meta.dirname, '../../models');
const asked = optionsOf(process.argv.slice(2));
if (asked.said !== undefined) {
  console[asked.exitCode === 0 ? 'log' : 'error'](asked.said);
  process.exit(asked.exitCode);
}
const analyser = await FileAnalyser.open([builtIn], asked.float16);
const labels = JSON.parse(await readFile(join(import.meta.dirname, 'labels.json'), 'utf8'));
const scratch = await mkdtemp(join(tmpdir(), 'adit-eval-'));
const half = asked.heldBack ? 'held back' : 'work';
const rows = [];
/** One line of the table; `ok` null for what is only shown. */
const row = (what, measured, bar = '', ok = null) => rows.push({ what, measured, bar, ok });

const noPlaces = labels.groups.map(({ file }) => file);
/** By the names of `PARTS`. */
const parts = {
  faces: async () => {
    await detection();
    await smallFaces();
    await pairs();
    await films();
  },
  objects: () => objects(analyser, row),
  landmarks: () => landmarks(analyser, scratch, noPlaces, row),
  people: () => traits(analyser, labels.different.people, row),
  captions: () => captions(builtIn, scratch, row),
  speech: () => speech(builtIn, scratch, row, asked.peers),
  speakers: () => speakers(builtIn, scratch, row),
  search: () => search(scratch, row),
  unseen: () => unseen(analyser, scratch, row, half, asked.peers),
  'no-faces': () => noFaces(analyser, row),
  trainings: () => trainings(analyser, scratch, row, half, asked.peers),
  cuts: () => cuts(analyser, scratch, row, half, asked.peers),
  'evening-news': () => eveningNewsRows(scratch, row),
};

try {
  for (const name of asked.parts) await parts[name]();
} finally {
  await analyser.close();
  await rm(scratch, { recursive: true, force: true });
}
print();
process.exitCode = rows.some(({ ok }) => ok === false) ? 1 : 0;

async function detection() {
  let extra = 0;
  for (const reduced of [false, true]) {
    const total = { found: 0, missed: 0, extra: 0 };
    let smallest = Infinity;
    for (const { file, faces } of labels.groups) {
      const path = reduced ? await shrunk(mediaPath(file)) : mediaPath(file);
      const { width, height } = await sharp(path).metadata();
      smallest = Math.min(smallest, ...faces.map(([, , w, h]) => Math.min(w * width, h * height)));
      const result = matchBoxes(
        faces,
        (await analyser.faces(path)).map(({ box }) => box),
      );
      for (const key of Object.keys(total)) total[key] += result[key];
      if (result.missed + result.extra > 0) row(`  ${file}`, `${result.missed} missed, ${result.extra} false`);
    }
    const all = total.found + total.missed;
    const size = reduced ? `reduced to ${labels.reducedTo} px, ` : '';
    const what = `group photos, ${size}faces from ${Math.floor(smallest)} px`;
    row(what, `${total.found} of ${all} found`, 'all', total.missed === 0);
    extra += total.extra;
  }
  for (const file of labels.empty) extra += (await analyser.faces(mediaPath(file))).length;
  row(`false faces on these and ${labels.empty.length} pictures without faces`, String(extra), 'at most 1', extra <= 1);
}

/** Faces of group photos 320 pixels wide, each compared with all of the photos in full size and with the single people. */
async function smallFaces() {
  const people = [];
  for (const { file } of labels.groups) {
    for (const [i, face] of (await analyser.faces(mediaPath(file))).entries())
      people.push({ name: `${file}#${i}`, ...face });
  }
  for (const name of Object.values(labels.different.people)) people.push({ name, embedding: await embeddingOf(name) });
  const same = new Map(labels.same.map(([a, b]) => [a, b]));
  const one = (a, b) => a === b || same.get(a) === b || same.get(b) === a;
  const count = { all: 0, right: 0, wrong: 0 };
  for (const { file, faces } of labels.groups) {
    count.all += faces.length;
    const own = people.filter(({ name }) => name.startsWith(`${file}#`));
    for (const { box, embedding } of await analyser.faces(await shrunk(mediaPath(file), SMALL_WIDTH))) {
      const known = own.find((face) => overlap(face.box, box) >= 0.4);
      const near = people
        .filter((person) => person.embedding !== null && embedding !== null)
        .map((person) => ({ name: person.name, far: distance(person.embedding, embedding) }))
        .sort((a, b) => a.far - b.far)[0];
      if (near === undefined || near.far > MAX_DISTANCE) continue;
      count[known !== undefined && one(known.name, near.name) ? 'right' : 'wrong']++;
    }
  }
  const { all, right, wrong } = count;
  const least = Math.ceil((18 / 22) * all);
  row(`group photos ${SMALL_WIDTH} px wide: faces known`, `${right} of ${all}`, `at least ${least}`, right >= least);
  row(`  … taken for somebody else`, String(wrong), '0', wrong === 0);
}

async function shrunk(path, widest = labels.reducedTo) {
  const target = join(scratch, `${path.replace(/\W+/g, '-')}-${widest}.jpg`);
  const { width } = await sharp(path).metadata();
  await sharp(path)
    .resize({ width: Math.min(width, widest) })
    .jpeg({ quality: 92 })
    .toFile(target);
  return target;
}

async function pairs() {
  const same = [];
  for (const names of labels.same) same.push(distance(...(await Promise.all(names.map(embeddingOf)))));
  const accepted = same.filter((value) => value <= MAX_DISTANCE).length;
  const allowed = same.length - 1;
  row(
    'photo pairs of one person accepted',
    `${accepted} of ${same.length}`,
    `at least ${allowed}`,
    accepted >= allowed,
  );
  row('  largest distance', Math.max(...same).toFixed(3));

  const people = await Promise.all(Object.values(labels.different.people).map(embeddingOf));
  const groups = [];
  for (const { file } of labels.groups) {
    groups.push(
      (await analyser.faces(mediaPath(file))).map(({ embedding }) => embedding).filter((one) => one !== null),
    );
  }
  const different = [...choose2(people), ...groups.flatMap(choose2)];
  for (const face of groups.flat()) for (const person of people) different.push([face, person]);
  const distances = different.map(([a, b]) => distance(a, b));
  const wrong = distances.filter((value) => value <= MAX_DISTANCE).length;
  row('photo pairs of different people accepted', `${wrong} of ${distances.length}`, '0', wrong === 0);
  row('  smallest distance', Math.min(...distances).toFixed(3));
}

/** Embedding of the only face of a photo, or of face n for `file#n`. */
async function embeddingOf(name) {
  const [file, index = '0'] = name.split('#');
  const face = (await analyser.faces(mediaPath(file)))[Number(index)];
  if (!face?.embedding) throw new Error(`No face found on ${name}, so its pairs cannot be measured.`);
  return face.embedding;
}

function choose2(list) {
  return list.flatMap((a, i) => list.slice(0, i).map((b) => [a, b]));
}

async function films() {
  const network = analyser.repository.resolve('face-embedding');
  const people = [];
  for (const [label, photos] of Object.entries(labels.gallery)) {
    people.push({ label, embeddings: await Promise.all(photos.map(embeddingOf)) });
  }
  const embedding = { name: network.pin.name, digest: network.pin.digest };
  await writeGalleryVersion(scratch, 'evaluation', people, { embedding, dimensions: 512 });
  const given = { max_distance: MAX_DISTANCE };
  const fold = await openModule('face_recognition', 'faces', given, { models: scratch, model: 'evaluation' });
  for (const { file, person, shown } of labels.films) {
    const units = await analyser.units(mediaPath(file));
    const segments = fold(units).filter(({ label }) => label === person);
    const sampled = units.flatMap(({ observations }) => observations.sampled.map(({ time }) => time));
    const spans = segments.map(({ timeStart, timeEnd }) => [timeStart, timeEnd]);
    const { present, hits, wrong } = coverage(sampled, shown, spans);
    const name = file.split('/').at(-1);
    if (present > 0) {
      const share = hits / present;
      row(`${name}: samples that show ${person} and say so`, `${hits} of ${present}`, 'at least 95 %', share >= 0.95);
      row(`${name}: segments of ${person}`, String(segments.length), 'at most 8', segments.length <= 8);
    }
    row(`${name}: samples that wrongly say ${person}`, `${wrong} of ${sampled.length - present}`, '0', wrong === 0);
  }
}

function print() {
  const widths = ['what', 'measured', 'bar'].map((key) =>
    Math.max(...rows.map((line) => line[key].length), key.length),
  );
  const line = (cells) =>
    cells
      .map((cell, i) => cell.padEnd(widths[i] ?? 0))
      .join('  ')
      .trimEnd();
  console.log(line(['what', 'measured', 'bar', '']));
  for (const { what, measured, bar, ok } of rows) {
    console.log(line([what, measured, bar, ok === null ? '' : ok ? 'ok' : 'FAILED']));
  }
}
