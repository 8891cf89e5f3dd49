// `npm run upgrade`: processes of another build are replaced by this build's and back while jobs run.
import { appendFileSync } from 'node:fs';
import { startServers } from '@adit/servers';
import { repositoryRoot } from '../setup/places.mjs';
import { buildOf } from './other-build.mjs';
import { runUpgrade } from './upgrade.mjs';

const USAGE = `Runs the processes of another commit, replaces them one by one by those of this build and back again, on one
Kafka, PostgreSQL and MinIO, while jobs are mined.

  npm run upgrade [-- --from HEAD^ --flight 5 --log FILE]

  --from <revision>  the commit that is at work first, built once into the cache (HEAD^)
  --flight <number>  jobs that are under way at any time (5)
  --log <file>       keeps what the processes log
  --help             this text

Ends with 1 when a job was lost, doubled or wrong, or a message became a dead letter.`;

/** Answers the exit code. */
export async function runUpgradeCommand(args) {
  const options = { from: 'HEAD^', flight: 5, logFile: undefined };
  for (let index = 0; index < args.length; index += 1) {
    const [option, inline] = args[index].split(/=(.*)/s);
    if (option === '--help' || option === '-h') {
      console.log(USAGE);
      return 0;
    }
    const value = inline ?? args[++index];
    if (option === '--from' && value) options.from = value;
    else if (option === '--log' && value) options.logFile = value;
    else if (option === '--flight' && Number(value) > 0) options.flight = Number(value);
    else {
      console.error(`Wrong argument: ${option}\n\n${USAGE}`);
      return 2;
    }
  }
  const keep = (line) => options.logFile && appendFileSync(options.logFile, `${new Date().toISOString()} ${line}\n`);
  const log = (line) => {
    keep(line);
    console.error(`${new Date().toISOString().slice(11, 19)} ${line}`);
  };
  const { root, commit } = await buildOf(options.from, { log });
  const servers = await startServers({ log });
  try {
    if (servers.missing.length > 0) {
      console.error(`An upgrade needs servers: ${servers.missing.map(({ name }) => name).join(', ')} is missing.`);
      return 1;
    }
    const report = await runUpgrade(servers.environment, {
      from: { root, name: commit.slice(0, 10) },
      to: { root: repositoryRoot, name: 'this build' },
      flight: options.flight,
      log,
      onLine: (name, line) => keep(`${name} ${line}`),
    });
    const { states, jobs, mixed, replaced, refused, seconds } = report;
    console.log(
      JSON.stringify({ from: commit, jobs, states, replaced, refused, mixed: mixed.length, seconds }, null, 2),
    );
    for (const what of mixed) console.error(`mixed: ${what}`);
    const faults = ['lost', 'wrong', 'doubled', 'unnotified', 'violations', 'crashed', 'deadLetters'].flatMap((name) =>
      report[name].map((what) => `${name}: ${what}`),
    );
    if (report.messagesLeft > 0) faults.push(`${report.messagesLeft} messages were left in the outbox`);
    for (const fault of faults) console.error(fault);
    console.log(faults.length === 0 ? 'Nothing was lost.' : `${faults.length} faults.`);
    return faults.length === 0 ? 0 : 1;
  } finally {
    await servers.stop();
  }
}
