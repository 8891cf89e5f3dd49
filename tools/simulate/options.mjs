// The command line of npm run simulate.
import { parseArgs } from 'node:util';
import { events } from './events.mjs';
import { ANALYSIS } from './simulation.mjs';

const WHOLE = { workers: 1000, workspaces: 500, jobs: 100_000, minutes: 10, events: Object.keys(events) };
const QUICK = { workers: 16, workspaces: 4, jobs: 80, minutes: 2, events: ['deaths'] };

const GOALS = {
  utilisation: 0.95,
  afterEvent: 0.9,
  fairness: 0.95,
  scheduling: 2,
  firstChunk: 2 * ANALYSIS.p99,
  idle: 12,
};
/** A few workers are at other chunks' mercy, a round of the scheduler gives one slot, and few share the question of each second. */
const GOALS_OF_QUICK = {
  ...GOALS,
  utilisation: 0.85,
  afterEvent: 0.75,
  fairness: 0.85,
  scheduling: Infinity,
  idle: 20,
};

export const HELP = `npm run simulate -- [options]

  --workers <n>     processes of inference (default ${WHOLE.workers})
  --workspaces <n>  workspaces with queued jobs (default ${WHOLE.workspaces})
  --jobs <n>        jobs that all of them have queued (default ${WHOLE.jobs})
  --minutes <n>     simulated minutes that are measured (default ${WHOLE.minutes})
  --events <names>  what happens after that, one after the other, with commas between (default: all), or none:
${Object.entries(events)
  .map(([name, what]) => `                      ${name}: ${what}`)
  .join('\n')}
  --messages-only   workers do what their own messages say and take nothing that waits behind others (ADR 74)
  --idle            without any job: the statements that each process sends in a minute
  --statements      the statements that were asked most often
  --quick           ${QUICK.workers} workers, ${QUICK.workspaces} workspaces, ${QUICK.jobs} jobs, ${QUICK.minutes} minutes, ${QUICK.events.join()}: to see that it works

The scheduler, claims, leases, outbox, relays and folds are the project's own, on a real PostgreSQL. Media, models and
objects are not there: what they take is simulated time. Time passes while no statement runs.

Exit code: 0 when every goal is reached, 1 when one is missed, 2 for a wrong command line.`;

/** Reads the command line; null where it asks for help. Throws an error that says what is wrong with it. */
export function readOptions(args) {
  const [text, flag] = [{ type: 'string' }, { type: 'boolean', default: false }];
  const { values } = parseArgs({
    args,
    options: {
      ...{ workers: text, workspaces: text, jobs: text, minutes: text, events: text },
      ...{ quick: flag, 'messages-only': flag, idle: flag, statements: flag, help: { ...flag, short: 'h' } },
    },
  });
  if (values.help) return null;
  const base = values.quick ? QUICK : WHOLE;
  const sizes = ['workers', 'workspaces', 'jobs', 'minutes'].map((name) => [name, wholeNumber(name, values[name])]);
  return {
    ...base,
    ...Object.fromEntries(sizes.filter(([, given]) => given !== undefined)),
    ...(values.events !== undefined && { events: namedEvents(values.events) }),
    goals: values.quick ? GOALS_OF_QUICK : GOALS,
    ...(values.idle && { jobs: 0, events: [] }),
    isIdle: values.idle,
    statements: values.statements,
    takesWaiting: !values['messages-only'],
  };
}

function wholeNumber(name, given) {
  if (given === undefined) return undefined;
  const number = Number(given);
  if (!Number.isInteger(number) || number < 1) throw new Error(`--${name} takes a whole number from 1 on.`);
  return number;
}

function namedEvents(list) {
  const named = list.split(',').filter((name) => name !== 'none');
  const unknown = named.find((name) => !(name in events));
  if (unknown !== undefined) {
    throw new Error(`There is no event ${unknown}; there are ${Object.keys(events).join(', ')}.`);
  }
  return named;
}
