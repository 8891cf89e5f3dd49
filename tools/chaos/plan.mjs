// The plan of a chaos run: jobs, trainings and kills by phase. A seed determines it.
import { createHash } from 'node:crypto';
import { ACTIONS } from './client-actions.mjs';
import { SERVERS } from './outage.mjs';

/** Assigns jobs, trainings and kills to phases; `wait` is in milliseconds from the beginning of the phase. */
export function planRun(seed, kinds, phases, options) {
  const { jobs, kills, outageSeconds, actions = ACTIONS.map(({ name }) => name) } = options;
  const { trainings = Math.ceil(jobs / 20) } = options;
  const random = seeded(seed);
  // Moments reach beyond the outage, so that the recovery is disturbed as well.
  const moment = () => random() * (outageSeconds * 1.3 + 2) * 1000;
  const first = shuffled(kinds, random);
  const chosen = ACTIONS.filter(({ name }) => actions.includes(name));
  const phaseOf = (index) => phases[index % phases.length];
  // A restart takes seconds and an upgrade a minute or two, however long the outages are.
  const waitIn = { restart: () => random() * 5_000, upgrade: () => random() * 60_000 };
  return {
    jobs: Array.from({ length: jobs }, (_, index) => ({
      index,
      // Every kind, and then more of those with the larger shares.
      kind: first[index] ?? pick(kinds, random),
      // Every action, too.
      action: (chosen[index] ?? pick(chosen, random)).name,
      after: random() * 8_000,
      phase: phaseOf(index),
      wait: (waitIn[phaseOf(index)] ?? moment)(),
    })),
    // A training takes several times as long as a job: it begins with its phase and reaches into the next one.
    trainings: Array.from({ length: trainings }, (_, index) => ({
      index,
      phase: phaseOf(index),
      wait: random() * 5_000,
    })),
    kills: Array.from({ length: kills }, (_, index) => ({
      phase: SERVERS[index % SERVERS.length],
      wait: moment(),
      which: random(),
    })),
  };
}

function pick(kinds, random) {
  let at = random() * kinds.reduce((sum, { share }) => sum + share, 0);
  return kinds.find(({ share }) => (at -= share) < 0) ?? kinds[0];
}

function shuffled(items, random) {
  return items
    .map((item) => ({ item, at: random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ item }) => item);
}

/** A generator of numbers from 0 to 1 that a seed determines. */
function seeded(seed) {
  let count = 0;
  return () => createHash('sha256').update(`${seed} ${count++}`).digest().readUInt32BE(0) / 2 ** 32;
}
