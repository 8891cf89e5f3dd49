import { AditError } from '@adit/contracts';
import { onShutdown, shutdown, SHUTDOWN_PRIORITY } from '@adit/runtime';
import { startTelemetry } from '@adit/service';
import { startEngine } from '@adit/standalone';
import { SERVES } from '@adit/standalone';
import { placeFetched } from './fetched-models.js';
import { cliSettings } from './settings.js';
import type { StartOptions } from './start.js';

/** The supervised process of `adit start`: the engine itself. */
async function serve(options: StartOptions): Promise<void> {
  const { dataDir } = cliSettings(options.dataDir);
  const { port, host, localRoot: localRoots } = options;
  onShutdown('telemetry', SHUTDOWN_PRIORITY.drivers, await startTelemetry('standalone'));
  await placeFetched(options.dataDir);
  const engine = await startEngine({ dataDir, port, host, localRoots });
  onShutdown('engine', SHUTDOWN_PRIORITY.work, () => engine.close());
  shutdown.listen({ graceSeconds: engine.config.shutdownGraceSeconds });
  if (engine.newKey !== null) process.stderr.write(`API key, shown this once: ${engine.newKey}\n`);
  process.send?.(SERVES);
  process.stderr.write(`Adit listens at ${engine.url}; the API is described at ${engine.url}/api/docs.\n`);
}

// A supervisor that was killed cannot pass on the signal to end.
process.on('disconnect', () => process.kill(process.pid, 'SIGTERM'));

try {
  // Written by the command that starts this process.
  await serve(JSON.parse(process.argv[2] ?? '{}') as StartOptions);
} catch (error) {
  process.stderr.write(
    `${error instanceof AditError ? error.message : error instanceof Error ? String(error.stack) : String(error)}\n`,
  );
  process.exit(1);
}
