// All services as processes of their own on one set of servers, as docker compose or Kubernetes run them.
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SHORT_LIVED_FLAGS } from '@adit/runtime';
import { freePorts } from '../servers/ports.mjs';
import { Guard } from '../servers/server-process.mjs';
import { ServiceProcess } from './service-process.mjs';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..');
/** All of them in one process, and the command line. */
const COMPOSITIONS = ['standalone', 'cli'];
const GATEWAY = 'gateway';

/** The apps that are services: those with a main. */
export function serviceNames() {
  return readdirSync(join(root, 'apps'))
    .filter((name) => !COMPOSITIONS.includes(name) && existsSync(join(root, 'apps', name, 'main.ts')))
    .sort();
}

/**
 * @typedef {object} StackOptions
 * @property {Record<string, string>} servers KAFKA_BROKERS, DATABASE_URL, S3_ENDPOINT, S3_ACCESS_KEY and S3_SECRET_KEY.
 * @property {string} dataDir Holds a folder for each process, and `models`, which they share.
 * @property {Record<string, string | undefined>} [environment] Settings of all processes.
 * @property {Record<string, Record<string, string>>} [settings] Settings by service, over those of all.
 * @property {Record<string, number>} [counts] Processes by service; 1 of each that is not named.
 * @property {Record<string, string>} [programs] Programs in place of a service's own.
 * @property {boolean} [isBrief] They run for minutes, as in a test: nothing is compiled well for later.
 * @property {string} [root] Folder of the build that runs; this one when left out.
 * @property {boolean} [source] Run the TypeScript sources instead of the build.
 * @property {number} [port] Port of the first gateway; any free one when left out.
 * @property {(name: string, line: string) => void} [onLine] Told every line of every process.
 *
 * @typedef {object} Stack
 * @property {ServiceProcess[]} processes
 * @property {string} url Address of the first gateway.
 * @property {(service: string) => ServiceProcess[]} of The processes of one service.
 * @property {(seconds?: number) => Promise<void>} ready
 * @property {() => Promise<void>} stop
 */

/**
 * Starts one process for each service, or as many as `counts` says, restarted whenever they die.
 *
 * @param {StackOptions} options
 * @returns {Promise<Stack>}
 */
export async function startStack(options) {
  const { servers, dataDir, environment = process.env, settings = {}, counts = {}, onLine = () => undefined } = options;
  const names = serviceNames().flatMap((service) =>
    Array.from({ length: counts[service] ?? 1 }, (_, index) => ({
      service,
      name: index === 0 ? service : `${service}-${index + 1}`,
    })),
  );
  const ports = await freePorts(names.length);
  const models = join(dataDir, 'models');
  mkdirSync(models, { recursive: true });
  const guard = new Guard();
  const processes = names.map(({ service, name }, index) => {
    const port = service === GATEWAY && name === GATEWAY ? (options.port ?? ports[index]) : ports[index];
    const plan = {
      name,
      args: [...(options.isBrief ? SHORT_LIVED_FLAGS : []), ...programOf(service, options)],
      environment: {
        MALLOC_ARENA_MAX: '2',
        ...environment,
        ...servers,
        BUS_DRIVER: 'kafka',
        DATABASE_DRIVER: 'postgres',
        OBJECTS_DRIVER: 'minio',
        ADIT_DATA_DIR: join(dataDir, name),
        ADIT_MODELS_DIR: models,
        [service === GATEWAY ? 'PORT' : 'ADIT_OPERATIONS_PORT']: String(port),
        ...settings[service],
      },
      probe: `http://127.0.0.1:${port}`,
    };
    return new ServiceProcess(plan, onLine, guard);
  });
  for (const each of processes) each.start();
  const of = (service) => processes.filter(({ name }) => name === service || name.startsWith(`${service}-`));
  return {
    processes,
    url: processes.find(({ name }) => name === GATEWAY).address,
    of,
    ready: async (seconds = 300) => {
      await Promise.all(processes.map((each) => each.ready(seconds)));
    },
    stop: async () => {
      // The gateways first, so that nobody is refused by what ends behind them.
      await Promise.all(of(GATEWAY).map((each) => each.stop()));
      await Promise.all(processes.map((each) => each.stop()));
      guard.dismiss();
    },
  };
}

/**
 * Arguments of Node to run a service, of this build or of another one in its own folder.
 *
 * @param {string} service
 * @param {{ root?: string, source?: boolean, programs?: Record<string, string> }} [build]
 */
export function programOf(service, { root: folder = root, source = false, programs = {} } = {}) {
  const file = programs[service] ?? join(folder, 'apps', service, source ? 'main.ts' : 'dist/main.js');
  if (!source) return [file];
  return ['--conditions=@adit/source', '--import', join(folder, 'libs/testing/source-loader.mjs'), file];
}
