import { once } from 'node:events';
import { startEngine } from '../engine.js';
import { untilInterrupted } from './interrupt.js';
import { cliSettings } from './settings.js';

export interface StartOptions {
  port: number;
  host: string;
  dataDir?: string;
  localRoot: string[];
}

/** Serves until told to stop. */
export async function start(options: StartOptions): Promise<void> {
  const { dataDir } = cliSettings(options.dataDir);
  const interrupt = untilInterrupted();
  const { port: number, host, localRoot } = options;
  const engine = await startEngine({ dataDir, port: number, host, localRoots: localRoot, quiet: false });
  if (engine.newKey !== null) {
    process.stderr.write(`API key, shown this once: ${engine.newKey}\n`);
  }
  process.stderr.write(`Adit listens at ${engine.url}; the API is described at ${engine.url}/api/docs.\n`);
  if (!interrupt.signal.aborted) await once(interrupt.signal, 'abort');
  await engine.close();
  interrupt.release();
}
