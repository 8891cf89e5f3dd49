// `npm run servers`: the test servers for as long as this command runs.
import { kinds, startServers } from './index.mjs';
import { openKeeper } from './keeper.mjs';

const USAGE = `Starts real servers on free loopback ports and prints the variables that name them, until Ctrl-C.

  npm run servers [-- --only kafka,postgres,minio]
  npm run servers -- --check
  npm run servers -- --matrix [words]

  --only <names>   only these servers, separated by commas
  --check          starts none: runs the conformance suites on those that the usual settings name (docs/reference/configuration.md:
                   KAFKA_BROKERS, DATABASE_URL, S3_ENDPOINT and what belongs to them, TLS and SASL as well), prints a table,
                   and ends with 1 when a test failed. It makes topics, a database and buckets of its own, whose names begin
                   with "check" or "spec", and removes what it may; the database's user has to be allowed to create one. With
                   S3_MANAGE_BUCKET=false it uses a folder of S3_BUCKET.
  --matrix         runs them on the oldest and the newest server of each kind that can be had, fetched or built into the
                   cache, and writes the table of docs/operating/servers.md; words choose rows: --matrix PgBouncer Kafka
  --help           this text

Servers that KAFKA_BROKERS, DATABASE_URL or S3_ENDPOINT name already are not started.
Their programs are kept in ADIT_CACHE_DIR (default ~/.cache/adit); their data are temporary.
ADIT_TEST_SERVERS_FROM=containers takes the images of deploy/docker-compose.yml instead, =packages never does.`;

/** Answers the exit code: 1 when a server is unavailable. */
export async function runServers(args) {
  if (args[0] === '--check' && args.length === 1) {
    const { checkGiven } = await import('./check.mjs');
    return await checkGiven(process.env);
  }
  if (args[0] === '--matrix') {
    const { runMatrix } = await import('./matrix.mjs');
    return await runMatrix(args.slice(1));
  }
  let only = Object.keys(kinds);
  for (let index = 0; index < args.length; index += 1) {
    const [option, value = args[++index]] = args[index].split('=');
    if (option === '--help' || option === '-h') {
      console.log(USAGE);
      return 0;
    }
    only = value?.split(',') ?? [];
    if (option !== '--only' || only.length === 0 || only.some((name) => !(name in kinds))) {
      console.error(`Unknown argument "${args.slice(index - 1).join(' ')}".\n\n${USAGE}`);
      return 2;
    }
  }
  const ended = new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, resolve);
  });
  const servers = await startServers({
    ...Object.fromEntries(only.map((name) => [name, true])),
    log: (line) => console.error(line),
  });
  for (const [name, value] of Object.entries(servers.environment)) console.log(`export ${name}='${value}'`);
  if (Object.keys(servers.environment).length > 0) {
    // Specs that stop their own server need it, when jest runs without npm.
    const keeper = await openKeeper();
    console.log(`export ADIT_TEST_SERVERS='${keeper.url}'`);
    console.error('\nCtrl-C stops them.');
    // A promise alone does not keep the process.
    const alive = setInterval(() => undefined, 60_000);
    await ended;
    clearInterval(alive);
    console.error('Stopping …');
    await keeper.close();
  }
  await servers.stop();
  return servers.missing.length > 0 ? 1 : 0;
}
