// Compares the results of jobs with those of undisturbed ones.
import { setTimeout as sleep } from 'node:timers/promises';

const TERMINAL = ['completed', 'failed', 'stopped'];
const EVENTS = ['job.on_started', 'job.on_completed', 'job.on_failed'];

/** Resolves when a webhook has reported the end of every job, or after five minutes. */
export async function awaitWebhooks(receiver, ended) {
  const all = () => ended.every(({ id, job }) => receiver.idsOf(id, `job.on_${job.state}`) > 0);
  for (const end = Date.now() + 300_000; !all() && Date.now() < end;) await sleep(250);
}

/**
 * Counts what a ChaosReport says of jobs. `undisturbed` has the results of each kind by its name: one, or one for each build
 * that mined alone. Where the results of builds differ, a job with chunks of both is `mixed`.
 */
export async function tally(client, receiver, ended, undisturbed) {
  const report = { jobs: ended.length, states: {}, lost: [], wrong: [], mixed: [], doubled: [], unnotified: [] };
  const seen = new Set();
  for (const { kind, id, job, action } of ended) {
    const say = (what) => `${kind.name} ${id}${action === 'retry' ? ' (retried)' : ''}: ${what}`;
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
    if (receiver.idsOf(id, `job.on_${job.state}`) === 0) report.unnotified.push(say('no webhook'));
    for (const event of EVENTS) {
      const webhooks = receiver.idsOf(id, event);
      // A retried job starts and ends again.
      if (webhooks > 1 && action !== 'retry') report.doubled.push(say(`${webhooks} webhooks of ${event}`));
    }
  }
  return report;
}
