// `npm run chaos`: many jobs while processes are killed and servers go away, and what came of it.
import { appendFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { startServers } from '@adit/servers';
import { POOLERS, startPgbouncer } from '@adit/servers/pgbouncer';
import { onSmallDisk } from '@adit/testing';
import { repositoryRoot } from '../setup/places.mjs';
import { runChaos } from './chaos.mjs';
import { buildOf } from './other-build.mjs';
import { FULL } from './outage.mjs';

/** From a server's return until a photo is mined, on a machine that does nothing else. */
const RECOVERY_SECONDS = 60;

const USAGE = `Mines many jobs, and imports and trains datasets, on real servers while random processes are killed, each server goes away for a while, database,
object store and data folder are full for a while, and everything is restarted in order and replaced by another build and back. Some jobs are stopped and retried, deleted, or expire.

  npm run chaos [-- --jobs 200 --kills 20 --outage 60 --pgbouncer transaction --upgrade HEAD^ --seed TEXT --log FILE --write]

  --jobs <number>    jobs of mixed media (200)
  --kills <number>   SIGKILLs of a random process (20)
  --outage <number>  seconds that Kafka, PostgreSQL and MinIO are each stopped, and that each disk is full (60)
  --pgbouncer <mode> what is between the processes and PostgreSQL: transaction or session (transaction); none: nothing
  --upgrade <rev>    the commit whose processes take over for a while (HEAD^); none: nobody's
  --seed <text>      repeats a former run's plan
  --log <file>       keeps what the processes log
  --write            writes the figures to docs/operating/reliability.md
  --help             this text

Ends with 1 when a job was lost, doubled or wrong, or when a photo was not mined ${RECOVERY_SECONDS} s after a server's return.`;

/** Answers the exit code. */
export async function runChaosCommand(args) {
  const options = {
    jobs: 200,
    kills: 20,
    outageSeconds: 60,
    seed: undefined,
    logFile: undefined,
    write: false,
    upgrade: 'HEAD^',
    pgbouncer: 'transaction',
  };
  const names = { '--jobs': 'jobs', '--kills': 'kills', '--outage': 'outageSeconds' };
  for (let index = 0; index < args.length; index += 1) {
    const [option, inline] = args[index].split(/=(.*)/s);
    if (option === '--help' || option === '-h') {
      console.log(USAGE);
      return 0;
    }
    if (option === '--write') options.write = true;
    else if (option === '--seed') options.seed = inline ?? args[++index];
    else if (option === '--upgrade') options.upgrade = inline ?? args[++index];
    else if (option === '--pgbouncer') options.pgbouncer = inline ?? args[++index];
    else if (option === '--log') options.logFile = inline ?? args[++index];
    else if (option in names && Number(inline ?? args[index + 1]) >= 0) {
      options[names[option]] = Number(inline ?? args[++index]);
    } else {
      console.error(`Wrong argument: ${args[index]}\n\n${USAGE}`);
      return 2;
    }
  }
  if (!['none', 'session', 'transaction'].includes(options.pgbouncer)) {
    console.error(`Wrong argument: --pgbouncer ${options.pgbouncer}\n\n${USAGE}`);
    return 2;
  }
  const servers = await startServers({ log: (line) => console.error(line) });
  const ends = [() => servers.stop()];
  try {
    const missing = [...servers.missing, ...Object.values(servers).filter((server) => server?.given)];
    if (missing.length > 0) {
      console.error(`Chaos needs servers of its own to stop: ${missing.map(({ name }) => name).join(', ')}.`);
      return 1;
    }
    const keep = (line) => options.logFile && appendFileSync(options.logFile, `${new Date().toISOString()} ${line}\n`);
    const say = (line) => {
      keep(line);
      console.error(`${new Date().toISOString().slice(11, 19)} ${line}`);
    };
    const disks = await smallDisks(servers, ends, say);
    const addresses = { ...servers.environment };
    if (options.pgbouncer !== 'none') {
      const pooler = await startPgbouncer(addresses.DATABASE_URL, POOLERS[options.pgbouncer]);
      ends.unshift(() => pooler.remove());
      addresses.DATABASE_URL = pooler.url;
    }
    const other = options.upgrade === 'none' ? undefined : await buildOf(options.upgrade, { log: say });
    const upgrade = other && { root: other.root, name: other.commit.slice(0, 10) };
    const report = await runChaos(servers, addresses, {
      ...options,
      disks,
      upgrade,
      log: say,
      progress: (done, all) => say(`${done} of ${all} jobs`),
      onLine: (name, line) => keep(`${name} ${line}`),
    });
    const page = reliabilityPage(report, options);
    console.log(page);
    if (options.write) writeFileSync(join(repositoryRoot, 'docs/operating/reliability.md'), page);
    const faults = ['lost', 'wrong', 'doubled', 'remains', 'unheard', 'violations', 'crashed', 'givenUp'].flatMap(
      (name) => report[name].map((what) => `${name}: ${what}`),
    );
    for (const fault of faults) console.error(fault);
    const late = report.outages.filter(({ recoverySeconds }) => recoverySeconds > RECOVERY_SECONDS);
    return faults.length > 0 || late.length > 0 || report.messagesLeft > 0 ? 1 : 0;
  } finally {
    for (const end of ends) await end();
  }
}

/** Of the database its tables alone: without room for its log it ends, which is an outage as any other. */
async function smallDisks({ postgres, minio }, ends, say) {
  const wanted = [
    ['full database', postgres, 'data/base', '256m'],
    ['full object store', minio, 'data', '512m'],
  ];
  const disks = {};
  for (const [name, server, part, size] of wanted) {
    const disk = await onSmallDisk(server, part, size);
    if ('reason' in disk) {
      say(`Without a ${name}: ${disk.reason}`);
      continue;
    }
    disks[name] = disk;
    ends.unshift(() => disk.unmount());
  }
  return disks;
}

function reliabilityPage(report, { jobs, kills, outageSeconds, pgbouncer }) {
  const sum = (counts) => Object.values(counts).reduce((total, each) => total + each, 0);
  const list = (counts) =>
    Object.entries(counts)
      .sort()
      .map(([name, number]) => `${name} × ${number}`)
      .join(', ');
  const rows = [
    ['Jobs accepted', report.jobs],
    ['Datasets that were imported and trained, with a job that names the model', report.trainings],
    ['What clients did to them', list(report.deeds)],
    ['Jobs by state, but for those that went', list(report.states)],
    ['Jobs, imports and trainings lost or not ended', report.lost.length],
    ['Jobs, datasets and models with other results than undisturbed', report.wrong.length],
    ['Segments, jobs, webhooks, classes, images or versions of models twice', report.doubled.length],
    ['Deleted and expired jobs of which something is left', report.remains.length],
    ['Jobs whose end no webhook told', report.unheard.length],
    ['SIGKILLs', `${sum(report.kills)} (${list(report.kills)})`],
    ['Messages that became dead letters', report.givenUp.length],
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
PostgreSQL${pgbouncer === 'none' ? '' : ` (through a PgBouncer that pools ${pgbouncer}s)`}, MinIO, one gateway and notifier, two decoders, inference processes and aggregators on one machine. The jobs
are single photos, batches of photos, films of a few seconds, asked about faces, things and captions, ${report.hasSpeech ? 'recordings and films\nwith speech, ' : ''}and files that are
no media (they fail, with a reason).
Observations are not kept between jobs, so each job does all of its work.

While jobs are posted and mined, random processes are killed with SIGKILL, each server is stopped and started again, the
database, the object store and the decoders' folder have no room for a while, and at last every process is restarted in order, and replaced by one of another commit and back. Some jobs are stopped and
retried, some deleted, some expire. Datasets are imported and trained, and jobs name the models that come of it. The client does what ours is told to do: it repeats what was refused with
the same \`Idempotency-Key\`. Afterwards every job's segments are compared, byte by byte, with those of an undisturbed
run. \`ADIT_MAX_ATTEMPTS\` is 20 here: a SIGKILL from outside cannot be told from a crash of native code, which would
count as one of the three attempts that a chunk has.

| What | Measured |
| --- | --- |
${rows.map(([what, value]) => `| ${what} | ${value} |`).join('\n')}

A short form runs in \`npm test\`. What each outage means for clients and operators is in
[outages.md](outages.md).
`;
}
