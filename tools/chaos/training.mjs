// Trainings while everything breaks: a dataset, an import into it, a training, and a job that names its model.
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { buffer } from 'node:stream/consumers';
import { writeZip } from '@adit/ooxml';
import { queryDatabase, sampleMedia } from '@adit/testing';

/** Files without a picture per person: with them the import takes several batches of a hundred files. */
const OTHER_FILES = 60;
const ENDED = ['completed', 'failed'];

/**
 * Uploads the material of all trainings before anything breaks.
 *
 * @param {import('./client.mjs').ChaosClient} client
 */
export async function trainingMaterial(client) {
  const { faces } = sampleMedia();
  const people = {
    Franck: ['franck_02221', 'franck_02888'],
    Nicolas: ['cage'],
    Sean: ['SeanConnery'],
  };
  const files = Object.entries(people).flatMap(([label, names]) => [
    ...names.map((name) => ({ path: `${label}/${name}.jpg`, body: readFileSync(faces[name]), compress: false })),
    ...Array.from({ length: OTHER_FILES }, (_, at) => ({
      path: `${label}/${at}.txt`,
      body: Buffer.from('no picture'),
    })),
  ]);
  const pictures = files.filter(({ path }) => path.endsWith('.jpg')).length;
  return {
    archive: await client.upload('people.zip', 'application/zip', await buffer(writeZip(files))),
    photo: await client.upload('audrey.jpg', 'image/jpeg', readFileSync(faces.audrey)),
    /** Class that is added beside the import, with `photo`. */
    label: 'Audrey',
    expected: {
      import: { number_of_images: pictures, number_of_errors: files.length - pictures, number_of_classes: 3 },
      dataset: { number_of_images: pictures + 1, number_of_active_images: pictures + 1, number_of_classes: 4 },
    },
    source: await client.upload('franck.jpg', 'image/jpeg', readFileSync(faces.franck_04000)),
    named: 'Franck',
  };
}

/**
 * Imports and trains once; each request is repeated until it is answered.
 *
 * @returns {Promise<object>} the ids, the final states of import, dataset and training, and the people whom the job named
 */
export async function train(client, material, { key, deadline }) {
  const made = (path, body, what) => client.make(path, body, `${key}-${what}`);
  const model = key;
  const { id } = await made('/datasets/', { name: model, type: 'face' }, 'dataset');
  const { id: importId } = await made(`/datasets/${id}/imports/`, { file_uri: material.archive }, 'import');
  const { id: classId } = await made(`/datasets/${id}/classes/`, { label: material.label }, 'class');
  await made(`/datasets/${id}/classes/${classId}/images/`, { file_uri: material.photo }, 'image');
  const imported = await ended(client, `/datasets/${id}/imports/${importId}/`, deadline);
  const order = { source_dataset_id: id, output_model_name: model };
  const { id: trainingId } = await made('/trainings/', order, 'training');
  const training = await ended(client, `/trainings/${trainingId}/`, deadline);
  const result = { id, model, importId, trainingId, imported, training, dataset: await client.get(`/datasets/${id}/`) };
  if (training.state !== 'completed') return { ...result, named: [] };
  const modules = { face_recognition: { model } };
  const job = await client.submit({ sources: [material.source], modules }, `${key}-job`);
  await client.ended(job.id, deadline);
  return { ...result, named: await client.people(job.id) };
}

/** Polls until it has ended or the deadline has passed; answers its last state. */
async function ended(client, path, deadline) {
  for (;;) {
    const answer = await client.get(path);
    if (ENDED.includes(answer.state) || Date.now() > deadline) return answer;
    await sleep(500);
  }
}

/**
 * Compares the answers of the API and the rows of the tables with those expected. Faults have the names of a ChaosReport.
 *
 * @returns {Promise<{ lost: string[], wrong: string[], doubled: string[] }>}
 */
export async function faultsOf(trained, { expected, named }, url) {
  const faults = { lost: [], wrong: [], doubled: [] };
  const query = (sql) => queryDatabase(url, sql);
  for (const { id, model, importId, trainingId, imported, training, dataset, named: people } of trained) {
    for (const [what, { state, error, error_msg: message }] of Object.entries({ import: imported, training })) {
      if (!ENDED.includes(state)) faults.lost.push(`${model}: its ${what} is still ${state}`);
      else if (state === 'failed') faults.wrong.push(`${model}: its ${what} failed: ${error ?? message}`);
    }
    faults.wrong.push(...differences(`${model}, import`, imported, expected.import));
    faults.wrong.push(...differences(`${model}, dataset`, dataset, expected.dataset));
    if (people.join() !== named)
      faults.wrong.push(`${model}: its job named ${people.join(', ') || 'nobody'}, not ${named}`);
    const [rows] = await query(`
      SELECT (SELECT count(*)::int FROM dataset_classes WHERE dataset_id = '${id}') AS classes,
             (SELECT count(*)::int FROM dataset_images WHERE dataset_id = '${id}') AS images,
             (SELECT count(*)::int FROM dataset_imports WHERE dataset_id = '${id}') AS imports,
             (SELECT count(*)::int FROM dataset_import_errors WHERE import_id = '${importId}') AS errors,
             (SELECT count(DISTINCT file)::int FROM dataset_import_errors WHERE import_id = '${importId}') AS files_with_errors,
             (SELECT count(*)::int FROM storage_entries
               WHERE folder LIKE '/datasets/${id}/%' AND NOT is_folder) AS files,
             (SELECT count(*)::int FROM dataset_images i WHERE i.dataset_id = '${id}' AND NOT EXISTS (
               SELECT 1 FROM storage_entries e
                WHERE e.workspace_id = i.workspace_id AND e.key = i.storage_key AND e.uploaded)) AS without_file,
             (SELECT count(*)::int FROM trainings WHERE dataset_id = '${id}') AS trainings,
             (SELECT count(*)::int FROM model_versions WHERE source_dataset_id = '${id}') AS versions`);
    const { number_of_images: images, number_of_classes: classes } = expected.dataset;
    const errors = expected.import.number_of_errors;
    const wanted = {
      ...{ classes, images, imports: 1, errors, files_with_errors: errors },
      ...{ files: expected.import.number_of_images, without_file: 0, trainings: 1, versions: 1 },
    };
    faults.doubled.push(...differences(`${model} (training ${trainingId}), rows`, rows, wanted));
  }
  // An unanswered request and its repetition make two datasets.
  const [{ count }] = await query('SELECT count(*)::int AS count FROM datasets');
  if (count !== trained.length) faults.doubled.push(`${count} datasets, not the ${trained.length} that were asked for`);
  return faults;
}

function differences(what, found, expected) {
  return Object.entries(expected).flatMap(([name, value]) =>
    found[name] === value ? [] : [`${what}: ${name} is ${found[name]}, not ${value}`],
  );
}
