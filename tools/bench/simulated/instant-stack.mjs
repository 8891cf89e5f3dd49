// Common parts of the rows with models that answer at once.
import { dirname, join } from 'node:path';
import { Processes } from '../processes.mjs';
import { tinyFilm } from './stack.mjs';

const FAMILIES = {
  'inference-face': 'face',
  'inference-object': 'object',
  'inference-text': 'text',
  'inference-landmark': 'landmark',
  'inference-speech': 'speech',
};

/** All services, or those of `only`; `people` are in the pictures. */
export async function startInstant(bench, { services = Object.keys(FAMILIES), people = 1_000_000, ...options } = {}) {
  const program = join(import.meta.dirname, 'instant/service.mjs');
  const processes = await Processes.start({
    only: ['gateway', 'aggregator', 'decoder', ...services],
    roots: [bench.folder, dirname(await tinyFilm(10))],
    programs: Object.fromEntries(services.map((name) => [name, program])),
    settings: Object.fromEntries(
      services.map((name) => [name, { BENCH_FAMILY: FAMILIES[name], BENCH_PEOPLE: String(people) }]),
    ),
    ...options,
  });
  // The same media are looked at again each time.
  await processes.db.query('UPDATE workspaces SET observation_cache = false');
  return processes;
}
