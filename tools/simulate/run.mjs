// npm run simulate: an installation of a thousand workers in simulated time. Fails where a goal is missed.
import { startServers } from '@adit/servers';
import { events, happen } from './events.mjs';
import { HELP, readOptions } from './options.mjs';
import { Simulation } from './simulation.mjs';

/** Seconds until the first chunks are spread over all workers. */
const WARM_UP = 120;
/** Seconds that are measured after an event. */
const AFTER = 120;
/** Statements that are shown. */
const STATEMENTS = 60;

process.exit(await main(process.argv.slice(2)));

async function main(args) {
  let options;
  try {
    options = readOptions(args);
  } catch (error) {
    console.error(`${error.message}\n\n${HELP}`);
    return 2;
  }
  if (options === null) {
    console.log(HELP);
    return 0;
  }
  const servers = await startServers({ postgres: true, log: (line) => console.error(line) });
  try {
    const { DATABASE_URL: url } = { ...process.env, ...servers.environment };
    if (url === undefined) {
      console.error(`There is no PostgreSQL: ${servers.missing[0]?.reason ?? 'it was not started.'}`);
      return 2;
    }
    return (await simulate(url, options)) ? 0 : 1;
  } finally {
    await servers.stop();
  }
}

/** Returns whether every goal was reached. */
async function simulate(url, options) {
  const { workers, minutes, goals } = options;
  let isGood = true;
  const add = (name, measured, goal, ok) => {
    isGood &&= ok;
    console.log(`${ok ? 'ok    ' : 'MISSED'}  ${name}: ${measured} (${goal})`);
  };
  const atLeast = (name, measured, goal) => add(name, measured.toFixed(3), `≥ ${goal}`, measured >= goal);
  const atMost = (name, measured, goal, unit = '') =>
    add(name, `${measured.toFixed(2)}${unit}`, `≤ ${goal}${unit}`, measured <= goal);

  console.error(`Queueing ${options.jobs} jobs of ${options.workspaces} workspaces for ${workers} workers …`);
  const simulation = await Simulation.open(url, options);
  console.error(`Passing ${WARM_UP} s until all of them work …`);
  await simulation.pass(WARM_UP);
  console.error(`Passing ${minutes} minutes …`);
  if (options.isIdle) {
    const asked = await simulation.statementsOfProcess(minutes);
    atMost(`statements of each of ${simulation.processes} idle processes in a minute`, asked, goals.idle);
  } else await load(simulation, options, { add, atLeast, atMost });
  if (options.statements) {
    for (const [sql, count] of simulation.database.mostAsked(STATEMENTS)) {
      console.log(`${String(count).padStart(9)}  ${sql}`);
    }
  }
  return isGood;
}

/** Measures an installation with a long queue, and after each event. */
async function load(simulation, { minutes, goals, ...options }, { add, atLeast, atMost }) {
  const seen = await simulation.measure(minutes * 60);
  console.log(`${seen.chunks} chunks in ${minutes} minutes; ${seen.realSeconds.toFixed(0)} s of real time`);
  console.log(
    `of each chunk: ${seen.statements.toFixed(1)} statements, ${seen.databaseMs.toFixed(1)} ms of waiting for their answers`,
  );
  atLeast('utilisation of the workers', seen.utilisation, goals.utilisation);
  atLeast('fairness among workspaces (Jain)', seen.fairness, goals.fairness);
  atMost('statements of the scheduler for a chunk', seen.scheduling, goals.scheduling);
  atMost("a new workspace's first chunk", await simulation.firstChunk(goals.firstChunk), goals.firstChunk, ' s');
  for (const event of options.events) {
    console.error(`${events[event]} …`);
    await happen(event, simulation);
    const after = await simulation.measure(AFTER);
    atLeast(`utilisation after: ${events[event]}`, after.utilisation, goals.afterEvent);
  }
  const wrong = await simulation.wrongJobs();
  add('completed jobs with a chunk lost or doubled', String(wrong.length), '0', wrong.length === 0);
}
