// Accuracy of the analysis `objects` and the module object_scene_recognition against labels made by eye.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openModule } from './fold.mjs';
import { mediaPath } from './media-path.mjs';
import { averagePrecision, coverage, matchRanked } from './score.mjs';

const labels = JSON.parse(await readFile(join(import.meta.dirname, 'object-labels.json'), 'utf8'));

/** Adds the objects' lines to the table. */
export async function objects(faces, row) {
  const analyser = await faces.of('objects');
  const pictures = [...labels.photos, ...labels.empty.map((file) => ({ file }))];
  const all = pictures.reduce((sum, picture) => sum + labelled(picture).length, 0);
  const at = async (minConfidence) => (await ranked(analyser, pictures, minConfidence)).flat();

  const everything = await at(0);
  row(
    `objects: average precision over ${all} of ${labels.photos.length} photos`,
    averagePrecision(everything, all).toFixed(2),
    'at least 0.6',
    averagePrecision(everything, all) >= 0.6,
  );
  for (const [minConfidence, bar] of [
    [50, 28],
    [70, 22],
  ]) {
    const said = await at(minConfidence);
    const right = said.filter(({ ok }) => ok).length;
    row(`  found at min_confidence ${minConfidence}`, `${right} of ${all}`, `at least ${bar}`, right >= bar);
    const share = right / said.length;
    row(
      `  right of those said`,
      `${right} of ${said.length}`,
      `at least ${minConfidence} %`,
      share >= minConfidence / 100,
    );
  }
  const empty = (
    await ranked(
      analyser,
      labels.empty.map((file) => ({ file })),
      70,
    )
  ).flat();
  row(
    `  false ones on ${labels.empty.length} pictures without objects`,
    String(empty.length),
    'at most 3',
    empty.length <= 3,
  );
  await people(analyser, row);
}

/** A film of one man: when is he said to be there? */
async function people(analyser, row) {
  for (const { file, label, shown } of labels.films) {
    const units = await analyser.units(mediaPath(file));
    const segments = await foldUnits(units, {});
    const spans = segments.filter((one) => one.label === label).map(({ timeStart, timeEnd }) => [timeStart, timeEnd]);
    const sampled = units.flatMap(({ observations }) => observations.sampled.map(({ time }) => time));
    const { present, hits } = coverage(sampled, shown, spans);
    const name = file.split('/').at(-1);
    row(
      `${name}: samples that show a ${label} and say so`,
      `${hits} of ${present}`,
      'at least 95 %',
      hits >= 0.95 * present,
    );
    const others = [...new Set(segments.map((one) => one.label))].filter((one) => one !== label);
    row(`  other labels of the film`, others.join(', ') || 'none');
  }
}

/** Per picture: what is said of it, surest first, each with whether it is right. */
async function ranked(analyser, pictures, minConfidence) {
  const all = [];
  for (const picture of pictures) {
    const segments = await foldUnits(await analyser.units(mediaPath(picture.file)), { min_confidence: minConfidence });
    const said = segments
      .filter(({ label }) => !picture.unsure?.includes(label))
      .flatMap(({ label, detections }) =>
        detections.map(({ data: { x, y, w, h, confidence } }) => ({ label, box: [x, y, w, h], confidence })),
      );
    all.push(matchRanked(labelled(picture), said));
  }
  return all;
}

/** [{label, box}] of a picture. */
function labelled(picture) {
  return Object.entries(picture)
    .filter(([key]) => key !== 'file' && key !== 'unsure')
    .flatMap(([label, boxes]) => boxes.map((box) => ({ label, box })));
}

/** The module over the units of one file: its segments. */
async function foldUnits(units, given) {
  const fold = await openModule('object_scene_recognition', 'objects', given);
  return fold(units);
}
