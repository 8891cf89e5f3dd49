// Accuracy of landmark_recognition on panoramas of real places, seen from their middle.
import { LANDMARK_MODEL, writeGalleryVersion } from '@adit/modules';
import { filmOf, photoOf, PLACES } from '@adit/testing';
import { decodeDirection } from '@adit/analyses/image-embedding/vector-code';
import { openModule } from './fold.mjs';
import { mediaPath } from './media-path.mjs';

const MIN_SIMILARITY = 0.75;
/** The network's centre is the mean over the first nine; what is measured are the others. */
const KNOWN = PLACES.slice(9);
const OTHER_PLACES = PLACES.slice(0, 9);
const DIRECTIONS = [0, 180];
/** Photos of the model: straight on, and a step to either side. */
const SHOWN = [{}, { yaw: -12, view: 70 }, { yaw: 12, view: 90 }];
const ASKED = {
  closer: { yaw: 6, view: 60 },
  'to the side, lower': { yaw: -20, view: 85, pitch: 0 },
  'brighter, farther': { view: 95, filter: 'eq=brightness=0.12:contrast=0.8' },
  'at dusk': { yaw: -5, view: 70, filter: 'eq=brightness=-0.15:saturation=0.5' },
};

/** Adds the landmarks' lines to the table. `scratch` is a folder for a model; `pictures` show no place of it. */
export async function landmarks(faces, scratch, pictures, row) {
  const analyser = await faces.of('image-embedding');
  const sights = KNOWN.flatMap((place) => DIRECTIONS.map((yaw) => ({ place, yaw, label: `${place} ${yaw}` })));
  await build(analyser, sights, scratch);
  const module = (min_similarity) =>
    openModule('landmark_recognition', 'image-embedding', { min_similarity }, { models: scratch, model: 'places' });
  const any = await module(0);
  const sure = await module(MIN_SIMILARITY);

  let nearest = 0;
  let right = 0;
  let wrong = 0;
  const asked = sights.length * Object.keys(ASKED).length;
  for (const [how, look] of Object.entries(ASKED)) {
    const count = { nearest: 0, right: 0, wrong: 0 };
    for (const { place, yaw, label } of sights) {
      const units = await analyser.units(await photoOf(place, turned(look, yaw)));
      if (any(units)[0]?.label === label) count.nearest += 1;
      for (const segment of sure(units)) count[segment.label === label ? 'right' : 'wrong'] += 1;
    }
    row(`  ${how}`, `${count.right} of ${sights.length}, ${count.wrong} wrong`);
    nearest += count.nearest;
    right += count.right;
    wrong += count.wrong;
  }
  row(
    `landmarks: nearest of ${sights.length} sights`,
    `${nearest} of ${asked}`,
    'at least 85 %',
    nearest >= 0.85 * asked,
  );
  row(`  right at min_similarity ${MIN_SIMILARITY}`, `${right} of ${asked}`, 'at least 75 %', right >= 0.75 * asked);
  row(`  wrong at min_similarity ${MIN_SIMILARITY}`, `${wrong} of ${asked}`, 'at most 10 %', wrong <= 0.1 * asked);

  const elsewhere = await Promise.all(
    OTHER_PLACES.flatMap((place) => DIRECTIONS.map((yaw) => photoOf(place, turned({}, yaw)))),
  );
  await falsePositives(analyser, sure, [...elsewhere, ...pictures.map(mediaPath)], row);
  await film(analyser, sure, row);
}

async function build(analyser, sights, scratch) {
  const people = [];
  for (const { place, yaw, label } of sights) {
    const embeddings = [];
    for (const look of SHOWN) {
      const [{ observations }] = await analyser.units(await photoOf(place, turned(look, yaw)));
      embeddings.push(decodeDirection(observations.sampled[0].embedding));
    }
    people.push({ label, embeddings });
  }
  const { pin } = analyser.repository.resolve('image-embedding');
  const embedding = { name: pin.name, digest: pin.digest };
  await writeGalleryVersion(scratch, 'places', people, { kind: LANDMARK_MODEL, embedding, dimensions: 1792 });
}

async function falsePositives(analyser, sure, files, row) {
  let found = 0;
  for (const file of files) {
    for (const { label, confidence } of sure(await analyser.units(file))) {
      found += 1;
      row(
        `    ${file
          .split('/')
          .at(-1)
          .replace(/^[0-9a-f]{20}-/, '')}`,
        `${label}, ${confidence.toFixed(2)}`,
      );
    }
  }
  row(`  found on ${files.length} pictures of elsewhere`, String(found), 'at most 4', found <= 4);
}

/** The camera turns 4 degrees a second: two sights with a place between them that the model does not have. */
async function film(analyser, sure, row) {
  const shots = [{ place: 'sunset' }, { place: 'forest' }, { place: 'workshop' }];
  const units = await analyser.units(await filmOf(shots.map((shot) => ({ ...shot, seconds: 6 }))));
  const said = sure(units).map(({ label, timeStart, timeEnd }) => `${label} ${timeStart}-${timeEnd} s`);
  const wanted = ['sunset 0 0-5 s', 'workshop 0 12-17 s'];
  row('  a film of 18 s with two of them', said.join(', '), wanted.join(', '), said.join() === wanted.join());
}

function turned(look, yaw) {
  const sum = (look.yaw ?? 0) + yaw;
  return { ...look, yaw: sum > 180 ? sum - 360 : sum };
}
