// Several questions about one film: in one job against a job each, and one more about a film that was mined before.
import { dirname } from 'node:path';
import { Engine } from '../engine.mjs';
import { median, sum } from '../measure.mjs';
import { film, unknownFilm } from '../media.mjs';

const FOUR = {
  face_recognition: { cluster_unknowns: true },
  object_scene_recognition: {},
  lower_third_recognition: {},
  advanced_diversity_analysis: {},
};
/** The networks of the analysis `faces`, by one of them that runs once a look. */
const FACE_INFERENCE = 'blazeface';

export async function together(bench) {
  const length = bench.quick ? 10 : 60;
  const path = await film(1280, 720, length);
  const engine = await Engine.start([bench.folder, dirname(path)]);
  const rounds = Math.min(bench.runs, 3);
  try {
    // Every network is in memory before anything is measured.
    await engine.ask([await unknownFilm(await film(1280, 720, 10), bench.folder)], FOUR);
    const together = [];
    const apart = [];
    for (let round = 1; round <= rounds; round++) {
      together.push(await engine.askCounted([await unknownFilm(path, bench.folder)], FOUR));
      const jobs = [];
      for (const [module, args] of Object.entries(FOUR)) {
        jobs.push(await engine.askCounted([await unknownFilm(path, bench.folder)], { [module]: args }));
      }
      apart.push(jobs);
      const [one, four] = [together.at(-1).seconds, sum(jobs.map(({ seconds }) => seconds))];
      bench.log(
        `four questions, round ${round} of ${rounds}: ${one.toFixed(1)} s together, ${four.toFixed(1)} s apart`,
      );
    }
    const added = await addedLater(engine, await unknownFilm(path, bench.folder));
    const [one] = together;
    const [four] = apart;
    const decoded = sum(four.map((job) => job.decoded));
    const looks = (jobs) => sum(jobs.map(({ runs }) => runs[FACE_INFERENCE] ?? 0));
    const ratio = median(together.map((job, i) => job.seconds / sum(apart[i].map(({ seconds }) => seconds))));
    const saved = decoded === 4 * one.decoded && looks(four) === 3 * looks([one]);
    return [
      {
        name: 'four questions about a film in one job ÷ a job each',
        measured: `${ratio.toFixed(2)} ×; ${one.decoded} chunks decoded and ${decoded}, ${looks([one])} looks for faces and ${looks(four)}`,
        goal: '< 1; a quarter of the decodes, a third of the looks',
        ok: ratio < 1 && saved,
        note:
          `${length} s of 720p: ${seconds(together)} s together; apart ` +
          Object.keys(FOUR)
            .map((module, i) => `${module} ${seconds(apart.map((jobs) => jobs[i]))} s`)
            .join(', '),
      },
      {
        name: 'one more question about a mined film: objects after faces',
        measured: `${added.seconds.toFixed(1)} s, models run: ${Object.keys(added.runs).sort().join(', ')}`,
        goal: 'general-c alone',
        ok: Object.keys(added.runs).join() === 'general-c',
        note: `${length} s of 720p; decoded ${added.decoded} chunks`,
      },
    ];
  } finally {
    await engine.close();
  }
}

/** Cost of objects where faces are known. */
async function addedLater(engine, path) {
  const { face_recognition, object_scene_recognition } = FOUR;
  await engine.ask([path], { face_recognition });
  return engine.askCounted([path], { face_recognition, object_scene_recognition });
}

const seconds = (jobs) => median(jobs.map((job) => job.seconds)).toFixed(1);
