// `npm run servers`: the test servers for as long as this command runs.
import { kinds, startServers } from './index.mjs';
import { openKeeper } from './keeper.mjs';

const USAGE = `Starts real servers on free loopback ports and prints the variables that name them, until Ctrl-C.

  npm run servers [-- --only kafka,postgres,minio]

  --only <names>   only these servers, separated by commas
  --help           this text

Servers that KAFKA_BROKERS, DATABASE_URL or S3_ENDPOINT name already are not started.
Their programs are kept in ADIT_CACHE_DIR (default ~/.cache/adit); their data are temporary.
ADIT_TEST_SERVERS_FROM=containers takes the images of deploy/docker-compose.yml instead, =packages never does.`;

/** Answers the exit code: 1 when a server could not be had. */
export async function runServers(args) {
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
    // For specs that stop a server of their own, run by jest without npm.
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
