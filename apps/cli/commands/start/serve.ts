import { dirname } from 'node:path';
import { AditError, errorCode } from '@adit/contracts';
import { onShutdown, shutdown, SHUTDOWN_PRIORITY } from '@adit/runtime';
import { startTelemetry } from '@adit/service';
import { startEngine } from '@adit/standalone';
import { SERVES } from '@adit/standalone';
import { keptKey } from '../../engine/command-line-key.js';
import { makeDataFolder } from '../../engine/data-folder.js';
import { placeFetched } from '../../engine/fetched-models.js';
import { announceServing } from '../../engine/serving.js';
import { sampleFilmIfAny } from '../mine/sample-film.js';
import { cliSettings } from '../../settings.js';
import { startBanner, type StartFacts } from './start-banner.js';
import type { StartOptions } from './start.js';

/** The supervised process of `adit start`: the engine itself. */
async function serve(options: StartOptions): Promise<void> {
  const { dataDir } = cliSettings(options.dataDir);
  await makeDataFolder(dataDir);
  const { port, host } = options;
  // Somebody who looks on gets a key that is kept beside the data, lines for people, and a film to begin with.
  const isWatched = process.stdout.isTTY;
  const { ADIT_API_KEY: given, ADIT_API_KEY_FILE: givenIn } = process.env;
  const own = isWatched && !given && !givenIn ? await keptKey(dataDir) : null;
  const film = isWatched ? sampleFilmIfAny() : null;
  const localRoots = [...options.localRoot, ...(film === null ? [] : [dirname(film)])];
  onShutdown('telemetry', SHUTDOWN_PRIORITY.drivers, await startTelemetry('standalone'));
  await placeFetched(options.dataDir);
  const engine = await startEngine({ dataDir, port, host, localRoots, apiKey: own?.key, isWatched });
  onShutdown('engine', SHUTDOWN_PRIORITY.work, () => engine.close());
  onShutdown('serving', SHUTDOWN_PRIORITY.work, await announceServing(dataDir, engine.url));
  shutdown.listen({ graceSeconds: engine.config.shutdownGraceSeconds });
  if (engine.newKey !== null) process.stderr.write(`API key, shown this once: ${engine.newKey}\n`);
  process.send?.(SERVES);
  if (!isWatched) {
    const pages = engine.config.console ? `; the console is at ${engine.url}/console/` : '';
    process.stderr.write(`Adit listens at ${engine.url}; the API is described at ${engine.url}/api/docs${pages}.\n`);
    return;
  }
  const path = own?.path ?? givenIn;
  const key: StartFacts['key'] =
    given || path === undefined
      ? { from: 'environment' }
      : { from: 'file', path, made: own?.isNew === true ? own.key : null };
  const link = own === null ? null : engine.signInLink(own.key);
  const open = engine.config.console ? { link } : null;
  process.stderr.write(startBanner({ url: engine.url, dataDir, key, film, open }));
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => void process.stderr.write(`\nStopping. All that was found stays in ${dataDir}.\n`));
  }
}

// A supervisor that was killed cannot pass on the signal to end.
process.on('disconnect', () => process.kill(process.pid, 'SIGTERM'));

/** Why it cannot serve: in a sentence where a person can do something about it. */
function whyNot(error: unknown): string {
  const problem = AditError.from(error);
  if (problem.code !== 'INTERNAL') return problem.message;
  switch (errorCode(error)) {
    case 'EADDRINUSE':
      return `Something else listens at ${placeOf(error)} already: stop it, or choose another port (--port, PORT).`;
    case 'EACCES':
      return `This user may not listen at ${placeOf(error)}: choose a port from 1024 on (--port, PORT).`;
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return `${placeOf(error)} is no address of this machine (--host, ADIT_HOST).`;
    default:
      return error instanceof Error ? String(error.stack) : String(error);
  }
}

/** Returns the address of a socket in Node's notation. */
function placeOf(error: unknown): string {
  const { address = 'this address', port } = error as { address?: string; port?: number };
  return port === undefined ? address : `${address}:${port}`;
}

try {
  // Written by the command that starts this process.
  await serve(JSON.parse(process.argv[2] ?? '{}') as StartOptions);
} catch (error) {
  process.stderr.write(`${whyNot(error)}\n`);
  process.exit(1);
}
