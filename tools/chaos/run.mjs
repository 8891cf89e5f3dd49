// `npm run chaos`: many jobs while processes are killed and servers go away, and a report of the results.
import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startServers } from '@adit/servers';
import { triedMediamtx } from '@adit/servers/mediamtx';
import { POOLERS, startPgbouncer } from '@adit/servers/pgbouncer';
import { onSmallDisk } from '@adit/testing';
import { repositoryRoot } from '../setup/places.mjs';
import { runChaos } from './chaos.mjs';
import { buildOf } from './other-build.mjs';
import { reliabilityPage } from './reliability-page.mjs';

/** Limit from a server's return until a photo is mined, on an idle machine. */
const RECOVERY_SECONDS = 60;
/** Lists of the report that have to be empty. */
const FAULTS = [
  'lost',
  'wrong',
  'doubled',
  'miscounted',
  'remains',
  'unnotified',
  'violations',
  'crashed',
  'deadLetters',
];

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
  const { options, help, wrong } = parsed(args);
  if (help) {
    console.log(USAGE);
    return 0;
  }
  if (wrong !== undefined) {
    console.error(`Wrong argument: ${wrong}\n\n${USAGE}`);
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
    const report = await chaosOn(servers, ends, options);
    const page = reliabilityPage(report, options);
    console.log(page);
    if (options.write) writeFileSync(join(repositoryRoot, 'docs/operating/reliability.md'), page);
    const faults = FAULTS.flatMap((name) => report[name].map((what) => `${name}: ${what}`));
    for (const fault of faults) console.error(fault);
    const late = report.outages.filter(({ recoverySeconds }) => recoverySeconds > RECOVERY_SECONDS);
    return faults.length > 0 || late.length > 0 || report.messagesLeft > 0 ? 1 : 0;
  } finally {
    for (const end of ends) await end();
  }
}

/** Reads the options; `wrong` is the argument that is not one. */
function parsed(args) {
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
  const numbers = { '--jobs': 'jobs', '--kills': 'kills', '--outage': 'outageSeconds' };
  const texts = { '--seed': 'seed', '--upgrade': 'upgrade', '--pgbouncer': 'pgbouncer', '--log': 'logFile' };
  for (let index = 0; index < args.length; index += 1) {
    const [option, inline] = args[index].split(/=(.*)/s);
    if (option === '--help' || option === '-h') return { help: true };
    if (option === '--write') options.write = true;
    else if (option in texts) options[texts[option]] = inline ?? args[++index];
    else if (option in numbers && Number(inline ?? args[index + 1]) >= 0) {
      options[numbers[option]] = Number(inline ?? args[++index]);
    } else return { wrong: args[index] };
  }
  if (!['none', 'session', 'transaction'].includes(options.pgbouncer)) {
    return { wrong: `--pgbouncer ${options.pgbouncer}` };
  }
  return { options };
}

/** Runs chaos on these servers, with small disks, a PgBouncer and the other build; `ends` gets the cleanup of each. */
async function chaosOn(servers, ends, options) {
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
  return await runChaos(servers, addresses, {
    ...options,
    disks,
    mediamtx: await triedMediamtx(),
    upgrade: other && { root: other.root, name: other.commit.slice(0, 10) },
    log: say,
    progress: (done, all) => say(`${done} of ${all} jobs`),
    onLine: (name, line) => keep(`${name} ${line}`),
  });
}

/** Puts parts of the servers on small disks. Of the database only its tables: with a full log it ends, an outage like any other. */
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
