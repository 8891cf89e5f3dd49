// `npm run stack`: real servers and every service as a process, with all logs in one view.
import { randomBytes } from 'node:crypto';
import { join, resolve } from 'node:path';
import { styleText } from 'node:util';
import { prettyLine } from '@adit/runtime';
import { startServers } from '@adit/servers';
import { objectStores } from '@adit/servers/object-stores';
import { serviceNames, startStack } from './stack.mjs';

const USAGE = `Starts Kafka, PostgreSQL, an object store and every service as a process of its own, until Ctrl-C.

  npm run stack [-- --port 8080] [--scale decoder=2,inference-face=2] [--objects seaweedfs] [--data DIR] [--quiet]

  --port <number>    port of the API (default: PORT or 8080)
  --scale <n=count>  processes of a service, separated by commas: ${serviceNames().join(', ')}
  --objects <name>   the object store: ${Object.keys(objectStores).join(', ')} (default: minio)
  --data <folder>    models and local work (default: .adit/stack)
  --quiet            warnings and errors only
  --help             this text

Servers that KAFKA_BROKERS, DATABASE_URL or S3_ENDPOINT name already are used and not started; the others are
temporary, and what was mined goes with them.`;

const COLOURS = ['cyan', 'green', 'yellow', 'magenta', 'blue', 'red'];

/** Answers the exit code: 1 when a server could not be had. */
export async function runStack(args) {
  const options = parse(args);
  if (typeof options === 'number') return options;
  const ended = new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, resolve);
  });
  const instead = { minio: objectStores[options.objects] };
  const servers = await startServers({ instead, log: (line) => console.error(line) });
  if (servers.missing.length > 0) {
    for (const { name, reason } of servers.missing) console.error(`${name}: ${reason}`);
    console.error('The services need all three. Name running ones by KAFKA_BROKERS, DATABASE_URL and S3_ENDPOINT.');
    await servers.stop();
    return 1;
  }
  const print = printer();
  const stack = await startStack({
    servers: servers.environment,
    dataDir: resolve(options.data),
    port: options.port,
    counts: options.scale,
    environment: {
      // Of this run alone, as its database is.
      ADIT_ENCRYPTION_KEY: randomBytes(32).toString('base64url'),
      ...process.env,
      ...{ ADIT_LOG_FORMAT: 'json', ADIT_LOG_LEVEL: options.level },
    },
    onLine: print,
  });
  const alive = setInterval(() => undefined, 60_000);
  const up = stack
    .ready()
    .then(() => print('stack', `All of it is up: ${stack.url} (API at ${stack.url}/api/docs). Ctrl-C stops it.`))
    .catch((error) => print('stack', error.message));
  await Promise.race([ended, up.then(() => ended)]);
  clearInterval(alive);
  print('stack', 'Stopping …');
  await stack.stop();
  await servers.stop();
  return 0;
}

function parse(args) {
  const level = process.env.ADIT_LOG_LEVEL || 'info';
  const options = {
    port: Number(process.env.PORT || 8080),
    scale: {},
    data: join('.adit', 'stack'),
    objects: 'minio',
    level,
  };
  for (let index = 0; index < args.length; index += 1) {
    const [option, inline] = args[index].split(/=(.*)/s);
    const value = () => inline ?? args[++index] ?? '';
    if (option === '--help' || option === '-h') {
      console.log(USAGE);
      return 0;
    } else if (option === '--quiet') options.level = 'warn';
    else if (option === '--port') options.port = Number(value());
    else if (option === '--data') options.data = value();
    else if (option === '--objects') {
      options.objects = value();
      if (!Object.hasOwn(objectStores, options.objects)) return refuse(`--objects ${options.objects}`);
    } else if (option === '--scale') {
      for (const pair of value().split(',')) {
        const [service, count] = pair.split('=');
        if (!serviceNames().includes(service) || !/^\d+$/.test(count ?? '')) return refuse(`--scale ${pair}`);
        options.scale[service] = Number(count);
      }
    } else return refuse(args[index]);
  }
  return Number.isInteger(options.port) && options.port >= 0 && options.port < 65_536 ? options : refuse('--port');
}

function refuse(argument) {
  console.error(`Wrong argument: ${argument}\n\n${USAGE}`);
  return 2;
}

/** Lines of all processes under each other, with the name of who wrote them. */
function printer() {
  const width = Math.max(...serviceNames().map((name) => name.length)) + 2;
  const colours = new Map();
  const painted = process.stdout.isTTY === true;
  return (name, line) => {
    if (!colours.has(name)) colours.set(name, COLOURS[colours.size % COLOURS.length]);
    const label = name.padEnd(width);
    const head = painted ? styleText(colours.get(name), label) : label;
    process.stdout.write(`${head}│ ${prettyLine(line, painted).trimEnd()}\n`);
  };
}
