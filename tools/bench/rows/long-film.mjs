// A long film and every question at once: what each of its chunks costs the database.
import { setTimeout as sleep } from 'node:timers/promises';
import { ModelRepository } from '@adit/inference';
import { LANDMARK_MODEL, writeGalleryVersion } from '@adit/modules';
import { modelsRoot } from '@adit/models';
import { direction } from '../simulated/instant/people.js';
import { startInstant } from '../simulated/instant-stack.mjs';
import { tinyFilm } from '../simulated/stack.mjs';
import { byService, inAll, StatementLog } from '../statements.mjs';

const MODULES = {
  face_recognition: { cluster_unknowns: true },
  object_scene_recognition: {},
  lower_third_recognition: {},
  landmark_recognition: {},
  gender_neutrality_estimation: {},
  advanced_diversity_analysis: {},
  speech_recognition: {},
};

/** About 6 minutes. */
export async function longFilm(bench) {
  const hours = bench.quick ? 0.1 : 3;
  const path = await tinyFilm(hours * 3600, { sound: true });
  const processes = await startInstant(bench, { pulled: ['whisper-base'] });
  try {
    await placesModel(processes);
    await processes.mine([await tinyFilm(20, { sound: true })], MODULES);
    const log = await StatementLog.open(processes);
    await log.begin();
    const { id, seconds } = await processes.mine([path], MODULES);
    const { services } = await log.read();
    const { rows } = await processes.db.query('SELECT count(*)::int AS chunks FROM chunks WHERE job_id = $1', [id]);
    const { chunks } = rows[0];
    const { segment_count: segments } = (await processes.db.query('SELECT segment_count FROM jobs WHERE id = $1', [id]))
      .rows[0];
    const all = inAll(services);
    const folding = services['aggregator'];
    return [
      {
        name: `a ${hours}-hour film × ${Object.keys(MODULES).length} modules: statements and database time a chunk`,
        measured: `${(all.statements / chunks).toFixed(0)} statements, ${((1000 * all.seconds) / chunks).toFixed(0)} ms; aggregator ${(folding.statements / chunks).toFixed(0)}, ${((1000 * folding.seconds) / chunks).toFixed(0)} ms`,
        goal: '',
        ok: null,
        note:
          `${chunks} chunks, ${segments} segments, ${seconds.toFixed(0)} s, models that answer at once; as PostgreSQL logs them, ` +
          `waits for locks among them: ${byService(services, chunks)}`,
      },
    ];
  } finally {
    await processes.close();
  }
}

/** Ten places, as a model of one's own; waits until jobs may use it. */
async function placesModel(processes) {
  const repository = await ModelRepository.open({ roots: [modelsRoot()] });
  const { manifest, pin } = repository.resolve('image-embedding');
  await repository.close();
  const { dimensions } = manifest;
  const places = Array.from({ length: 10 }, (_, number) => ({
    label: `Place ${number}`,
    embeddings: [direction(number, dimensions)],
  }));
  await writeGalleryVersion(processes.modelsDir, 'places', places, {
    ...{ kind: LANDMARK_MODEL, dimensions, isDefault: true },
    embedding: { name: pin.name, digest: pin.digest },
  });
  const installed = async () => JSON.stringify(await processes.get('/models/')).includes('"places"');
  while (!(await installed())) await sleep(200);
}
