// Time of a training after the inference of its pictures: cleaning, centres, threshold and trials of a head of faces.
import { loadavg } from 'node:os';
import { fitFaceHead } from '@adit/datasets';
import { timed } from '../measure.mjs';

const [PHOTOS, DIMENSIONS] = [10, 512];
const LIMIT_SECONDS = 600;
const NETWORK = { name: 'face-embedding', digest: 'e'.repeat(64) };
/** Cosine of a photo to the face it shows. */
const ALIKE = 0.78;

/** ADIT_BENCH_PEOPLE says of how many. */
export async function training(bench) {
  const people = bench.quick ? 200 : Number(process.env.ADIT_BENCH_PEOPLE ?? 20_000);
  const classes = Array.from({ length: people }, (_, at) => {
    const face = unit();
    const images = Array.from({ length: PHOTOS }, (_, photo) => imageOf(`${at}-${photo}`, view(face)));
    return { id: String(at), label: `Person ${at}`, images };
  });
  bench.log(`training: ${people * PHOTOS} images are made`);
  const before = process.cpuUsage();
  const { seconds, value: head } = await timed(() =>
    fitFaceHead(classes, { minFaceSize: 80, sharpness: 40 }, (part) => {
      if (Math.random() < 0.05) bench.log(`training: ${Math.round(100 * part)} %`);
    }),
  );
  const { user, system } = process.cpuUsage(before);
  const cpu = (user + system) / 1e6;
  const { named_right: right, named_wrong: wrong, held_out: held } = head.report;
  return [
    {
      name: `a training of ${people.toLocaleString('en')} people with ${PHOTOS} photos each, embeddings known`,
      measured: `${cpu.toFixed(0)} s of CPU, ${right} of ${held} named right, ${wrong} wrong`,
      goal: `≤ ${LIMIT_SECONDS} s, none wrong`,
      ok: cpu <= LIMIT_SECONDS && wrong === 0,
      note: `${seconds.toFixed(0)} s by the clock; load ${loadavg()[0].toFixed(0)}`,
    },
  ];
}

function imageOf(id, vector) {
  const embedding = Buffer.from(vector.buffer).toString('base64');
  const face = { size: 160, sharpness: 60, yaw: 0, pitch: 0, roll: 0, eyes: null, mouth: null, female: 0.5, embedding };
  return { id, digest: id, inference: { network: NETWORK, faces: [face] } };
}

/** A random direction. */
function unit() {
  const vector = Float32Array.from({ length: DIMENSIONS }, () => Math.random() - 0.5);
  const length = Math.hypot(...vector);
  return vector.map((value) => value / length);
}

function view(face) {
  const side = unit();
  const vector = face.map((value, at) => ALIKE * value + Math.sqrt(1 - ALIKE ** 2) * side[at]);
  const length = Math.hypot(...vector);
  return vector.map((value) => value / length);
}
