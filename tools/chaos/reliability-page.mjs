// The page of docs/operating that `npm run chaos -- --write` writes.
import { cpus } from 'node:os';
import { FULL } from './outage.mjs';

/** Writes the figures of a run as docs/operating/reliability.md. */
export function reliabilityPage(report, { jobs, kills, outageSeconds, pgbouncer }) {
  const sum = (counts) => Object.values(counts).reduce((total, each) => total + each, 0);
  const list = (counts) =>
    Object.entries(counts)
      .sort()
      .map(([name, number]) => `${name} × ${number}`)
      .join(', ');
  const rows = [
    ['Jobs accepted', report.jobs],
    ['Datasets that were imported and trained, with a job that names the model', report.trainings],
    [
      'Live streams: seconds mined, and gaps that are named, with their seconds',
      `${report.streams.count}: ${Math.round(report.streams.seconds)} s, ${report.streams.gaps} gaps of ${Math.round(report.streams.gapSeconds)} s`,
    ],
    ['What clients did to them', list(report.actions)],
    ['Jobs by state, but for those that went', list(report.states)],
    ['Jobs, imports and trainings lost or not ended, and jobs of which a search misses something', report.lost.length],
    ['Jobs, datasets and models with other results than undisturbed', report.wrong.length],
    ['Segments, jobs, webhooks, classes, images or versions of models twice', report.doubled.length],
    ['Sums of usage that are not what was run', report.miscounted.length],
    [
      'Usage that was counted',
      Object.entries(report.usage)
        .map(([kind, seconds]) => `${Math.round(seconds)} ${kind}`)
        .join(', '),
    ],
    ['Deleted and expired jobs of which something is left, or found by a search', report.remains.length],
    ['Jobs whose end no webhook told', report.unnotified.length],
    ['SIGKILLs', `${sum(report.kills)} (${list(report.kills)})`],
    ['Messages that became dead letters', report.deadLetters.length],
    ['Processes that ended of themselves, or not when asked to', report.crashed.length],
    ['Processes restarted in order while jobs ran', report.restarts],
    ['Processes replaced by another build, and back, while jobs ran', report.upgrades],
    ...report.outages.flatMap(({ server, replies, slowestSeconds, recoverySeconds }) => [
      [
        `${FULL.includes(server) ? server : `${server} away`} for ${outageSeconds} s: replies, by status`,
        Object.entries(replies)
          .map(([request, counts]) => `${request}: ${list(counts)}`)
          .join('; '),
      ],
      [`${server}: slowest reply`, `${slowestSeconds} s`],
      [`${server}, after it: until a photo was mined`, `${recoverySeconds} s`],
    ]),
    ['Requests answered 503 with Retry-After', report.refused],
    ['Other 5xx, 503 without Retry-After, other broken promises', report.violations.length],
    ['Messages left in the outbox', report.messagesLeft],
    ['Whole run', `${report.seconds} s`],
  ];
  return `# Reliability

Written by \`npm run chaos -- --jobs ${jobs} --kills ${kills} --outage ${outageSeconds} --write\` on ${new Date().toISOString().slice(0, 10)}, on ${cpus().length} cores: Kafka,
PostgreSQL${pgbouncer === 'none' ? '' : ` (through a PgBouncer that pools ${pgbouncer}s)`}, MinIO, one gateway, notifier and recorder, two decoders, inference processes and aggregators on one machine. The jobs
are single photos, batches of photos, films of a few seconds, asked about faces, things and captions, live streams that are\nmined all the time, ${report.hasSpeech ? 'recordings and films\nwith speech, ' : ''}and files that are
no media (they fail, with a reason).
Observations are not kept between jobs, so each job does all of its work.

While jobs are posted and mined, random processes are killed with SIGKILL, each server is stopped and started again, the
database, the object store and the decoders' folder have no room for a while, and at last every process is restarted in order, and replaced by one of another commit and back. Some jobs are stopped and
retried, some deleted, some expire. Datasets are imported and trained, and jobs name the models that come of it. The client does what ours is told to do: it repeats what was refused with
the same \`Idempotency-Key\`. Afterwards every job's segments are compared, byte by byte, with those of an undisturbed
run. What is deleted is searched for as soon as its deletion is answered, and again at the end, and so is everything of the jobs that
have completed. \`ADIT_MAX_ATTEMPTS\` is 20 here: a SIGKILL from outside cannot be told from a crash of native code, which would
count as one of the three attempts that a chunk has.

| What | Measured |
| --- | --- |
${rows.map(([what, value]) => `| ${what} | ${value} |`).join('\n')}

A short form runs in \`npm test\`. What each outage means for clients and operators is in
[outages.md](outages.md).
`;
}
