// The scheduler: what a round costs beside a long queue, and how long it stops its process.
import { fileURLToPath } from 'node:url';
import { startServers } from '@adit/servers';
import { Child } from '../child.mjs';
import { median, percentile } from '../measure.mjs';

const WORKSPACES = 50;
const FREED = 10;
const GOAL_MS = 20;

/** Nobody works: the row itself ends chunks, some before each round. About two minutes. */
export async function scheduler(bench) {
  const queued = bench.quick ? 1_000 : 100_000;
  const rounds = bench.quick ? 3 : 50;
  const servers = await startServers();
  const file = fileURLToPath(new URL('../scheduler-process.mjs', import.meta.url));
  const { DATABASE_URL } = servers.environment;
  const child = new Child(file, { env: { ...process.env, DATABASE_DRIVER: 'postgres', DATABASE_URL } });
  const results = [];
  try {
    for (const inFlight of bench.quick ? [200] : [200, 600, 2_000]) {
      await child.ask('fill', { workspaces: WORKSPACES, queued, inFlight });
      const { times, stalls, cpu, idle } = await child.ask('rounds', { count: rounds, inFlight, freed: FREED });
      const [round, stall] = [median(times), Math.max(...stalls)];
      results.push({
        name: `a scheduling round at ${inFlight.toLocaleString('en')} in flight`,
        measured: `${round.toFixed(1)} ms, longest stall ${stall.toFixed(1)} ms`,
        goal: `≤ ${GOAL_MS} ms, no stall above ${GOAL_MS} ms`,
        ok: round <= GOAL_MS && stall <= GOAL_MS,
        note: `median of ${rounds} rounds that give ${FREED} slots; p95 ${percentile(times, 0.95).toFixed(1)} ms, first ${times[0].toFixed(0)} ms, ${cpu.toFixed(1)} ms of CPU beside PostgreSQL; stall of an idle process ${idle.toFixed(1)} ms, of a round in the median ${median(stalls).toFixed(1)} ms; ${WORKSPACES} workspaces, ${queued.toLocaleString('en')} jobs queued`,
      });
      bench.log(`${results.at(-1).name}: ${results.at(-1).measured}; ${results.at(-1).note}`);
    }
    return results;
  } finally {
    await child.close();
    await servers.stop();
  }
}
