// What came of the jobs, held against what they give when nothing is in their way.
import { setTimeout as sleep } from 'node:timers/promises';

const TERMINAL = ['completed', 'failed', 'stopped'];
const EVENTS = ['job.on_started', 'job.on_completed', 'job.on_failed'];

/** Resolves when a webhook told the end of every job, or after five minutes: they come at least once, and not at once. */
export async function heardOf(receiver, ended) {
  const all = () => ended.every(({ id, job }) => receiver.idsOf(id, `job.on_${job.state}`) > 0);
  for (const end = Date.now() + 300_000; !all() && Date.now() < end;) await sleep(250);
}

/** The counts of a ChaosReport that the jobs themselves tell. */
export async function tally(client, receiver, ended, undisturbed) {
  const report = { jobs: ended.length, states: {}, lost: [], wrong: [], doubled: [], unheard: [] };
  const seen = new Set();
  for (const { kind, id, job } of ended) {
    const say = (what) => `${kind.name} ${id}: ${what}`;
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
    const wanted = undisturbed.get(kind.name);
    const other = lines.findIndex((line, index) => line !== wanted.lines[index]);
    if (count !== wanted.count) report.wrong.push(say(`${count} segments, not the ${wanted.count} of before`));
    else if (other >= 0) report.wrong.push(say(`was ${wanted.lines[other]}, is ${lines[other]}`));
    if (receiver.idsOf(id, `job.on_${job.state}`) === 0) report.unheard.push(say('no webhook'));
    for (const event of EVENTS) {
      const webhooks = receiver.idsOf(id, event);
      if (webhooks > 1) report.doubled.push(say(`${webhooks} webhooks of ${event}`));
    }
  }
  return report;
}
