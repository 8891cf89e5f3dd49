// What came of the jobs, held against what they give when nothing is in their way.
import { setTimeout as sleep } from 'node:timers/promises';

const TERMINAL = ['completed', 'failed', 'stopped'];
const EVENTS = ['job.on_started', 'job.on_completed', 'job.on_failed'];

/** Resolves when a webhook told the end of every job, or after five minutes: they come at least once, and not at once. */
export async function awaitWebhooks(receiver, ended) {
  const all = () => ended.every(({ id, job }) => receiver.idsOf(id, `job.on_${job.state}`) > 0);
  for (const end = Date.now() + 300_000; !all() && Date.now() < end;) await sleep(250);
}

/**
 * The counts of a ChaosReport that the jobs themselves tell. `undisturbed` has the results of each kind by its name: one, or
 * one for each build that was at work alone. Where builds differ, chunks of one job may come from both: it is `mixed`.
 */
export async function tally(client, receiver, ended, undisturbed) {
  const report = { jobs: ended.length, states: {}, lost: [], wrong: [], mixed: [], doubled: [], unheard: [] };
  const seen = new Set();
  for (const { kind, id, job, deed } of ended) {
    const say = (what) => `${kind.name} ${id}${deed === 'retry' ? ' (retried)' : ''}: ${what}`;
    report.states[job.state] = (report.states[job.state] ?? 0) + 1;
    if (seen.has(id)) report.doubled.push(say('two requests became one job'));
    seen.add(id);
    if (!TERMINAL.includes(job.state)) {
      report.lost.push(say(`still ${job.state} at ${job.progress}`));
      continue;
    }
    if (job.state !== (kind.fails ? 'failed' : 'completed')) report.wrong.push(say(`${job.state}: ${job.errors}`));
    const { count, distinct, lines } = await client.results(id);
    if (distinct !== count) report.doubled.push(say(`${count - distinct} segments twice`));
    const references = [undisturbed.get(kind.name)].flat();
    const [wanted] = references;
    const differing = references.some((each) => each.lines.join() !== wanted.lines.join()) ? 'mixed' : 'wrong';
    const other = lines.findIndex((line, index) => line !== wanted.lines[index]);
    if (!references.some((each) => each.lines.join() === lines.join())) {
      if (count !== wanted.count) report[differing].push(say(`${count} segments, not the ${wanted.count} of before`));
      else report[differing].push(say(`was ${wanted.lines[other]}, is ${lines[other]}`));
    }
    if (receiver.idsOf(id, `job.on_${job.state}`) === 0) report.unheard.push(say('no webhook'));
    for (const event of EVENTS) {
      const webhooks = receiver.idsOf(id, event);
      // A job that was retried starts and ends again.
      if (webhooks > 1 && deed !== 'retry') report.doubled.push(say(`${webhooks} webhooks of ${event}`));
    }
  }
  return report;
}
