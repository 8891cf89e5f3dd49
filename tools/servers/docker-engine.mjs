// The Docker engine of this machine, found as testcontainers finds it: DOCKER_HOST, the context, the usual sockets.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { repositoryRoot } from '../setup/places.mjs';
import { SetupError } from '../setup/step.mjs';

/** Everything that is started here carries it, with the number of the process that started it. */
export const LABEL = 'adit.test-server';
const COMPOSE_FILE = join(repositoryRoot, 'deploy/docker-compose.yml');

let connecting = null;

/** testcontainers' client of the engine. Throws a SetupError that says why there is none. */
export function dockerEngine() {
  connecting ??= connect();
  return connecting;
}

/**
 * The image that deploy/docker-compose.yml runs the service on: what the environment names in its place, where the file
 * lets it, as in `${KAFKA_IMAGE:-apache/kafka:3.9.1}`.
 */
export async function imageOf(service, env = process.env) {
  const { load } = await fromPackages('js-yaml');
  const { image } = load(readFileSync(COMPOSE_FILE, 'utf8')).services[service];
  return image.replace(/\$\{([A-Z0-9_]+):-([^}]*)\}/g, (_, name, otherwise) => env[name] || otherwise);
}

/** Fetches the service's image unless it is there; answers its name. Throws a SetupError when it cannot be had. */
export async function ensureImage(service, step) {
  const engine = await dockerEngine();
  const image = await imageOf(service);
  const { ImageName } = await fromPackages('testcontainers');
  const name = ImageName.fromString(image);
  try {
    if (!(await engine.image.exists(name))) {
      step.begin(`Fetching the image ${image}`);
      await engine.image.pull(name);
      // A registry's refusal is told in the answer's text, which is not read.
      await engine.image.inspect(name);
    }
  } catch (error) {
    throw new SetupError(`The image ${image} could not be had: ${error.message}`);
  }
  return image;
}

/** Ends containers of this label and forgets their data, whether or not they still run. */
export async function removeContainers(ids) {
  const engine = await dockerEngine();
  await Promise.allSettled([...ids].map((id) => engine.container.getById(id).remove({ force: true, v: true })));
}

async function connect() {
  const { getContainerRuntimeClient } = await fromPackages('testcontainers');
  let engine;
  try {
    engine = await getContainerRuntimeClient();
  } catch (error) {
    if (!/container runtime/.test(error.message)) throw error;
    throw new SetupError('No Docker engine answers; DOCKER_HOST names one that is not at the usual place.');
  }
  const { host } = engine.info.containerRuntime;
  if (!(await isHere(host))) {
    throw new SetupError(
      `The Docker engine is at ${host}: the servers would listen on its loopback address, not here.`,
    );
  }
  return engine;
}

/**
 * True if the address is one of this machine's, so that a server can listen on it. Inside a container with a mounted Docker socket,
 * the engine is at the gateway's address instead.
 */
function isHere(host) {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen({ host, port: 0 }, () => server.close(() => resolve(true)));
  });
}

/** The set-up of packages may not have run: test servers alone do without. */
async function fromPackages(name) {
  try {
    return await import(name);
  } catch (error) {
    if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new SetupError(`Containers need the package ${name}: run "npm run setup".`);
  }
}
