// `npm run journeys`: what three kinds of users want done, tried on an engine as they would try it, each within three steps.
import { apiClient } from './api-client.mjs';
import { operations } from './operations.mjs';
import { operator } from './operator.mjs';
import { openPlace } from './place.mjs';

const USAGE = `Tries what users want done on an engine of its own, by the command line and the API as they have them, and counts the steps.

  npm run journeys [-- --only operator|api-client|operations]

Ends with 1 when a task is not done, or takes more than three steps.`;

/** Whoever needs more gives up. */
const MAX_STEPS = 3;

export const USERS = { operator, 'api-client': apiClient, operations };

/** Does one task; answers its steps. Throws what went wrong, or that it took too many. */
export async function doTask({ task, steps }, place) {
  let count = 0;
  const step = (work) => {
    count += 1;
    return work;
  };
  await steps(step, place);
  if (count > MAX_STEPS) throw new Error(`"${task}" took ${count} steps, where ${MAX_STEPS} are allowed.`);
  return count;
}

/** Answers the exit code. */
export async function runJourneys(args) {
  if (args.includes('--help') || args.includes('-h')) {
    console.log(USAGE);
    return 0;
  }
  const [option, only, ...rest] = args;
  const isKnown = option === undefined || (option === '--only' && only in USERS && rest.length === 0);
  if (!isKnown) {
    console.error(`${args.join(' ')} is not understood.\n\n${USAGE}`);
    return 2;
  }
  const place = await openPlace();
  let failed = 0;
  try {
    for (const [user, tasks] of Object.entries(USERS)) {
      if (only !== undefined && user !== only) continue;
      console.log(user);
      for (const each of tasks) {
        const began = performance.now();
        const end = await doTask(each, place).then(
          (steps) => `✓ ${each.task} (${steps} ${steps === 1 ? 'step' : 'steps'}`,
          (error) => {
            failed += 1;
            return `✗ ${each.task}: ${error.message} (`;
          },
        );
        console.log(`  ${end}, ${((performance.now() - began) / 1000).toFixed(1)} s)`);
      }
    }
  } finally {
    await place.close();
  }
  return failed === 0 ? 0 : 1;
}
