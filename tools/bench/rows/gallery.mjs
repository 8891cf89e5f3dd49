// Recognition of a face among many: one search of a gallery.
import { loadavg } from 'node:os';
import { Matcher } from '@adit/modules';
import { median } from '../measure.mjs';

const PEOPLE = 20_000;
/** As many as a training keeps of a person with ten photos. */
const PHOTOS = 8;
const DIMENSIONS = 512;
const LIMIT_MS = 2;
const RECALL = 0.99;
/** Cosine of a photo to the face it shows, and of the face that is looked for: the photos of one person are then .6 and .43 alike. */
const [ENROLLED, ASKED] = [0.78, 0.55];

export async function gallery(bench) {
  const people = bench.quick ? 1_000 : PEOPLE;
  const faces = Array.from({ length: people }, unit);
  const gallery = galleryOf(faces);
  const matcher = new Matcher([gallery]);
  const asked = bench.quick ? 20 : 200;
  const times = [];
  let found = 0;
  let unknown = 0;
  // The first few are for warming up; every tenth is an unknown face.
  for (let i = -5; i < asked; i++) {
    const query = view(i % 10 === 0 ? unit() : faces[Math.floor(Math.random() * people)], ASKED);
    const before = process.cpuUsage();
    const [nearest] = matcher.nearest(query, 3);
    const { user, system } = process.cpuUsage(before);
    if (i < 0) continue;
    times.push((user + system) / 1000);
    if (i % 10 === 0) unknown += nearest.distance > 1 ? 1 : 0;
    else if (nearest.person === exactly(query, gallery)) found += 1;
  }
  const of = asked - Math.ceil(asked / 10);
  const middle = median(times);
  const recall = found / of;
  return [
    {
      name: `a face among ${people.toLocaleString('en')} people with ${PHOTOS} photos each`,
      measured: `${middle.toFixed(1)} ms of a core, ${(100 * recall).toFixed(1)} % as an exact search says`,
      goal: `≤ ${LIMIT_MS} ms at ≥ ${100 * RECALL} %`,
      ok: middle <= LIMIT_MS && recall >= RECALL,
      note: `once for each person who appears; ${unknown} of ${Math.ceil(asked / 10)} unknown faces are nobody; load ${loadavg()[0].toFixed(0)}`,
    },
  ];
}

function exactly(query, { vectors, rows }) {
  let [best, person] = [-2, -1];
  for (let row = 0; row < rows.length; row += 1) {
    let cosine = 0;
    for (let at = 0, from = row * DIMENSIONS; at < DIMENSIONS; at += 1) cosine += query[at] * vectors[from + at];
    if (cosine > best) [best, person] = [cosine, rows[row]];
  }
  return person;
}

function galleryOf(faces) {
  const rows = Array.from({ length: faces.length * PHOTOS }, (_, row) => Math.floor(row / PHOTOS));
  const vectors = new Float32Array(rows.length * DIMENSIONS);
  rows.forEach((person, row) => vectors.set(view(faces[person], ENROLLED), row * DIMENSIONS));
  return {
    format: 1,
    name: 'many',
    custom: false,
    embedding: { name: 'random', digest: '' },
    dimensions: DIMENSIONS,
    classes: faces.map((_, index) => ({ id: '', label: `Person ${index}`, images: PHOTOS })),
    rows,
    vectors,
  };
}

/** A random direction. */
function unit() {
  const vector = Float32Array.from({ length: DIMENSIONS }, () => Math.random() - 0.5);
  const length = Math.hypot(...vector);
  return vector.map((value) => value / length);
}

/** Another look of a face, of about that cosine to it. */
function view(face, cosine) {
  const side = unit();
  const vector = face.map((value, at) => cosine * value + Math.sqrt(1 - cosine ** 2) * side[at]);
  const length = Math.hypot(...vector);
  return vector.map((value) => value / length);
}
